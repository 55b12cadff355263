// Something that is asked of the server: what came, or what went wrong.
import { Problem } from "./api";

export class Loading<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  private readonly ask: () => Promise<T>;

  constructor(ask: () => Promise<T>) {
    this.ask = ask;
    void this.again();
  }

  again = async (): Promise<void> => {
    this.problem = null;
    try {
      this.value = await this.ask();
    } catch (error) {
      this.problem = error instanceof Problem ? error : new Problem(0, String(error));
    }
  };
}
