// The argument map as a board: lanes are answers, columns are rounds, a claim lies where its speaker stood.
import type { ArgumentMap, Claim, Edge } from "./frames";
import { plain } from "./stances";

export interface Lane {
  /** The answer, or the person where all hold one answer. */
  name: string;
  claims: number;
  open: number;
}

export interface Board {
  lanes: Lane[];
  columns: { key: number; name: string; claims: number }[];
  /** The claims of a cell, by lane and column. */
  cells: Map<string, Claim[]>;
}

const CLOSING = 1e6;
const NONE = "no answer";

/** In which column a claim stands: 0 before the rounds, the round, or after them all. */
function column(claim: Claim, first: number): number {
  const { round, mark } = claim.made[0]!;
  return round || (number(mark) > first ? CLOSING : 0);
}

export function number(mark: string): number {
  return Number(mark.replace(/\D/g, "")) || 0;
}

export function cell(lane: string, key: number): string {
  return `${key} ${lane}`;
}

/** The board of a map. `answers` are the answers in their order; `open` the attacks that nobody rebutted. */
export function boardOf(map: ArgumentMap, answers: readonly string[], open: readonly Edge[]): Board {
  const stance = (claim: Claim): string => answers.find((text) => plain(text) === plain(claim.made[0]!.stance)) ?? NONE;
  const held = new Set(map.nodes.map(stance));
  const laned = held.size > 1 ? stance : (claim: Claim): string => claim.by[0] ?? NONE;
  const inRounds = map.nodes.filter((claim) => claim.made[0]!.round).map((claim) => number(claim.mark));
  const first = inRounds.length ? Math.min(...inRounds) : Infinity;
  const cells = new Map<string, Claim[]>();
  const lanes = new Map<string, Lane>();
  const columns = new Map<number, number>();
  if (held.size > 1) for (const text of answers) if (held.has(text)) lanes.set(text, { name: text, claims: 0, open: 0 });
  for (const claim of map.nodes) {
    const [name, key] = [laned(claim), column(claim, first)];
    const lane = lanes.get(name) ?? { name, claims: 0, open: 0 };
    lane.claims += 1;
    lanes.set(name, lane);
    columns.set(key, (columns.get(key) ?? 0) + 1);
    cells.set(cell(name, key), [...(cells.get(cell(name, key)) ?? []), claim]);
  }
  const where = new Map(map.nodes.map((claim) => [claim.mark, laned(claim)]));
  for (const { target } of open) {
    const lane = lanes.get(where.get(target) ?? "");
    if (lane) lane.open += 1;
  }
  const title = (key: number): string => (key === 0 ? "Opening" : key === CLOSING ? "Closing" : `Round ${key}`);
  return {
    lanes: [...lanes.values()].sort((one, other) => other.claims - one.claims),
    columns: [...columns.entries()].sort(([one], [other]) => one - other).map(([key, claims]) => ({ key, name: title(key), claims })),
    cells,
  };
}

/** The way that led to a claim, its beginning first: what it answers, what that answers, and so on. */
export function pathTo(map: ArgumentMap, mark: string): Edge[] {
  const path: Edge[] = [];
  const been = new Set([mark]);
  let at: string | undefined = mark;
  while (at) {
    const edge: Edge | undefined = map.edges.find((each) => each.source === at && !been.has(each.target));
    if (edge) {
      path.unshift(edge);
      been.add(edge.target);
    }
    at = edge?.target;
  }
  return path;
}
