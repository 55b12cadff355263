import { describe, expect, it } from "vitest";
import type { ArgumentMap } from "../src/frames";
import { arrange, below, crossing, flat, foldedAtFirst, forest, until } from "../src/layout";

/** A map from "child>parent" edges; claims are made by the turns of their marks. */
function map(...edges: string[]): ArgumentMap {
  const pairs = edges.map((edge) => edge.split(">") as [string, string]);
  const marks = [...new Set(pairs.flatMap(([child, parent]) => [parent, child]))].filter(Boolean);
  const nodes = marks.map((mark) => ({
    ...{ mark, claim: mark, replaced: "", by: ["Ada"], stances: [], standing: "in", strength: null },
    made: [{ mark, by: "Ada", act: "argue", round: 1, stance: "" }],
  }));
  const made = pairs.filter(([, parent]) => parent).map(([source, target]) => ({ source, target, relation: "ATTACK" }));
  return { nodes, edges: made };
}

describe("forest", () => {
  it("hangs each claim on the first that it answers, and never in a circle", () => {
    const found = map("B>A", "C>A", "C>B", "A>C");
    const roots = forest(found);
    expect(flat(roots).map((each) => [each.node.mark, each.depth])).toEqual([["A", 0], ["B", 1], ["C", 1]]);
    expect(crossing(found, roots).map((edge) => edge.source + edge.target)).toEqual(["CB", "AC"]);
    expect(below(roots[0]!)).toBe(2);
  });
});

describe("arrange", () => {
  const place = (found: ArgumentMap, high: (mark: string) => number, folded?: Set<string>) => {
    const roots = forest(found);
    const heights = new Map(found.nodes.map((node) => [node.mark, high(node.mark)]));
    const { tops, height } = arrange(roots, heights, 10, folded);
    return { roots, tops, heights, height };
  };

  it("puts a parent beside the first of its children, so that the first claim is at the top", () => {
    const { tops } = place(map("B>A", "C>A", "D>A"), () => 20);
    expect([...tops]).toEqual([["B", 0], ["C", 30], ["D", 60], ["A", 0]]);
  });

  it("lets no two boxes of a column meet, whatever their heights", () => {
    const trees = ["B>A", "C>A", "D>B", "E>B", "F>C", "G>", "H>G", "I>H", "J>H", "K>J"];
    const { roots, tops, heights, height } = place(map(...trees), (mark) => 10 + (mark.charCodeAt(0) % 5) * 23);
    for (const one of flat(roots))
      for (const other of flat(roots))
        if (one !== other && one.depth === other.depth) {
          const [a, b] = [one, other].map((each) => tops.get(each.node.mark)!) as [number, number];
          expect(a + heights.get(one.node.mark)! <= b || b + heights.get(other.node.mark)! <= a).toBe(true);
        }
    for (const each of flat(roots)) {
      expect(tops.get(each.node.mark)).toBeGreaterThanOrEqual(0);
      expect(tops.get(each.node.mark)! + heights.get(each.node.mark)!).toBeLessThanOrEqual(height);
    }
  });

  it("lets the next tree begin below a parent that is higher than its children", () => {
    const { tops, height } = place(map("B>A", "C>A", "D>"), (mark) => (mark === "A" ? 200 : 20));
    expect([tops.get("A"), tops.get("B"), tops.get("C"), tops.get("D"), height]).toEqual([0, 0, 30, 210, 230]);
  });

  it("leaves out what is folded; a great map begins folded", () => {
    const many = Array.from({ length: 80 }, (_, n) => `${n + 1}>${n}`);
    const roots = forest(map(...many));
    const folded = foldedAtFirst(roots);
    expect(flat(roots, folded).length).toBe(2);
    expect(foldedAtFirst(forest(map("B>A", "C>B"))).size).toBe(0);
    expect(place(map("B>A", "C>B"), () => 10, new Set(["B"])).tops.has("C")).toBe(false);
  });
});

describe("until", () => {
  it("keeps what had been said by then", () => {
    const made = until(map("B>A", "C>B"), new Set(["A", "B"]));
    expect([made.nodes.map((node) => node.mark), made.edges.length]).toEqual([["A", "B"], 1]);
  });
});
