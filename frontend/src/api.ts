// Requests to the server. Errors are problems (RFC 9457); their `detail` is a sentence for people.
import type { Models } from "./models";
import type { ArgumentMap, Frame } from "./frames";

export class Problem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, detail: string, code = "") {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** Milliseconds after which a server that could not answer is asked again. */
export const SOON = 5000;

/** Whether a problem may pass by itself: the server, or its database, cannot be reached now. */
export function passes(problem: Problem): boolean {
  return problem.status === 0 || problem.status === 503;
}

/** A debate in a list. */
export interface Listed {
  id: string;
  topic: string;
  protocol: string;
  status: string;
  reason: string;
  at: number;
  forked: string;
  name: string; // what its owner calls it since; "" for its topic
  participants: string[];
  models: string[];
  decision: { winner: string; text: string; strength: string; share: number | null; votes: number[] } | null;
  tokens: number;
  cost: number | null;
  estimated: boolean; // whether tokens and cost are estimates
  runs: boolean;
  holder: string; // where: here, queue, elsewhere, or the name of a worker
  stale: boolean; // whether a document is known to have changed since
  waits_for: string[];
}

/** An evaluation, a batch or the generated participants in a list: one row for all of its debates that match. */
export interface ListedGroup {
  id: string;
  kind: "evaluation" | "batch" | "participants";
  name: string;
  debates: number;
  open: number;
  at: number;
  done: number; // this and the rest are of an evaluation
  planned: number; // 0 where its folder is not known
  cost: number | null;
  scoreboard: string; // "" where there is none yet
}

/** How a debate stands, and what whoever looks at it may do. */
export interface Detail {
  id: string;
  topic: string;
  name: string;
  status: string;
  kind: string;
  right: "view" | "join" | "own";
  who: string;
  runs: boolean;
  /** Where it runs: here, queue, elsewhere, or the name of a worker. */
  holder: string;
  /** Seconds since its last entry, where another machine may run it; else null. */
  silent: number | null;
  error: string;
  /** Which documents have changed since, and what to do; "" if none is known to have. */
  stale: string;
  /** What its owner may do next where it does not run. */
  ways: Way[];
}

/** A step: the command, what it does, and the request that does the same. */
export interface Way {
  command: string;
  words: string;
  action: string;
  body: Record<string, unknown>;
}

export interface Brief {
  topic: string;
  protocol: string;
  rounds: number;
  messages: number;
  chosen: string[];
  background: { name: string; html: string }[];
  library: string[];
  rules: { html: string };
  options: string[];
  participants: { name: string; role: string; duty: string; human: boolean; model: string; weight: number | null; persona: { html: string } }[];
  limits: Record<string, number>;
  seed: number;
  markdown: string;
}

export interface Field {
  name: string;
  kind: "text" | "choice" | "number" | "flag" | "list";
  choices: string[];
  required: boolean;
  help: string;
  low: number | null;
  high: number | null;
  abstain: boolean;
  private: boolean;
  allowed: string;
}

/** A turn as it is laid before a person. */
export interface Laid {
  name: string;
  act: string;
  mark: string;
  html: string;
  fields: [string, string][];
}

export interface Ask {
  key: string;
  mark: string;
  who: string;
  act: string;
  task: string;
  about: Laid[];
  news: Laid[];
  meanwhile: [string, string][];
  fields: Field[];
  left: number | null;
}

/** What is otherwise in a fork: who answers from now on (under "" for all), or what was said in the place of a turn. */
export interface Change {
  at?: number;
  models?: Record<string, string>;
  answer?: { turn: string; words: string; fields?: Record<string, unknown> };
}

export interface Span {
  least: number;
  most: number;
}

export interface Checked {
  topic: string;
  protocol: string;
  options: string[];
  participants: { name: string; role: string; duty: string; model: string }[];
  asks: Span;
  calls: Span & { usual: number };
  tokens: Record<"expected" | "usual" | "most", number>;
  cost: Record<"expected" | "usual" | "most", number | null>;
  longest_answer: number;
  unpriced: string[];
  notes: string[];
}

export interface Share {
  id: string;
  right: "view" | "join";
  who: string;
  until: number | null;
  revoked: boolean;
}

export const ROOT = "/api/v1";

export async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const unsafe: Record<string, string> = method === "GET" ? {} : { "Content-Type": "application/json", "X-Folkmoot": "1" };
  let answer: Response;
  try {
    answer = await fetch(ROOT + path, {
      method,
      headers: { ...unsafe, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch {
    throw new Problem(0, "Can't reach Folkmoot. Is folkmoot serve still running?");
  }
  if (!answer.ok) throw await problem(answer);
  return answer;
}

async function problem(answer: Response): Promise<Problem> {
  try {
    const told = (await answer.json()) as { detail?: string; title?: string; code?: string };
    return new Problem(answer.status, told.detail || told.title || `error ${answer.status}`, told.code);
  } catch {
    return new Problem(answer.status, `The server answered with error ${answer.status}.`);
  }
}

export async function get<T>(path: string): Promise<T> {
  return (await send("GET", path)).json() as Promise<T>;
}

export async function post<T>(path: string, body: unknown = {}, headers?: Record<string, string>): Promise<T> {
  const text = await (await send("POST", path, body, headers)).text();
  return (text ? JSON.parse(text) : {}) as T;
}

export function of(debate: string): string {
  return `/debates/${encodeURIComponent(debate)}`;
}

/** At most so many lines of JSON from a stream; the rest is left unread. */
async function lines<T>(path: string, most = Infinity): Promise<T[]> {
  const answer = await send("GET", path);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  const items: T[] = [];
  let rest = "";
  while (items.length < most) {
    const { value, done } = await reader.read();
    const parts = (rest + (value ?? "")).split("\n");
    rest = done ? "" : parts.pop()!;
    for (const part of parts) if (part.trim()) items.push(JSON.parse(part) as T);
    if (done) break;
  }
  void reader.cancel();
  return items.slice(0, most);
}

function once(): Record<string, string> {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { "Idempotency-Key": Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

export const api = {
  list: (query: URLSearchParams) => get<{ debates: Listed[]; groups: ListedGroup[]; next?: string | null }>(`/debates?${query}`),
  debate: (id: string) => get<Detail>(of(id)),
  frames: (id: string) => lines<Frame>(`${of(id)}/entries?form=frames`),
  entries: (id: string, after: number, most: number) =>
    lines<Record<string, unknown>>(`${of(id)}/entries?after=${after}&form=entries`, most),
  map: (id: string, at: number) => get<ArgumentMap>(`${of(id)}/map${at < Infinity ? `?at=${at}` : ""}`),
  asks: (id: string) => get<{ asks: Ask[] }>(`${of(id)}/asks`),
  answer: (id: string, body: { who: string; key: string; words: string; fields: Record<string, unknown> }) =>
    post(`${of(id)}/asks/answer`, body, once()),
  say: (id: string, by: string, words: string, to: string) => post(`${of(id)}/interjections`, { by, words, to }, once()),
  stop: (id: string, now: boolean) => post(`${of(id)}/stop`, { now }),
  resume: (id: string, body: Record<string, unknown> = {}) => post(`${of(id)}/resume`, body, once()),
  again: (id: string, body: Record<string, unknown>) => post<{ id: string }>(`${of(id)}/again`, body, once()),
  remove: (id: string) => send("DELETE", of(id)),
  removeAll: (debates: string[]) =>
    post<{ deleted: { id: string }[]; refused: { id: string; reason: string }[] }>("/debates/delete", { debates }),
  rename: (id: string, name: string) => send("PATCH", of(id), { name }),
  brief: (id: string) => get<Brief>(`${of(id)}/brief`),
  data: <T>(id: string, what: string) => get<T>(`${of(id)}/${what}`),
  check: (brief: string) => post<Checked>("/check", { brief }),
  start: (brief: string, files: unknown[]) => post<{ id: string }>("/debates", { brief, files }, once()),
  models: () => get<Models>("/models"),
  protocols: () => get<{ protocols: string[]; about: Record<string, string> }>("/protocols"),
  fork: (id: string, change: Change) => post<{ id: string }>(`${of(id)}/fork`, change, once()),
  resolve: (id: string, answer: string) => post(`${of(id)}/resolve`, { answer }),
  shares: (id: string) => get<{ shares: Share[] }>(`${of(id)}/shares`),
  share: (id: string, right: string, who: string, until: number | null) =>
    post<Share & { link: string }>(`${of(id)}/shares`, { right, who, until }),
  revoke: (id: string, share: string) => send("DELETE", `${of(id)}/shares?${new URLSearchParams({ id: share })}`),
  report: (id: string, form: string) => `${ROOT}${of(id)}/report.${form}`,
};
