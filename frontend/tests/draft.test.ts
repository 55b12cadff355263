import { expect, it } from "vitest";
import { blocks, layout, parts } from "../src/draft";
import type { Labels } from "../src/frames";

const LABELS: Labels = [
  ["ANSWER", "Answer"],
  ["CLAIM", "Claim"],
  ["TARGET", "Target"],
  ["RELATION", "Relation"],
  ["ARGUMENT", "Argument"],
];
const WHOLE = "**ANSWER:** Tea\nCLAIM: Tea is *calm*.\nTARGET: T3\nRELATION: attack\nARGUMENT: It **is**:\n\n- calm\n- cheap";

it("shows the fields of a draft in words, and no label of the form", () => {
  expect(layout(WHOLE, LABELS)).toEqual({
    link: "− attacks T3",
    facts: [
      ["Answer", "Tea"],
      ["Claim", "Tea is calm."],
    ],
    texts: [{ name: "", text: "It **is**:\n\n- calm\n- cheap" }],
  });
});

it("keeps a claim above its argument, though it is long", () => {
  const claim = "Tea is calm, ".repeat(20).trim();
  expect(layout(`CLAIM: ${claim}\nARGUMENT: So it is.`, LABELS).facts).toEqual([["Claim", claim]]);
});

it("shows no label at any moment, wherever the draft is cut", () => {
  const plain = WHOLE.replaceAll("**ANSWER:**", "ANSWER:");
  for (let end = 0; end <= plain.length; end += 1) {
    const shown = JSON.stringify(layout(plain.slice(0, end), LABELS));
    expect(shown).not.toMatch(/ANSW|CLAI|TARG|RELA|ARGU/);
  }
});

it("reads fields in tags, and leaves a text without a form as it is", () => {
  expect(parts("<Content>\nGood day.</Content><Cites>", [["Content", "Content"], ["Cites", "Cites"]])).toEqual([{ name: "Content", text: "Good day." }]);
  expect(parts("NOTE: as it stands", [])).toEqual([{ name: "", text: "NOTE: as it stands" }]);
});

it("names an argument that stands alone, and keeps it out of the line of short fields", () => {
  expect(layout("ANSWER: Tea\nARGUMENT: Calm.", [["ANSWER", "Answer"], ["ARGUMENT", "Argument"]])).toEqual({
    link: "",
    facts: [["Answer", "Tea"]],
    texts: [{ name: "Argument", text: "Calm." }],
  });
});

it("parts paragraphs and lists, and shows what is bold, leaning or code", () => {
  expect(blocks("## It **is** `so`\nand *more*\n\n1. one\n2. two **half")).toEqual([
    {
      list: false,
      lines: [
        [
          { is: "", text: "It " },
          { is: "strong", text: "is" },
          { is: "", text: " " },
          { is: "code", text: "so" },
        ],
        [
          { is: "", text: "and " },
          { is: "em", text: "more" },
        ],
      ],
    },
    { list: true, lines: [[{ is: "", text: "one" }], [{ is: "", text: "two half" }]] },
  ]);
});
