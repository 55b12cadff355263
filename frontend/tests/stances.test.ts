import { describe, expect, it } from "vitest";
import { EMPTY, type Said, type State } from "../src/fold";
import type { Decision } from "../src/frames";
import { countVotes, minority, tintAt } from "../src/stances";

type Lost = Decision["minority"][number];

/** A state in which Ada and Bo took part; of what Bo said no answer could be read. */
function state(...lost: Lost[]): State {
  const people = ["Ada", "Bo"].map((name) => ({ name }));
  const rows = [{ kind: "turn", by: "Bo", turn: { unread: [{ fields: ["ANSWER"], why: "no form", answer: true }] } } as unknown as Said];
  const stances = { Ada: [{ seq: 1, mark: "T1", round: 1, answer: "tea", confidence: null, changed: false }] };
  return { ...EMPTY, people, rows, stances, decision: { minority: lost } } as unknown as State;
}

describe("minority", () => {
  it("keeps an answer that lost, with an argument or without", () => {
    const lost = [{ answer: "coffee" }, { answer: "Ada", by: ["Ada"], argument: "Tea is calm." }];
    expect(minority(state(...lost))).toEqual(lost);
  });

  it("offers nothing of whom no answer could be read, unless somebody voted for it", () => {
    const words = { answer: "Bo", by: ["Bo"], argument: "There is nothing to say." };
    expect(minority(state(words))).toEqual([]);
    expect(minority(state({ ...words, share: 0.3 }))).toHaveLength(1);
  });

  it("offers nothing without words", () => {
    expect(minority(state({ answer: "Ada", by: ["Ada"], argument: "" }, { answer: " ", argument: " " }))).toEqual([]);
    expect(minority(EMPTY)).toEqual([]);
  });
});

describe("votes in a list", () => {
  it("are counted by the place of their answer, the most first, without those who voted for none", () => {
    expect(countVotes([2, 0, 2, -1, 1, 2, 0])).toEqual([
      { place: 2, count: 3 },
      { place: 0, count: 2 },
      { place: 1, count: 1 },
    ]);
    expect(countVotes([-1, -1])).toEqual([]);
  });

  it("have the colours of the debate's page: none for nobody, and outlines from the sixth answer on", () => {
    expect([-1, 0, 4, 5].map(tintAt)).toEqual(["", "ans-A", "ans-E", "ans-A ring"]);
  });
});
