// Who is waited for, and what is sealed until then: nobody at the table sees an answer of those asked at the same time.
import { open, type State } from "./fold";

/** The people who are waited for, by name. */
export function waited(state: State): string[] {
  return [...new Set(open(state).filter((row) => row.human).map((row) => row.by))];
}

/** The entry behind which answers are sealed: those who were asked with a person who has still to answer. */
export function seal(state: State): number {
  return open(state).reduce((first, row) => (row.human ? Math.min(first, row.asked) : first), Infinity);
}

/** A state as it is told while answers are sealed: nobody's vote and nobody's answer of that batch. */
export function sealed(state: State, from: number): State {
  if (state.seq < from) return state;
  const before = <T extends { seq: number }>(all: readonly T[]): T[] => all.filter((each) => each.seq < from);
  const stances = Object.fromEntries(Object.entries(state.stances).map(([name, held]) => [name, before(held)]));
  return { ...state, votes: before(state.votes), stances };
}
