// Where the boxes of the argument map stand: which claim hangs on which, and a tidy tree of boxes.
import type { ArgumentMap, Claim, Edge } from "./frames";

/** A claim in the tree, with the edge by which it hangs on its parent; null for a root. */
export interface Branch {
  node: Claim;
  depth: number;
  link: Edge | null;
  children: Branch[];
}

const STANDINGS: Record<string, string> = {
  in: "✓ accepted",
  out: "✗ rejected",
  undecided: "~ undecided",
  question: "? question",
};

export function standing(node: Claim): string {
  return node.replaced ? `↻ replaced by ${node.replaced}` : (STANDINGS[node.standing] ?? "");
}

/** The map as trees. A claim hangs on the first that it answers, unless that one hangs on it. */
export function forest(map: ArgumentMap): Branch[] {
  const parents = new Map<string, Edge>();
  const hangs = (mark: string, on: string): boolean => {
    let at = mark;
    while (at !== on && parents.has(at)) at = parents.get(at)!.target;
    return at === on;
  };
  const known = new Set(map.nodes.map((node) => node.mark));
  for (const edge of map.edges)
    if (known.has(edge.target) && !parents.has(edge.source) && !hangs(edge.target, edge.source))
      parents.set(edge.source, edge);
  const made = new Map<string, Branch>();
  for (const node of map.nodes)
    made.set(node.mark, { node, depth: 0, link: parents.get(node.mark) ?? null, children: [] });
  const roots: Branch[] = [];
  for (const branch of made.values()) (branch.link ? made.get(branch.link.target)!.children : roots).push(branch);
  const deepen = (branch: Branch, depth: number): void => {
    branch.depth = depth;
    for (const child of branch.children) deepen(child, depth + 1);
  };
  for (const root of roots) deepen(root, 0);
  return roots;
}

/** The edges that are no line of the tree. */
export function crossing(map: ArgumentMap, roots: readonly Branch[]): Edge[] {
  const own = new Set(flat(roots).map((branch) => branch.link));
  const known = new Set(map.nodes.map((node) => node.mark));
  return map.edges.filter((edge) => !own.has(edge) && known.has(edge.source) && known.has(edge.target));
}

/** All branches, each parent before its children; not those below a folded one. */
export function flat(roots: readonly Branch[], folded: ReadonlySet<string> = new Set()): Branch[] {
  return roots.flatMap((root) => [root, ...(folded.has(root.node.mark) ? [] : flat(root.children, folded))]);
}

/** How many claims hang below. */
export function below(branch: Branch): number {
  return branch.children.reduce((sum, child) => sum + 1 + below(child), 0);
}

/** What is folded at first: nothing in a small map, in a great one whatever hangs below the second level. */
export function foldedAtFirst(roots: readonly Branch[], many = 60): Set<string> {
  const all = flat(roots);
  if (all.length <= many) return new Set();
  return new Set(all.filter((each) => each.depth >= 1 && each.children.length > 0).map((each) => each.node.mark));
}

/**
 * The top of each box: leaves one below the other, a parent in the middle of its first and last child, never above
 * what is free.
 */
export function arrange(
  roots: readonly Branch[],
  heights: ReadonlyMap<string, number>,
  gap: number,
  folded: ReadonlySet<string> = new Set(),
): { tops: Map<string, number>; height: number } {
  const tops = new Map<string, number>();
  const free: number[] = []; // by depth: the first free y
  const high = (branch: Branch): number => heights.get(branch.node.mark) ?? 0;
  const place = (branch: Branch, from: number): void => {
    const children = folded.has(branch.node.mark) ? [] : branch.children;
    const least = Math.max(from, free[branch.depth] ?? 0);
    for (const child of children) place(child, least);
    const top = children.length ? tops.get(children[0]!.node.mark)! : least; // beside the first that answers it
    tops.set(branch.node.mark, top);
    free[branch.depth] = top + high(branch) + gap;
  };
  let from = 0;
  for (const root of roots) {
    place(root, from);
    from = Math.max(...free.map((each) => each ?? 0)); // a tree begins below all of the one before
  }
  return { tops, height: Math.max(0, from - gap) };
}

/** The map as far as it was made by the turns that are there. */
export function until(map: ArgumentMap, marks: ReadonlySet<string>): ArgumentMap {
  const nodes = map.nodes.filter((node) => node.made.some((made) => marks.has(made.mark)));
  const known = new Set(nodes.map((node) => node.mark));
  const edges = map.edges.filter(
    (edge) =>
      known.has(edge.source) && known.has(edge.target) && (!edge.turns?.length || edge.turns.some((t) => marks.has(t))),
  );
  return { ...map, nodes, edges };
}
