// Who held which answer when. Answers that differ in case, blanks or marks at the ends are one.
import type { Stance, State } from "./fold";
import type { Decision } from "./frames";

export interface Answers {
  /** Each answer once, in the words in which it came first. */
  texts: string[];
  /** The letter of an answer: A for the first. */
  letter(answer: string): string;
  /** The class with the colour of an answer. */
  tint(answer: string | undefined): string;
}

export function plain(answer: string): string {
  return answer.toLowerCase().replace(/\s+/g, " ").replace(/^[\s"'*_.,;:!?()-]+|[\s"'*_.,;:!?()-]+$/g, "");
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const HUES = 5; // of more answers the letter goes on and the colour comes again, as an outline

/** The class with the colour of the answer at a place, from 0; "" for none. */
export function tintAt(place: number): string {
  return place < 0 ? "" : `ans-${LETTERS[place % HUES]}${place < HUES ? "" : " ring"}`;
}

export function answersOf(state: State): Answers {
  const all = Object.values(state.stances)
    .flat()
    .filter((each) => !each.unread)
    .sort((one, other) => one.seq - other.seq);
  const texts = new Map<string, string>();
  for (const option of state.options) texts.set(plain(option), option);
  for (const { answer } of all) if (!texts.has(plain(answer))) texts.set(plain(answer), answer);
  const order = [...texts.keys()];
  const letter = (answer: string): string => LETTERS[order.indexOf(plain(answer))] ?? "#";
  const tint = (answer: string | undefined): string => tintAt(answer === undefined ? -1 : order.indexOf(plain(answer)));
  return { texts: [...texts.values()], letter, tint };
}

/** What stands in place of an answer that could not be read. */
export const NOT_READABLE = "not readable";

/** The answer that each participant holds now, by name; whose last one was not readable holds none. */
export function holds(state: State): Record<string, string> {
  const last = Object.entries(state.stances).map(([name, all]) => [name, all.at(-1)] as const);
  return Object.fromEntries(last.flatMap(([name, stance]) => (stance && !stance.unread ? [[name, stance.answer]] : [])));
}

/** How many ballots could be read, where not all could. */
export function readable(decision: Decision | null): { count: number; line: string } {
  const count = decision?.ballots.filter((each) => each.state === "unread").length ?? 0;
  const all = decision?.ballots.length ?? 0;
  return { count, line: count ? `${all - count} of ${all} ballots readable` : "" };
}

/** The answers with those who hold them, the most common first. */
export function tallied(answers: Answers, held: Record<string, string>): { answer: string; by: string[] }[] {
  const of = (text: string): string[] => Object.keys(held).filter((name) => plain(held[name]!) === plain(text));
  return answers.texts.map((answer) => ({ answer, by: of(answer) })).sort((one, other) => other.by.length - one.by.length);
}

/** The answers that lost, or all where nobody won, without those who gave none: no words, or words in which no answer could be read or voted for. */
export function minority(state: State): Decision["minority"] {
  const dumb = (name: string): boolean =>
    !state.stances[name]?.some((each) => !each.unread) &&
    state.rows.some((row) => row.kind === "turn" && row.by === name && row.turn?.unread?.some((each) => each.answer));
  const names = new Set(state.people.map((each) => each.name));
  return [...(state.decision?.minority ?? []), ...(state.decision?.answers ?? [])].filter(
    ({ answer, argument, share }) => (names.has(answer) ? argument?.trim() && (share || !dumb(answer)) : (answer + (argument ?? "")).trim()),
  );
}

export interface Stage {
  name: string;
  /** What each held by then, by name. */
  held: Record<string, Stance>;
  /** Whose newest answer by then was not readable. */
  unread: Record<string, Stance>;
  /** The share of those who hold the answer that most hold, 0 to 1. */
  share: number;
  /** How many give each answer, by its plain words. */
  counts: Map<string, number>;
}

/** Where answers stood before the rounds, after each, and at the end. */
export function stages(state: State): Stage[] {
  const begin = state.ticks.find((tick) => tick.what === "round")?.seq ?? Infinity;
  const when = (each: Stance): number => each.round || (each.seq > begin ? Infinity : 0);
  const all = Object.entries(state.stances);
  const times = [...new Set(all.flatMap(([, held]) => held.map(when)))].sort((one, other) => one - other);
  return times.map((time) => {
    const held: Record<string, Stance> = {};
    const unread: Record<string, Stance> = {};
    for (const [name, stances] of all) {
      const last = stances.findLast((each) => when(each) <= time);
      if (last) (last.unread ? unread : held)[name] = last;
    }
    const counts = new Map<string, number>();
    for (const { answer } of Object.values(held)) counts.set(plain(answer), (counts.get(plain(answer)) ?? 0) + 1);
    const share = Math.max(0, ...counts.values()) / Math.max(1, Object.keys(held).length);
    return { name: time === 0 ? "opening" : time === Infinity ? "closing" : `round ${time}`, held, unread, share, counts };
  });
}

/** The answers that got votes with their number, the most first: of votes that are the places of answers, -1 for none. */
export function countVotes(votes: readonly number[]): { place: number; count: number }[] {
  const places = [...new Set(votes.filter((place) => place >= 0))];
  return places
    .map((place) => ({ place, count: votes.filter((each) => each === place).length }))
    .sort((one, other) => other.count - one.count || one.place - other.place);
}
