// What comes over the wire: frames and pieces, as docs/design/web.md says. Only fold.ts reads them.

export interface Person {
  name: string;
  role: string;
  duty: "debater" | "moderator" | "juror";
  seat: string;
  human: boolean;
  weight: number | null;
}

export interface Sums {
  asked: number;
  done: number;
  missing: number;
  calls: number;
  tokens_in: number;
  tokens_out: number;
  cost: number | null;
  /** Whether tokens and cost are estimates. */
  estimated: boolean;
}

export interface Link {
  target: string;
  by?: string;
  relation: string;
}

export interface Position {
  answer: string;
  confidence?: number | null;
  changed: boolean;
}

export interface Place {
  key: string;
  mark: string;
  by: string;
  act: string;
  round: number;
}

/** The fields that an answer is asked for, each as it is written and in words. */
export type Labels = [string, string][];

/** Something that was said, in full. */
export interface Turn extends Place {
  role: string;
  moderator: boolean;
  outside?: boolean;
  human?: boolean;
  on: { key: string; by: string; act: string; label: string }[];
  link: Link | null;
  aside?: (string | [string, string])[];
  /** Fields in a line, and those that are texts of their own. */
  facts: [string, string][];
  long: { name: string; html: string }[];
  text: string;
  html: string;
  private: boolean;
  model: string;
  served: string;
  seconds: number;
  /** What could not be read of it, and why; `answer` where it is what its author is for. */
  unread?: { fields: string[]; why: string; answer: boolean }[];
  /** What a reader should know of the answer beside its words. */
  remarks?: string[];
  tokens: number;
  cost: number | null;
  estimated?: boolean;
  position?: Position;
  ballot?: { choice: string[] };
}

export interface Ballot {
  voter: string;
  choice: string;
  state: "cast" | "abstained" | "unread" | "missing";
  reason: string;
  weight: number | null;
  ranks: string[];
  confidence: number | null;
}

export interface Decision {
  status: string;
  winner: string;
  text: string;
  html: string;
  argument: string;
  /** The best argument for the winner; nothing where nobody won. */
  why: { html: string };
  /** What it rests on; nothing to whoever may not read every turn. */
  grounds: {
    /** Why those who are for it chose it: a reason, not the last rebuttal. */
    reasons: { by: string; mark: string; words: string; before: string }[];
    margin: string;
    objection: { mark: string; by: string[]; claim: string; unanswered: boolean } | null;
    moves: { by: string; mark: string; before: string; after: string; because: string; causes: string[]; to: string[] }[];
  };
  rule: string;
  how: string;
  share: number;
  strength: string;
  support: string[];
  tally: Record<string, number>;
  first: Record<string, number>;
  ballots: Ballot[];
  dissent: string[];
  minority: { answer: string; by?: string[]; share?: number; argument?: string; html?: string }[];
  /** What makes it weaker than it looks, one sentence each. */
  warnings?: string[];
  /** Of a review: its findings. */
  findings?: { html: string };
  /** The answers that stand where nobody won. */
  answers?: Decision["minority"];
}

interface Base {
  seq: number;
  at: number;
  name: string;
  /** What happened, as a part of a sentence, in the words of every screen. */
  line?: string;
  sums?: Sums;
}

export type Frame = Base &
  (
    | {
        kind: "opened";
        topic: string;
        protocol: string;
        rounds: number;
        options: string[];
        participants: Person[];
        sources: string[];
        limits: Record<string, number | null>;
        chosen?: string[];
        forked: string;
      }
    | { kind: "entered"; path: string; phase: string; round: number }
    | ({ kind: "asked"; human: boolean; private: boolean; labels: Labels } & Place)
    | { kind: "attempted"; key: string; call: string; by: string; n: number; model: string; tool: string; doing: string }
    | {
        kind: "called";
        key: string;
        call: string;
        by: string;
        model: string;
        tokens: number;
        cost: number | null;
        estimated?: boolean;
        tool: string;
        seconds?: number;
        sources: string[];
      }
    | { kind: "erred"; key: string; call: string; by: string; n: number; error: string; reason: string }
    | { kind: "replied" | "interjected"; turn: Turn }
    | ({ kind: "failed"; error: string; reason: string } & Place)
    | { kind: "halted"; path: string; phase: string; reason: string }
    | { kind: "resumed"; by: string }
    | { kind: "paused" | "closed"; status: string; reason: string }
    | { kind: "ruled"; decision: Decision }
  );

/** A piece of an answer in the making: live, without a number, never stored. */
export interface Piece {
  kind: "delta";
  key: string;
  text: string;
  /** Whether it is the whole text so far, for whoever came late. */
  whole?: boolean;
}

export interface Claim {
  mark: string;
  claim: string;
  made: { mark: string; by: string; act: string; round: number; stance: string }[];
  replaced: string;
  by: string[];
  stances: string[];
  standing: string;
  strength: number | null;
}

export interface Edge {
  source: string;
  target: string;
  relation: string;
  turns?: string[];
}

/** The argument map, as `GET /debates/{id}/map` gives it. */
export interface ArgumentMap {
  nodes: Claim[];
  edges: Edge[];
  unanswered?: Edge[];
  semantics?: Record<string, unknown>;
}
