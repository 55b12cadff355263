// What was learned over all debates, tests of models, comparisons: requests of the pages beside the debate.
import { get, of, post, send, ROOT } from "./api";

export interface Rating {
  name: string;
  value: number;
  low: number;
  high: number;
  games: number;
}

export interface Standings {
  domain: string;
  ratings: Rating[];
  elo: Record<string, number>;
  apart: string[][];
}

export interface Calibration {
  n: number;
  confidence: number;
  accuracy: number;
  ece: number;
  brier: { score: number };
}

/** Something that is remembered: a conclusion, or a critique that changed an answer. */
export interface Remembered {
  debate: string;
  kind: "outcome" | "pattern";
  n: number;
  at: number;
  uses: number;
  body: Partial<Record<"topic" | "status" | "text" | "how" | "domain" | "trust" | "critic" | "author" | "issue" | "suggestion" | "before" | "after" | "because", string>>;
}

export interface LearnedPart {
  heading: string;
  items: string[][];
}

export interface Parted {
  seq: number;
  kind: string;
  words: string;
  by: string;
  mark: string;
}

export interface Compared {
  parting: { same: number; answers: number; one: Parted | null; other: Parted | null };
  settings: { what: string; one: string; other: string }[];
  one: Side;
  other: Side;
}

export interface Side {
  debate: string;
  topic: string;
  protocol: string;
  status: string;
  line: string;
  winner: string;
  strength: string;
  share: number;
  rounds: number;
  answers: number;
  people: { name: string; seat: string; answer: string; flips: number; vote: string }[];
}

/** An evaluation of the store. */
export interface Evaluation {
  id: string;
  name: string;
  folder: string;
  arms: string[];
  done: number;
  planned: number;
  at: number;
  problem: string;
}

export const library = {
  evaluations: () => get<Evaluation[]>("/evaluations"),
  scoreboard: async (id: string) => (await send("GET", `/evaluations/${encodeURIComponent(id)}`)).text(),
  scoreboardLink: (id: string) => `${ROOT}/evaluations/${encodeURIComponent(id)}`,
  compare: (a: string, b: string) => get<Compared>(`/compare?${new URLSearchParams({ a, b })}`),
  ratings: () => get<Standings[]>("/ratings"),
  calibration: () => get<Record<string, Calibration>>("/calibration"),
  memory: (q: string, kind: string, most: number) => get<Remembered[]>(`/memory?${new URLSearchParams({ q, kind, most: String(most) })}`),
  learned: (id: string) => get<LearnedPart[]>(`${of(id)}/memory`),
  forget: (id: string) => send("DELETE", `${of(id)}/memory`),
  test: (model: string) => post<{ model: string; answers: boolean; words: string; cost: number | null }>("/models/check", { model }),
};
