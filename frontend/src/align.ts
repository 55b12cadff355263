// Two debates turn by turn: which turns belong together, which are alike, and which words differ.
import type { Said, State } from "./fold";

export interface Pair {
  one: Said | null;
  other: Said | null;
  same: boolean;
}

/** Pairs, or runs of pairs that say the same. */
export type Run = { alike: Pair[] } | { differs: Pair };

function turns(state: State): Said[] {
  return state.rows.filter((row): row is Said => row.kind === "turn" && !row.private && row.state !== "open");
}

/** What a turn says, as plain words. */
export function wordsOf(row: Said): string {
  const turn = row.turn;
  if (!turn) return row.reason;
  const plain = (html: string): string => new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
  return [...turn.facts.filter(([name]) => name === "Claim").map(([, value]) => value), ...turn.long.map((each) => plain(each.html)), plain(turn.html)]
    .map((each) => each.trim())
    .filter(Boolean)
    .join("\n");
}

/** Turns of the same round, act and speaker belong together. */
export function align(one: State, other: State): Run[] {
  const keyed = (rows: Said[]): Map<string, Said> => {
    const seen = new Map<string, number>();
    return new Map(
      rows.map((row) => {
        const key = `${row.round} ${row.act} ${row.by}`;
        const n = (seen.get(key) ?? 0) + 1;
        seen.set(key, n);
        return [`${key} ${n}`, row];
      }),
    );
  };
  const [left, right] = [keyed(turns(one)), keyed(turns(other))];
  const keys = [...left.keys()];
  let at = 0;
  for (const key of right.keys()) {
    const found = keys.indexOf(key);
    if (found >= 0) at = found + 1;
    else keys.splice(at++, 0, key); // where it stands among those that both have
  }
  const made: Run[] = [];
  for (const key of keys) {
    const [a, b] = [left.get(key) ?? null, right.get(key) ?? null];
    const same = a !== null && b !== null && a.turn?.text === b.turn?.text && a.turn?.position?.answer === b.turn?.position?.answer && wordsOf(a) === wordsOf(b);
    const pair = { one: a, other: b, same };
    const last = made.at(-1);
    if (!same) made.push({ differs: pair });
    else if (last && "alike" in last) last.alike.push(pair);
    else made.push({ alike: [pair] });
  }
  return made;
}

export interface Piece {
  text: string;
  marked: boolean;
}

const MOST = 600; // words: of longer texts all is marked, and nobody waits

/** The words of a text, with those marked that the other one has not in this place. */
export function marked(text: string, other: string): Piece[] {
  const [a, b] = [text.split(/(?<=\s)/), other.split(/(?<=\s)/)];
  if (!other || a.length > MOST || b.length > MOST) return [{ text, marked: Boolean(other) }];
  const same = (i: number, j: number): boolean => a[i]!.trim() === b[j]!.trim();
  const long: number[][] = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) long[i]![j] = same(i, j) ? long[i + 1]![j + 1]! + 1 : Math.max(long[i + 1]![j]!, long[i]![j + 1]!);
  const made: Piece[] = [];
  const add = (word: string, is: boolean): void => {
    const last = made.at(-1);
    if (last && last.marked === is) last.text += word;
    else made.push({ text: word, marked: is });
  };
  let [i, j] = [0, 0];
  while (i < a.length) {
    if (j < b.length && same(i, j)) [i, j] = (add(a[i]!, false), [i + 1, j + 1]);
    else if (j < b.length && long[i]![j + 1]! >= long[i + 1]![j]!) j++;
    else add(a[i++]!, true);
  }
  return made;
}
