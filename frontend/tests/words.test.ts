import { expect, test } from "vitest";
import { ago } from "../src/listed";
import { percent, span } from "../src/words";
import DURATIONS from "./durations.json";

test.each(DURATIONS as [number, string][])("%s seconds are %s, as in Python", (seconds, words) => {
  expect(span(seconds)).toBe(words);
});

test("a share has its sign beside the number", () => {
  expect([0.625, 0.5, 1].map(percent)).toEqual(["63%", "50%", "100%"]);
});

test("how long ago says the greatest unit", () => {
  expect([30, 90, 7300, 90_061].map((gone) => ago(0, gone))).toEqual(["just now", "1 min ago", "2 h ago", "1 day ago"]);
});
