import { expect, it } from "vitest";
import { blank, brief, example, isBrief, leaveExample } from "../src/brief";

it("writes a brief that holds what was said, and nothing that was left open", () => {
  expect(brief(blank())).toBe("");
  const people = [{ name: "Ada", role: 'Says "no": often', model: "ollama:a" }, { name: " ", role: "", model: "" }];
  const draft = { ...blank(), question: "Build: or buy?\nWe are eight.", options: "build\n\nbuy", people, cost: 0.5 };
  expect(brief(draft)).toBe(`---
topic: "Build: or buy?"
options:
  - "build"
  - "buy"
participants:
  - name: "Ada"
    role: "Says \\"no\\": often"
    model: "ollama:a"
limits:
  cost: 0.5
---

We are eight.
`);
});

it("comes with an example, of which nothing stays once something else is asked", () => {
  const text = brief(example());
  for (const each of ["topic: ", "options:", "participants:", "Fridays"]) expect(text).toContain(each);
  const draft = { ...example(), question: "Tea or coffee?", model: "ollama:a", cost: 0.5 };
  leaveExample(draft);
  expect(draft).toEqual({ ...blank(), question: "Tea or coffee?", model: "ollama:a", cost: 0.5 });
});

it("keeps what was changed of the example", () => {
  const people = example().people.slice(0, 2);
  const draft = { ...example(), question: "", options: "tea\ncoffee", people, rounds: 3 };
  leaveExample(draft);
  expect(draft).toEqual({ ...blank(), options: "tea\ncoffee", people, rounds: 3 });
});

it.each([
  ["---\ntopic: x\n---\n", true],
  ["\uFEFF--- \r\nrounds: 1\r\n---\r\n# x\r\n", true],
  ["# A title\n\n## Ada\nFor it.", true],
  ["Tea or coffee?\n\n# 1 is tea\n### no", false],
  ["----\na line above", false],
  ["Is a --- in a question fine?", false],
])("tells a whole brief from a question: %j", (text, whole) => expect(isBrief(text)).toBe(whole));
