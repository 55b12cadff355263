// One debate as a page shows it: its frames, where in time the page stands, and the line to the server.
import { EMPTY, foldTo, gap, join, type State } from "./fold";
import type { Frame } from "./frames";
import { Live, socketOf, type Line } from "./live";

const GAP = { least: 150, most: 2000 };

export class Watch {
  readonly frames: Frame[] = [];
  /** Everything so far, with the answers in the making. */
  now = $state.raw<State>(EMPTY);
  /** The entry at which the page stands; null for the end, which moves. */
  at = $state<number | null>(null);
  /** How often as fast as it was the debate is played; 0 for not at all. */
  speed = $state(0);
  line = $state.raw<Line>({ is: "opening" });
  /** The mark of the turn that was asked for, and how often, so that asking again finds it again. */
  turn = $state.raw({ mark: "", times: 0 });
  /** Whether nobody is at work although the record says so: the server that ran it was ended. */
  stalled = $state(false);
  /** Whether whoever looks may add a message, and the turn that it is to reply to; "" for none. */
  joins = $state(false);
  replying = $state("");
  shown = $derived.by(() => this.upTo(this.at, this.now));

  over = $derived(!["running", "paused", "empty"].includes(this.now.status));

  private past: State = EMPTY;
  private live: Live | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  /** Frames that are there already. */
  load(frames: Frame[]): void {
    this.frames.push(...frames);
    this.now = foldTo(frames, Infinity, this.now);
  }

  follow(debate: string): void {
    this.live = new Live(
      {
        frames: (frames) => this.load(frames),
        pieces: (pieces) => (this.now = join(this.now, pieces)),
        line: (line) => {
          this.line = line;
          if (line.is === "lost") this.now = gap(this.now);
        },
      },
      socketOf(debate),
      this.frames.length,
    );
    this.live.start();
  }

  /** Open the line anew, at once: after it was lost, or when a debate goes on. */
  again(): void {
    this.live?.start();
  }

  close(): void {
    this.pause();
    this.live?.stop();
  }

  seek(at: number | null): void {
    this.at = at === null || at >= this.now.seq ? null : Math.max(1, at);
  }

  point(mark: string): void {
    this.turn = { mark, times: this.turn.times + 1 };
  }

  play(speed: number): void {
    this.pause();
    if (this.at === null) this.at = 1;
    this.speed = speed;
    this.step();
  }

  pause(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.speed = 0;
  }

  private step(): void {
    const here = this.frames[(this.at ?? 0) - 1];
    const next = this.frames[this.at ?? 0];
    if (!here || !next) return this.pause();
    const gap = Math.min(GAP.most, Math.max(GAP.least, (next.at - here.at) * 1000));
    this.timer = setTimeout(() => {
      this.seek(next.seq);
      if (this.at === null) this.pause();
      else this.step();
    }, gap / this.speed);
  }

  private upTo(at: number | null, now: State): State {
    if (at === null) return now;
    const from = this.past.seq <= at ? this.past : EMPTY;
    this.past = foldTo(this.frames.slice(from.seq, at), at, from);
    return this.past;
  }
}
