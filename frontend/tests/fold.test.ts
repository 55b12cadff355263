import { describe, expect, it } from "vitest";
import { EMPTY, fold, foldTo, gap, join, open, type Said } from "../src/fold";
import type { Frame, Turn } from "../src/frames";

const PEOPLE = ["Ada", "Bo"].map((name) => ({
  name,
  role: "",
  duty: "debater" as const,
  seat: "m:x",
  human: false,
  weight: null,
}));

function turn(key: string, by: string, more: Partial<Turn> = {}): Turn {
  const place = { key, mark: `T${key}`, by, act: "argument", round: 1, role: "", moderator: false };
  const said = { on: [], link: null, facts: [], long: [], text: "words", html: "<p>words</p>", private: false };
  return { ...place, ...said, model: "m:x", served: "m:x", seconds: 1, tokens: 3, cost: 0, ...more } as Turn;
}

/** Frames from bodies: seq and time are put on. */
function frames(...bodies: object[]): Frame[] {
  return bodies.map((body, n) => ({ seq: n + 1, at: 100 + n, name: "", ...body })) as Frame[];
}

const OPENED = { kind: "opened", topic: "Q?", protocol: "panel", rounds: 2, options: [], sources: [], limits: {} };
const asked = (key: string, by: string): object => ({
  ...{ kind: "asked", key, mark: `T${key}`, by, act: "argument", round: 1, human: false, private: false },
});
const START = [
  { ...OPENED, participants: PEOPLE, forked: "" },
  { kind: "entered", path: "/debate", phase: "The debate", round: 0 },
  { kind: "entered", path: "/debate/rounds/round-1", phase: "Round 1", round: 1 },
  asked("1", "Ada"),
  asked("2", "Bo"),
];

function said(state: { rows: readonly unknown[] }, key: string): Said {
  return (state.rows as Said[]).find((row) => row.id === key)!;
}

describe("fold", () => {
  it("keeps turns in the order of asking, whoever answers first", () => {
    const made = foldTo(frames(...START, { kind: "replied", turn: turn("2", "Bo") }, { kind: "replied", turn: turn("1", "Ada") }));
    expect(made.rows.map((row) => row.id)).toEqual(["s3", "1", "2"]);
    expect(open(made)).toEqual([]);
  });

  it("says who is speaking, and nobody speaks when all is over", () => {
    const made = foldTo(frames(...START));
    expect(open(made).map((row) => row.by)).toEqual(["Ada", "Bo"]);
    const closed = fold(made, { seq: 6, at: 1, name: "", kind: "closed", status: "decided", reason: "r" });
    expect([closed.status, open(closed)]).toEqual(["decided", []]);
  });

  it("changes nothing that it is given, and takes each frame once", () => {
    const all = frames(...START, { kind: "replied", turn: turn("1", "Ada") });
    const before = foldTo(all, 5);
    const kept = structuredClone(before);
    const after = fold(before, all[5]!);
    expect(before).toEqual(kept);
    expect(fold(after, all[5]!)).toBe(after);
    expect(foldTo(all, 5, EMPTY)).toEqual(before);
  });

  it("joins pieces, and makes them void when a try errs", () => {
    let made = foldTo(frames(...START));
    made = join(made, ["Hel", "lo"].map((text) => ({ kind: "delta", key: "1", text })));
    expect(said(made, "1").draft).toBe("Hello");
    expect(join(made, [{ kind: "delta", key: "none", text: "x" }])).toEqual(made);
    expect(said(gap(gap(made)), "1").draft).toBe("Hello … ");
    expect(said(gap(made), "2")).toBe(said(made, "2"));
    const erred: Frame = { ...{ seq: 6, at: 1, name: "", kind: "erred", key: "1", call: "answer" }, by: "Ada", n: 1, error: "timeout", reason: "no answer in 2 s", line: "attempt 1 failed: no answer in 2 s" };
    const after = fold(made, erred);
    expect([said(after, "1").draft, said(after, "1").troubles]).toEqual(["", ["attempt 1 failed: no answer in 2 s"]]);
  });

  it("keeps stances with who changed, votes, ticks and what was spent", () => {
    const called = { kind: "called", key: "1", call: "answer", by: "Ada", model: "m:x", tool: "", sources: [] };
    const made = foldTo(
      frames(
        ...START,
        { ...called, tokens: 10, cost: 0.5 },
        { ...called, tokens: 5, cost: null, estimated: true },
        { ...called, tool: "search", tokens: 0, cost: 0 },
        { kind: "replied", turn: turn("1", "Ada", { position: { answer: "yes", confidence: 0.7, changed: true } }) },
        { kind: "replied", turn: turn("2", "Bo", { ballot: { choice: ["no"] } }) },
        { kind: "ruled", decision: { how: "by lot", status: "decided" } },
      ),
    );
    expect(made.stances["Ada"]).toMatchObject([{ answer: "yes", confidence: 0.7, changed: true, round: 1 }]);
    expect(made.votes).toMatchObject([{ by: "Bo", choice: "no" }]);
    expect(made.spent).toEqual([{ by: "Ada", round: 1, tokens: 15, cost: null, estimated: true, calls: 2 }]);
    expect(made.ticks.map((tick) => tick.what)).toEqual(["round", "vote", "decision"]);
    expect(foldTo(frames(...START), 2).round).toBe(0);
  });

  it("shows failures, pauses and what is said from outside", () => {
    const failed = { ...asked("1", "Ada"), kind: "failed", error: "timeout", reason: "too late", line: "no answer: timeout: too late" };
    const made = foldTo(
      frames(
        ...START,
        failed,
        { kind: "paused", status: "limit", reason: "out of tokens", line: "paused: out of tokens: folkmoot answer d-1" },
        { kind: "resumed", by: "owner", line: "resumed by owner" },
        { kind: "interjected", turn: turn("said#1", "You", { outside: true }) },
      ),
    );
    expect(said(made, "1")).toMatchObject({ state: "failed", reason: "no answer: timeout: too late" });
    expect(made.rows.filter((row) => row.kind === "line").map((row) => row.kind === "line" && row.text)).toEqual([
      "Paused: out of tokens",
      "Resumed by owner",
    ]);
    expect(made.status).toBe("running");
    expect(made.rows.at(-1)).toMatchObject({ state: "done", by: "You" });
  });

  it("folds 5,000 frames in not much more time than it takes to copy them", () => {
    const bodies: object[] = [...START];
    for (let n = 3; bodies.length < 5000; n += 1) {
      bodies.push(asked(`${n}`, n % 2 ? "Ada" : "Bo"));
      const key = { key: `${n}`, call: "answer", by: "Ada", model: "m:x", tool: "" };
      bodies.push({ kind: "attempted", ...key, n: 1 }, { kind: "called", ...key, tokens: 9, cost: 0, sources: [] });
      bodies.push({ kind: "replied", turn: turn(`${n}`, "Ada", { position: { answer: "yes", changed: false } }) });
    }
    const all = frames(...bodies);
    foldTo(all);
    const least = (work: () => void) =>
      Math.min(
        ...Array.from({ length: 7 }, () => {
          const begun = performance.now();
          work();
          return performance.now() - begun;
        }),
      );
    // A slow or busy machine takes longer for both.
    const copying = least(() => void JSON.parse(JSON.stringify(all)));
    expect(least(() => expect(foldTo(all).seq).toBe(all.length))).toBeLessThan(20 * copying);
  });
});
