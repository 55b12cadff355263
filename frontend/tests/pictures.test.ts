import { describe, expect, it } from "vitest";
import { marked } from "../src/align";
import { boardOf, cell, pathTo } from "../src/board";
import type { ArgumentMap, Claim, Frame } from "../src/frames";
import { steps, traceOf } from "../src/trace";

const claim = (mark: string, by: string, round: number, stance: string): Claim =>
  ({ mark, claim: `${by} says`, made: [{ mark, by, act: "argue", round, stance }], replaced: "", by: [by], stances: [stance], standing: "in", strength: 0.5 }) as Claim;

const MAP: ArgumentMap = {
  nodes: [claim("T1", "Ada", 0, "Tea"), claim("T3", "Bo", 1, "coffee"), claim("T4", "Ada", 2, "Tea"), claim("T5", "Bo", 0, "Coffee")],
  edges: [
    { source: "T3", target: "T1", relation: "ATTACK" },
    { source: "T4", target: "T3", relation: "REBUT" },
  ],
};

describe("the board", () => {
  it("has a lane for each answer and a column for each round, and the end behind the rounds", () => {
    const board = boardOf(MAP, ["Tea", "Coffee"], [MAP.edges[1]!]);
    expect(board.lanes.map(({ name, claims, open }) => [name, claims, open])).toEqual([["Tea", 2, 0], ["Coffee", 2, 1]]);
    expect(board.columns.map(({ name, claims }) => [name, claims])).toEqual([["Opening", 1], ["Round 1", 1], ["Round 2", 1], ["Closing", 1]]);
    expect(board.cells.get(cell("Coffee", 1))!.map((each) => each.mark)).toEqual(["T3"]);
  });

  it("counts in a lane the attacks that nobody rebutted, and no other edge of the same claim", () => {
    const edges = [...MAP.edges, { source: "T4", target: "T1", relation: "SUPPORT" }];
    const { lanes } = boardOf({ ...MAP, edges }, ["Tea", "Coffee"], [MAP.edges[1]!, { source: "T4", target: "T9", relation: "ATTACK" }]);
    expect(lanes.map(({ name, open }) => [name, open])).toEqual([["Tea", 0], ["Coffee", 1]]);
  });

  it("has a lane for each person where all hold one answer", () => {
    const same = { ...MAP, nodes: MAP.nodes.map((each) => ({ ...each, made: each.made.map((made) => ({ ...made, stance: "Tea" })) })) };
    expect(boardOf(same, ["Tea"], []).lanes.map((lane) => lane.name)).toEqual(["Ada", "Bo"]);
  });

  it("knows the way to a claim, also where claims answer each other", () => {
    expect(pathTo(MAP, "T4").map((edge) => edge.source)).toEqual(["T3", "T4"]);
    expect(pathTo({ ...MAP, edges: [...MAP.edges, { source: "T1", target: "T4", relation: "ATTACK" }] }, "T4")).toHaveLength(2);
  });
});

describe("the trace", () => {
  const frames = [
    { seq: 1, at: 100, kind: "opened" },
    { seq: 2, at: 101, kind: "asked", key: "k", mark: "T1" },
    { seq: 3, at: 101, kind: "attempted", key: "k", call: "answer", by: "Ada", n: 1, model: "m", tool: "" },
    { seq: 4, at: 103, kind: "erred", key: "k", call: "answer", by: "Ada", n: 1, reason: "overloaded" },
    { seq: 5, at: 104, kind: "attempted", key: "k", call: "answer", by: "Ada", n: 2, model: "m", tool: "" },
    { seq: 6, at: 106, kind: "called", key: "k", call: "answer", by: "Ada", tokens: 9, cost: 0.5 },
    { seq: 7, at: 106, kind: "replied", turn: { key: "k", position: { answer: "Tea" } } },
  ] as unknown as Frame[];

  it("has a bar for each try, with what came of it", () => {
    const { bars, spent, seconds } = traceOf(frames);
    expect(bars.map(({ mark, from, to, ok, answer }) => [mark, from, to, ok, answer])).toEqual([["T1", 1, 3, false, "Tea"], ["T1", 4, 6, true, "Tea"]]);
    expect([spent.at(-1), seconds]).toEqual([{ at: 6, cost: 0.5 }, 6]);
    expect(traceOf(frames, 5).bars.at(-1)!.to).toBeNull();
  });

  it("says the round where a part and its first round begin at once", () => {
    const entered = (seq: number, path: string, phase: string, round = 0): unknown => ({ seq, at: 100 + seq, kind: "entered", path, phase, round });
    const call = (seq: number): unknown => ({ ...frames[2], seq, at: 100 + seq });
    const all = [frames[0], entered(2, "/debate/open", "Opening"), call(3), entered(4, "/debate/rounds", "The debate"), entered(5, "/debate/rounds/1", "Round 1", 1), call(6), entered(7, "/debate/rounds/2", "Round 2", 2), call(8)];
    expect(traceOf(all as Frame[]).phases).toEqual([{ name: "Opening", from: 2 }, { name: "Round 1", from: 4 }, { name: "Round 2", from: 7 }]);
  });

  it("finds round numbers for an axis", () => {
    expect([steps(57, 6), steps(0.09, 3), steps(0)]).toEqual([[0, 10, 20, 30, 40, 50], [0, 0.05], [0]]);
  });
});

it("marks the words that differ, and all of a text that is long", () => {
  expect(marked("Tea is calm.", "Tea is hot.")).toEqual([{ text: "Tea is ", marked: false }, { text: "calm.", marked: true }]);
  expect(marked("Tea", "")).toEqual([{ text: "Tea", marked: false }]);
  expect(marked("a ".repeat(700), "b")[0]!.marked).toBe(true);
});
