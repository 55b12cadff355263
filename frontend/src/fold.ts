// The only reader of frames: what a page shows is fold(frames up to t). Pure; nothing given is ever changed.
import type { Decision, Frame, Labels, Person, Piece, Place, Sums, Turn } from "./frames";
import { capital } from "./words";

/** A question and what came of it. `draft` is the answer in the making, `troubles` are tries that failed. */
export interface Said extends Place {
  kind: "turn";
  id: string;
  seq: number;
  asked: number;
  state: "open" | "done" | "failed";
  human: boolean;
  private: boolean;
  model: string;
  labels: Labels;
  draft: string;
  doing: string;
  troubles: string[];
  turn: Turn | null;
  reason: string;
}

/** A heading, or a small line about what happened. */
export interface Line {
  kind: "round" | "phase" | "line";
  id: string;
  seq: number;
  text: string;
}

export type Row = Said | Line;

export interface Stance {
  seq: number;
  mark: string;
  round: number;
  answer: string;
  confidence: number | null;
  changed: boolean;
  /** Why the answer of that turn is not readable; then there is none. */
  unread?: string;
}

export interface Vote {
  seq: number;
  mark: string;
  by: string;
  round: number;
  choice: string;
}

/** A row of the table of costs: what one participant used in one round. */
export interface Spent {
  by: string;
  round: number;
  tokens: number;
  cost: number | null;
  estimated: boolean;
  calls: number;
}

export interface Tick {
  seq: number;
  what: "round" | "vote" | "moderator" | "decision";
  text: string;
}

export type Status = "empty" | "running" | "paused" | "decided" | "tie" | "no_decision" | "failed";

export interface State {
  seq: number;
  at: number;
  begun: number;
  status: Status;
  why: string;
  reason: string;
  topic: string;
  protocol: string;
  rounds: number;
  round: number;
  phase: string;
  options: string[];
  people: Person[];
  sources: string[];
  limits: Record<string, number | null>;
  chosen: string[];
  forked: string;
  rows: Row[];
  sums: Sums;
  decision: Decision | null;
  stances: Record<string, Stance[]>;
  votes: Vote[];
  spent: Spent[];
  ticks: Tick[];
}

export const EMPTY: State = {
  seq: 0,
  at: 0,
  begun: 0,
  status: "empty",
  why: "",
  reason: "",
  topic: "",
  protocol: "",
  rounds: 0,
  round: 0,
  phase: "",
  options: [],
  people: [],
  sources: [],
  limits: {},
  chosen: [],
  forked: "",
  rows: [],
  sums: { asked: 0, done: 0, missing: 0, calls: 0, tokens_in: 0, tokens_out: 0, cost: 0, estimated: false },
  decision: null,
  stances: {},
  votes: [],
  spent: [],
  ticks: [],
};

/** The state after one more frame. A frame that is there already changes nothing. */
export function fold(state: State, frame: Frame): State {
  return frame.seq <= state.seq ? state : foldTo([frame], Infinity, state);
}

/** The state after all frames up to entry `at`. */
export function foldTo(frames: readonly Frame[], at = Infinity, from: State = EMPTY): State {
  const own = copy(from);
  for (const frame of frames) {
    if (frame.seq > at) break;
    if (frame.seq > own.seq) take(own, frame);
  }
  return own;
}

/** The state with pieces of answers in the making; a piece of nothing that is open is dropped. */
export function join(state: State, pieces: readonly Piece[]): State {
  const own = { ...state, rows: state.rows.slice() };
  for (const piece of pieces) change(own, piece.key, (row) => ({ draft: piece.whole ? piece.text : row.draft + piece.text }));
  return own;
}

/** The state after the line was lost: in answers in the making pieces may be missing from here on. */
export function gap(state: State): State {
  const torn = (row: Row): Row => (row.kind === "turn" && row.draft && !row.draft.endsWith("… ") ? { ...row, draft: `${row.draft} … ` } : row);
  return { ...state, rows: state.rows.map(torn) };
}

/** The questions that are open: who is speaking, oldest first. */
export function open(state: State): Said[] {
  if (state.status !== "running" && state.status !== "paused") return [];
  return state.rows.filter((row): row is Said => row.kind === "turn" && row.state === "open");
}

/** A state whose lists may be added to; what is in them is shared and never changed. */
function copy(state: State): State {
  const { rows, votes, spent, ticks } = state;
  const stances = Object.fromEntries(Object.entries(state.stances).map(([name, held]) => [name, held.slice()]));
  return { ...state, stances, rows: rows.slice(), votes: votes.slice(), spent: spent.slice(), ticks: ticks.slice() };
}

function take(own: State, frame: Frame): void {
  if (own.seq === 0) own.begun = frame.at;
  own.seq = frame.seq;
  own.at = frame.at;
  if (frame.sums) own.sums = frame.sums;
  switch (frame.kind) {
    case "opened":
      return opened(own, frame);
    case "entered":
      return entered(own, frame.seq, frame.path, frame.phase, frame.round);
    case "asked":
      own.rows.push({ ...blank(frame, frame.seq), human: frame.human, private: frame.private, labels: frame.labels });
      return;
    case "attempted":
      return change(own, frame.key, (row) => ({
        model: frame.tool ? row.model : frame.model,
        draft: frame.call.startsWith("continue") ? row.draft : "", // another call answers anew
        doing: frame.doing,
      }));
    case "called":
      spend(own, frame);
      return change(own, frame.key, () => ({ doing: "" }));
    case "erred":
      return change(own, frame.key, (row) => ({
        draft: "",
        troubles: [...row.troubles, frame.line ?? ""],
      }));
    case "replied":
      return replied(own, frame.seq, frame.turn);
    case "interjected":
      own.rows.push({ ...blank(frame.turn, frame.seq), state: "done", turn: frame.turn });
      return;
    case "failed":
      return change(own, frame.key, () => ({
        ...{ state: "failed", draft: "", seq: frame.seq, reason: frame.line ?? "" },
      }));
    case "halted":
      return line(own, frame);
    case "paused":
      Object.assign(own, { status: "paused", why: frame.status, reason: frame.reason });
      return line(own, frame);
    case "resumed":
      Object.assign(own, { status: "running", why: "", reason: "" });
      return line(own, frame);
    case "closed":
      Object.assign(own, { status: frame.status, reason: frame.reason });
      return;
    case "ruled":
      own.decision = frame.decision;
      own.ticks.push({ seq: frame.seq, what: "decision", text: frame.decision.how });
      return line(own, frame);
  }
}

function opened(own: State, frame: Frame & { kind: "opened" }): void {
  const { topic, protocol, rounds, options, sources, limits, forked } = frame;
  Object.assign(own, { status: "running", topic, protocol, rounds, options, sources, limits, forked });
  own.people = frame.participants;
  own.chosen = frame.chosen ?? [];
  line(own, frame);
}

function entered(own: State, seq: number, path: string, phase: string, round: number): void {
  if (round > 0) {
    own.round = round;
    own.ticks.push({ seq, what: "round", text: phase });
    own.rows.push({ kind: "round", id: `s${seq}`, seq, text: phase });
  } else if (path.split("/").length === 3 && phase !== own.phase) {
    own.rows.push({ kind: "phase", id: `s${seq}`, seq, text: phase });
  } else return;
  own.phase = phase;
}

function replied(own: State, seq: number, turn: Turn): void {
  change(own, turn.key, () => ({ state: "done", seq, draft: "", doing: "", turn }));
  if (turn.position && !turn.moderator) {
    const { answer, confidence, changed } = turn.position;
    const held = { seq, mark: turn.mark, round: turn.round, answer, confidence: confidence ?? null, changed };
    (own.stances[turn.by] ??= []).push(held);
  } else if (turn.unread?.some((each) => each.answer) && !turn.moderator) {
    const unread = turn.unread.find((each) => each.answer)!.why;
    (own.stances[turn.by] ??= []).push({ seq, mark: turn.mark, round: turn.round, answer: "", confidence: null, changed: false, unread });
  }
  if (turn.ballot) {
    const choice = turn.ballot.choice.join(", ");
    own.votes.push({ seq, mark: turn.mark, by: turn.by, round: turn.round, choice });
    own.ticks.push({ seq, what: "vote", text: `${turn.by} votes` });
  } else if (turn.moderator && !turn.private) {
    own.ticks.push({ seq, what: "moderator", text: `${turn.by}: ${turn.act}` });
  }
}

function spend(own: State, frame: Frame & { kind: "called" }): void {
  const round = row(own, frame.key)?.round ?? 0;
  const at = own.spent.findIndex((each) => each.by === frame.by && each.round === round);
  const old = own.spent[at] ?? { by: frame.by, round, tokens: 0, cost: 0, estimated: false, calls: 0 };
  const cost = old.cost === null || frame.cost === null ? null : old.cost + frame.cost;
  own.spent[at < 0 ? own.spent.length : at] = { ...old, tokens: old.tokens + frame.tokens, cost, estimated: old.estimated || !!frame.estimated, calls: old.calls + (frame.tool ? 0 : 1) };
}

function blank(place: Place & { human?: boolean; private?: boolean }, seq: number): Said {
  const { key, mark, by, act, round } = place;
  return {
    kind: "turn",
    id: key,
    seq,
    asked: seq,
    ...{ key, mark, by, act, round },
    state: "open",
    human: place.human ?? false,
    private: place.private ?? false,
    model: "",
    labels: [],
    draft: "",
    doing: "",
    troubles: [],
    turn: null,
    reason: "",
  };
}

/** A line about what happened, where there is anything to say. */
function line(own: State, { line: said = "" }: Frame): void {
  const text = said.replace(/: folkmoot answer \S+$/, ""); // the command of a terminal
  if (text) own.rows.push({ kind: "line", id: `s${own.seq}`, seq: own.seq, text: capital(text) });
}

function row(own: State, key: string): Said | undefined {
  return own.rows.findLast((each): each is Said => each.id === key && each.kind === "turn");
}

/** A turn that is not answered yet, as something else of it is known. */
function change(own: State, key: string, to: (row: Said) => Partial<Said>): void {
  const at = own.rows.findLastIndex((each) => each.id === key);
  const old = own.rows[at];
  if (old?.kind === "turn" && old.state !== "done") own.rows[at] = { ...old, ...to(old) };
}
