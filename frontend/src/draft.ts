// An answer in the making, laid out as it will stand: its fields by their labels, and its Markdown as far as it is clear.
import type { Labels } from "./frames";
import { RELATIONS } from "./relations";

/** A field so far: "" before the first label. */
export interface Part {
  name: string;
  text: string;
}

export interface Span {
  is: "" | "strong" | "em" | "code";
  text: string;
}

/** A paragraph, or the items of a list. */
export interface Block {
  list: boolean;
  lines: Span[][];
}

export interface Layout {
  link: string;
  facts: [string, string][];
  texts: Part[];
}

const SHORT = 90;
const HEADLINE = 400; // of a claim, which stands above its argument
const BARE = /^[\s*_#>`<]+|[\s*_:`>]+$/g;

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The fields of a draft in their order. A label that is not whole yet is not shown. */
export function parts(draft: string, labels: Labels): Part[] {
  const names = labels.map(([name]) => name).sort((one, other) => other.length - one.length);
  if (!names.length) return [{ name: "", text: draft.trim() }];
  const known = names.map(escaped).join("|");
  const label = new RegExp(`^[\\s*_#>-]*(${known})[\\s*_]*:[*_]*[ \\t]*(.*)$`, "i");
  const lines = draft.replace(new RegExp(`</(?:${known})>`, "gi"), "\n").replace(new RegExp(`<(${known})(?:\\s[^<>]*)?>`, "gi"), "\n$1: ").split("\n");
  const last = lines.at(-1)!.replace(BARE, "").toLowerCase();
  if (last && names.some((name) => name.toLowerCase().startsWith(last))) lines.pop();
  const found: Part[] = [{ name: "", text: "" }];
  for (const line of lines) {
    const [, name, rest] = label.exec(line) ?? [];
    if (name) found.push({ name: names.find((each) => each.toLowerCase() === name.toLowerCase())!, text: rest! });
    else found.at(-1)!.text += `\n${line}`;
  }
  return found.map(({ name, text }) => ({ name, text: text.trim() })).filter(({ text }) => text);
}

/** A draft as a turn stands on the page: which turn it answers, short fields in a line, the rest as texts. */
export function layout(draft: string, labels: Labels): Layout {
  const words = new Map(labels);
  const made: Layout = { link: "", facts: [], texts: [] };
  let target = "";
  for (const { name, text } of parts(draft, labels)) {
    const called = words.get(name) ?? "";
    if (name === "TARGET") target = text === "NONE" ? "" : text;
    else if (name === "RELATION") {
      const relation = RELATIONS[text.toUpperCase()];
      if (target && relation) made.link = `${relation.sign} ${relation.word} ${target}`;
    } else if (!name) made.texts.push({ name, text });
    else if (called === "Argument" || text.length > (called === "Claim" ? HEADLINE : SHORT) || text.includes("\n"))
      made.texts.push({ name: called === "Argument" && words.has("CLAIM") ? "" : called, text });
    else made.facts.push([called, text.replace(/[*_`]+/g, "")]);
  }
  return made;
}

/** Paragraphs and lists of a text, with what is bold, leaning or code. */
export function blocks(text: string): Block[] {
  const made: Block[] = [];
  let fresh = true;
  for (const line of text.split("\n")) {
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line);
    const words = spans((item?.[1] ?? line).replace(/^#{1,6}\s+/, ""));
    const last = made.at(-1);
    if (!line.trim()) fresh = true;
    else if (last && !fresh && last.list === Boolean(item)) last.lines.push(words);
    else made.push({ list: Boolean(item), lines: [words] });
    if (line.trim()) fresh = false;
  }
  return made;
}

function spans(line: string): Span[] {
  const found = line.split(/(\*\*[^*]+\*\*|`[^`]+`|\*[^*\s][^*]*\*)/);
  return found.filter(Boolean).map((text): Span => {
    if (/^\*\*[^*]+\*\*$/.test(text)) return { is: "strong", text: text.slice(2, -2) };
    if (/^`[^`]+`$/.test(text)) return { is: "code", text: text.slice(1, -1) };
    if (/^\*[^*\s][^*]*\*$/.test(text)) return { is: "em", text: text.slice(1, -1) };
    return { is: "", text: text.replace(/\*\*/, "") };
  });
}
