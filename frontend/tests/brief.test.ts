import { expect, it } from "vitest";
import { blank, brief, draftOf, example, isBrief, leaveExample } from "../src/brief";

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

const COPY = `---
protocol: "round_robin"
rounds: 2
limits:
  cost: 0.5
---
# Tea: or coffee?

## Background

Tea is calm.

Coffee is quick.

## Options

- Tea
- Coffee

## Participants

### Ada

role: "Says \\"no\\": often"
model: "ollama:a"

### Bo

model: "human"

### Cy

model: "ollama:a"
`;

it("opens the brief of a debate as the form, where the form has fields for all of it", () => {
  const draft = draftOf(COPY)!;
  expect(draft).toEqual({
    question: "Tea: or coffee?",
    background: "Tea is calm.\n\nCoffee is quick.",
    options: "Tea\nCoffee",
    people: [
      { name: "Ada", role: 'Says "no": often', model: "" },
      { name: "Bo", role: "", model: "a person" },
      { name: "Cy", role: "", model: "" },
    ],
    protocol: "round_robin",
    rounds: 2,
    model: "ollama:a",
    cost: 0.5,
  });
  expect(draftOf(COPY.replace("round_robin", "panel"))?.protocol).toBe("");
  expect(draftOf('---\ntopic: "Rules?"\n---\n')?.question).toBe("Rules?");
  expect(draftOf(COPY.replace('model: "human"', 'model: "ollama:b"'))?.people.map((each) => each.model)).toEqual(["ollama:a", "ollama:b", "ollama:a"]);
});

it.each([
  ["a setting", COPY.replace("rounds: 2", 'rounds: 2\nstrategy: "majority"')],
  ["a limit", COPY.replace("  cost: 0.5", "  cost: 0.5\n  tokens: 900")],
  ["rules", COPY.replace("## Options", "## Rules\n\nBe brief.\n\n## Options")],
  ["headings in the background", COPY.replace("Coffee is quick.", "### Coffee\n\nIt is quick.")],
  ["a background in a block", COPY.replace("Tea is calm.", "```text\n## Tea\n```")],
  ["a persona", COPY.replace('model: "human"', 'model: "human"\n\nYou like tea.')],
  ["a weight", COPY.replace('model: "human"', 'model: "human"\nweight: 2')],
  ["no topic", COPY.replace("# Tea: or coffee?", "")],
])("leaves a brief with %s as Markdown", (_, text) => expect(draftOf(text)).toBeNull());
