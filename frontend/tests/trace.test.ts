import { describe, expect, it } from "vitest";
import { parts, titles } from "../src/trace";

const names = (phases: [string, number][], wide = 500): string[] => titles(phases.map(([name, at]) => ({ name, at })), wide).map((each) => each.name);

describe("the names above phases", () => {
  it("are whole where there is room", () => {
    expect(names([["Opening statements", 0], ["Round 1", 200], ["Closing statements", 300]])).toEqual(["Opening statements", "Round 1", "Closing statements"]);
  });

  it("are short where a phase is, so that the next one has its name too", () => {
    expect(names([["Opening statements", 0], ["Round 1", 60], ["Round 2", 100]])).toEqual(["Opening", "1", "2"]);
  });

  it("are left out where the one before still stands or the picture ends", () => {
    expect(names([["Opening statements", 0], ["Round 1", 30], ["Round 2", 480]], 490)).toEqual(["Opening"]);
  });
});

it("the earlier turns of a prompt are a part of their own", () => {
  const earlier = "The debate so far:\n\n[Ada]:\n  You are right.\n\n[Ben]:\n  No.";
  expect(parts(`user:\nTopic: Tea?\n\n${earlier}\n\nYou are Ada.\n\nVote.`)).toEqual(["user:\nTopic: Tea?\n\n", earlier, "You are Ada.\n\nVote."]);
  expect(parts("user:\nYou are Ada.")).toEqual(["user:\nYou are Ada.", "", ""]);
});
