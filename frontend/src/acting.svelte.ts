// Something that the reader does: whether it is under way, and what came of it last.
import type { Problem } from "./api";

export class Acting {
  busy = $state(false);
  told = $state("");
  problem = $state.raw<Problem | null>(null);

  /** Do it. It returns the words to be shown, "" for none. */
  readonly act = async (what: () => Promise<string>): Promise<void> => {
    this.busy = true;
    this.problem = null;
    this.told = "";
    try {
      this.told = await what();
    } catch (error) {
      this.problem = error as Problem;
    } finally {
      this.busy = false;
    }
  };
}
