// Calls in time: what each participant's model did when, with tries that failed, and what it had cost by then.
import type { Frame } from "./frames";

export interface Bar {
  key: string;
  mark: string;
  by: string;
  from: number;
  /** null while it runs. */
  to: number | null;
  ok: boolean;
  error: string;
  call: string;
  n: number;
  model: string;
  tool: string;
  tokens: number;
  cost: number | null;
  estimated: boolean;
  answer: string;
  seq: number;
}

export interface Trace {
  bars: Bar[];
  phases: { name: string; from: number }[];
  /** The cost so far, by time; ends where a price is unknown. */
  spent: { at: number; cost: number }[];
  /** Seconds from the first to the last entry. */
  seconds: number;
}

/** The calls of a debate up to an entry, in seconds since its beginning. */
export function traceOf(frames: readonly Frame[], until = Infinity): Trace {
  const start = frames[0]?.at ?? 0;
  const made: Trace = { bars: [], phases: [], spent: [{ at: 0, cost: 0 }], seconds: 0 };
  const marks = new Map<string, string>();
  const open = new Map<string, Bar>();
  let sum: number | null = 0;
  let begun = 0; // how many bars there were when the last phase began
  for (const frame of frames) {
    if (frame.seq > until) break;
    const at = frame.at - start;
    made.seconds = at;
    if (frame.kind === "entered" && (frame.round || frame.path.split("/").length === 3)) {
      const last = made.phases.at(-1);
      if (last && begun === made.bars.length) last.name = frame.phase; // nothing was done in between: the narrower name is said
      else if (last?.name !== frame.phase) made.phases.push({ name: frame.phase, from: at });
      begun = made.bars.length;
    } else if (frame.kind === "asked") marks.set(frame.key, frame.mark);
    else if (frame.kind === "attempted") {
      const { key, by, call, n, model, tool } = frame;
      const bar: Bar = { key, mark: marks.get(key) ?? "", by, from: at, to: null, ok: true, error: "", call, n, model, tool, tokens: 0, cost: 0, estimated: false, answer: "", seq: frame.seq };
      made.bars.push(bar);
      open.set(`${key} ${call}`, bar);
    } else if (frame.kind === "called" || frame.kind === "erred") {
      const bar = open.get(`${frame.key} ${frame.call}`);
      if (!bar) continue;
      bar.to = at;
      open.delete(`${frame.key} ${frame.call}`);
      if (frame.kind === "erred") Object.assign(bar, { ok: false, error: frame.reason });
      else {
        Object.assign(bar, { tokens: frame.tokens, cost: frame.cost, estimated: !!frame.estimated });
        sum = sum === null || frame.cost === null ? null : sum + frame.cost;
        if (sum !== null) made.spent.push({ at, cost: sum });
      }
    } else if (frame.kind === "replied" && frame.turn.position)
      for (const bar of made.bars) if (bar.key === frame.turn.key) bar.answer = frame.turn.position.answer;
  }
  return made;
}

/** Round numbers for an axis from 0 to a value. */
export function steps(most: number, many = 5): number[] {
  if (!(most > 0)) return [0];
  const raw = most / many;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * unit).find((each) => each >= raw)!;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, n) => n * step);
}

const LETTER = 6.6;
const GAP = 8;
const ROUND = /^Round /;

/** The names above phases that have room: short where the whole is too long for its phase, none where the one before still stands.

    All rounds have one form: "Round 8" beside a plain "7" would look like something else. */
export function titles<P extends { name: string; at: number }>(phases: readonly P[], wide: number): P[] {
  let free = 0;
  const ends = (name: string, at: number): number => at + name.length * LETTER + GAP;
  const next = (n: number): number => phases[n + 1]?.at ?? wide;
  const brief = phases.some(({ name, at }, n) => ROUND.test(name) && ends(name, at) > next(n));
  return phases.flatMap((phase, n) => {
    const short = phase.name.replace(/^Round | statements$/, "");
    const forms = brief && ROUND.test(phase.name) ? [short] : [phase.name, short];
    const name = phase.at < free ? undefined : (forms.find((form) => ends(form, phase.at) <= next(n)) ?? forms.findLast((form) => ends(form, phase.at) <= wide));
    if (!name) return [];
    free = ends(name, phase.at);
    return [{ ...phase, name }];
  });
}

/** A prompt in three parts: what was said earlier, from its heading on, and what stands before and behind it. */
export function parts(prompt: string): [before: string, earlier: string, behind: string] {
  const earlier = /^The debate so far:\n[^]*(?=\n\nYou are )/m.exec(prompt);
  if (!earlier) return [prompt, "", ""];
  return [prompt.slice(0, earlier.index), earlier[0], prompt.slice(earlier.index + earlier[0].length).trimStart()];
}
