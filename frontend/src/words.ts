// How numbers, times and states are said.
import { undecided } from "./endings.json";

/** A number in words, marked where it is an estimate. */
export function approx(words: string, estimated?: boolean): string {
  return estimated ? `about ${words}` : words;
}

export function cost(usd: number | null | undefined, estimated?: boolean): string {
  if (usd === null || usd === undefined) return "cost unknown";
  if (usd === 0) return "$0";
  return approx(`$${usd.toFixed(usd < 0.01 ? 4 : usd < 1 ? 3 : 2)}`, estimated);
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

export function short(n: number): string {
  return n < 10_000 ? n.toLocaleString("en") : n < 999_500 ? `${Math.round(n / 1000)}k` : `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} M`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A text with at most so many characters; "…" stands for the rest. */
export function clipped(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

const UNITS: [number, string][] = [[86_400, "day"], [3600, "h"], [60, "min"], [1, "s"]];

/** A length of time in its two greatest units, as core/labels.py says it: "4.2 s", "2 days 3 h", "1 h". */
export function span(seconds: number): string {
  const tenths = Math.round(Math.max(0, seconds) * 10) / 10;
  if (tenths < 60) return `${tenths} s`;
  const parts = UNITS.map(([size, name]) => {
    const n = Math.floor(seconds / size);
    seconds %= size;
    return n ? `${n} ${name}${size > 3600 && n > 1 ? "s" : ""}` : "";
  });
  const first = parts.findIndex(Boolean);
  return parts.slice(first, first + 2).join(" ").trim();
}

export function moment(at: number): string {
  return new Date(at * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

const STATES: Record<string, string> = {
  empty: "waiting",
  casting: "generating participants",
  running: "running",
  paused: "paused",
  decided: "decided",
  tie: "tie",
  no_decision: "no decision",
  failed: "failed",
  damaged: "damaged",
  ended: "interrupted",
  elsewhere: "running in another process",
};

export function named(status: string): string {
  return STATES[status] ?? status.replaceAll("_", " ");
}

/** How one ends, also one in which a model only answered (core/labels.py). */
export function ending(each: { protocol: string; status: string; reason: string }): string {
  return each.protocol === "single" && each.reason === undecided ? "answered" : each.status;
}

const SIGNS: Record<string, string> = { running: "●", elsewhere: "●", paused: "‖", ended: "‖", decided: "✓", tie: "=", failed: "!", damaged: "!" };

/** A sign beside the word, so that colour is never alone. */
export function sign(status: string): string {
  return SIGNS[status] ?? "○";
}

export function list(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The first letters of a name, for its disc; one of a single word, as two would make "No" of Nora. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean).map((word) => [...word][0]!);
  return words.length > 1 ? words[0]! + words.at(-1)! : (words[0] ?? "");
}
