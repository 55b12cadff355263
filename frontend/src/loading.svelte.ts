// Something that is asked of the server: what came, or what went wrong.
import { passes, Problem, SOON } from "./api";

export class Loading<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  private readonly ask: () => Promise<T>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(ask: () => Promise<T>) {
    this.ask = ask;
    void this.again();
  }

  /** Nothing is asked again. */
  stop = (): void => {
    this.stopped = true;
    clearTimeout(this.timer);
  };

  again = async (): Promise<void> => {
    clearTimeout(this.timer);
    try {
      this.value = await this.ask();
      this.problem = null;
    } catch (error) {
      this.problem = error instanceof Problem ? error : new Problem(0, String(error));
      if (passes(this.problem) && !this.stopped) this.timer = setTimeout(() => void this.again(), SOON);
    }
  };
}
