// From the form of the first page to a brief in Markdown, as in a file.
import { store, stored } from "./stored";

export interface Draft {
  question: string;
  background: string;
  options: string;
  people: { name: string; role: string; model: string }[];
  protocol: string;
  rounds: number | null;
  model: string;
  cost: number | null;
}

export const SUGGESTED: { name: string; role: string }[] = [
  { name: "Advocate", role: "Speaks for what can be gained" },
  { name: "Skeptic", role: "Looks for what can go wrong" },
  { name: "Pragmatist", role: "Asks what can be done with the means at hand" },
  { name: "Treasurer", role: "Watches what it costs, now and later" },
  { name: "User", role: "Speaks for those who have to live with it" },
  { name: "Engineer", role: "Knows how it would be built and kept running" },
  { name: "Lawyer", role: "Sees what is allowed and who is liable" },
  { name: "Historian", role: "Remembers how like cases went" },
];

const EXAMPLE = {
  question: "Should our team take Fridays off?",
  options: ["Fridays off", "Five days", "A trial of three months"],
  people: {
    Advocate: "Argues for Fridays off: rest, and people who stay",
    Skeptic: "Argues for five days: clinics must reach somebody",
    Pragmatist: "Argues for a trial: numbers before opinions",
    Treasurer: "Watches what it costs, now and later",
  },
  background: [
    "We are twelve people who write software for clinics; pay would stay the same.",
    "Fridays off would give everybody a longer rest, and three of our best people say that they would stay for it.",
    "Last spring we missed two deadlines because four people were ill from overwork.",
    "Of nine companies like ours that took Fridays off, seven kept their output and two went back.",
    "Five days keep somebody at the phone: clinics pay us for an answer within two hours.",
    "One call in six comes on a Friday, and each late answer costs a penalty of 500 dollars.",
    "Two large releases are due by autumn, and with five days they are safe.",
    "A trial of three months costs little, and shows by numbers whether calls and releases suffer.",
    "A trial with two groups, off on Friday and on Monday in turn, keeps somebody there every day.",
    "Whoever ends a trial early disappoints people: one company lost two of them.",
  ],
};

/** A new draft: the first three of those suggested. */
export function blank(): Draft {
  const people = SUGGESTED.slice(0, 3).map((each) => ({ ...each, model: "" }));
  const texts = { question: "", background: "", options: "", protocol: "", model: "" };
  return { ...texts, people, rounds: null, cost: null };
}

/** A draft that debates well as it stands, also without a language model: it has answers that the people part over. */
export function example(): Draft {
  const model = "";
  const [question, options, background] = [EXAMPLE.question, EXAMPLE.options.join("\n"), EXAMPLE.background.join("\n")];
  const people = Object.entries(EXAMPLE.people).map(([name, role]) => ({ name, role, model }));
  return { ...blank(), question, background, options, people, protocol: "round_robin", rounds: 1 };
}

/** Takes out of a draft what still is the example's: another question was asked. */
export function leaveExample(draft: Draft): void {
  const [old, none] = [example(), blank()];
  if (draft.background === old.background) draft.background = none.background;
  if (draft.options === old.options) draft.options = none.options;
  if (draft.protocol === old.protocol) draft.protocol = none.protocol;
  if (draft.rounds === old.rounds) draft.rounds = none.rounds;
  const told = (people: Draft["people"]): string => JSON.stringify(people.map(({ name, role }) => [name, role]));
  if (told(draft.people) === told(old.people)) draft.people = none.people;
}

/** Whether a text is a whole brief rather than a question: it has a header, or sections. */
export function isBrief(text: string): boolean {
  return /^\uFEFF?\s*---[ \t]*\r?\n/.test(text) || /^## \S/m.test(text);
}

/** A model as a brief names it. */
const seat = (text: string): string => (/^(a )?(person|human)$/i.test(text.trim()) ? "human" : quoted(text));
const quoted = (text: string): string => JSON.stringify(text.replace(/\s+/g, " ").trim());

/** The brief in Markdown; "" where nothing was asked yet. */
export function brief(draft: Draft): string {
  const question = draft.question.trim();
  if (!question) return "";
  const [first = "", ...rest] = question.split("\n");
  const head = [`topic: ${quoted(first)}`];
  if (draft.protocol) head.push(`protocol: ${draft.protocol}`);
  if (draft.rounds) head.push(`rounds: ${draft.rounds}`);
  if (draft.model.trim()) head.push(`model: ${seat(draft.model)}`);
  const options = draft.options.split("\n").filter((each) => each.trim());
  if (options.length) head.push("options:", ...options.map((each) => `  - ${quoted(each)}`));
  const people = draft.people.filter((each) => each.name.trim());
  if (people.length) head.push("participants:");
  for (const each of people) {
    head.push(`  - name: ${quoted(each.name)}`);
    if (each.role.trim()) head.push(`    role: ${quoted(each.role)}`);
    if (each.model.trim()) head.push(`    model: ${seat(each.model)}`);
  }
  if (draft.cost !== null) head.push("limits:", `  cost: ${draft.cost}`);
  const body = [rest.join("\n").trim(), draft.background.trim()].filter(Boolean).join("\n\n");
  return `---\n${head.join("\n")}\n---\n${body ? `\n${body}\n` : ""}`;
}

/** The value of a line such as `rounds: 3`; undefined where it is no such line. */
function valued(line: string): [string, unknown] | undefined {
  const [, name, value] = /^(\w+): (.+)$/.exec(line) ?? [];
  try {
    return name ? [name, JSON.parse(value!)] : undefined;
  } catch {
    return undefined;
  }
}

/** The settings in these lines, if all of them are among those of the form; null otherwise. */
function settings(lines: readonly string[], known: readonly string[]): Record<string, unknown> | null {
  const found: Record<string, unknown> = {};
  for (const line of lines) {
    const pair = line === "limits:" ? (["limits", ""] as const) : valued(line.trim());
    if (!pair || !known.includes(pair[0])) return null;
    found[pair[0]] = pair[1];
  }
  return found;
}

/** A brief as the server writes it, as a draft; null where it has more than the form has fields for. */
export function draftOf(markdown: string): Draft | null {
  const [, front = "", body = ""] = /^(?:---\n([^]*?)\n---\n)?([^]*)$/.exec(markdown) ?? [];
  const head = settings(front.split("\n").filter(Boolean), ["topic", "protocol", "rounds", "limits", "cost"]);
  const draft: Draft = { ...blank(), people: [] };
  if (!head) return null;
  const parts = body.split(/^## /m);
  const title = /^# (.+)\s*$/.exec(parts.shift()!.trim())?.[1] ?? head["topic"];
  if (typeof title !== "string") return null;
  for (const part of parts) {
    const at = part.indexOf("\n");
    const [name, text] = [part.slice(0, at), part.slice(at).trim()];
    if (name === "Background" && !/^(#|```)/m.test(text)) draft.background = text;
    else if (name === "Options") draft.options = text.replace(/^- /gm, "");
    else if (name === "Participants") {
      for (const person of text.split(/^### /m).slice(1)) {
        const [who = "", ...lines] = person.split("\n").filter((each) => each.trim());
        const own = settings(lines, ["role", "model"]);
        if (!own) return null;
        const model = String(own["model"] ?? "");
        draft.people.push({ name: who.trim(), role: String(own["role"] ?? ""), model: model === "human" ? "a person" : model });
      }
    } else return null;
  }
  const models = new Set(draft.people.map((each) => each.model).filter((model) => model !== "a person"));
  if (models.size === 1) {
    draft.model = [...models][0]!;
    for (const each of draft.people) if (each.model === draft.model) each.model = "";
  }
  const [protocol, rounds, cost] = [head["protocol"], head["rounds"], head["cost"]];
  return { ...draft, question: title, protocol: protocol === "panel" ? "" : String(protocol ?? ""), rounds: rounds ? Number(rounds) : null, cost: cost === undefined ? null : Number(cost) };
}

const KEY = "folkmoot-draft";

/** What was typed and not started, kept in this browser. */
export interface StoredDraft {
  draft: Draft;
  written: string | null;
}

export function storedDraft(): StoredDraft | null {
  const kept = stored<StoredDraft>(KEY);
  return kept && { draft: { ...blank(), ...kept.draft }, written: kept.written };
}

/** Keep a draft; null, or one that is still the example, forgets it. */
export function storeDraft(kept: StoredDraft | null): void {
  const same = (draft: Draft): string => brief({ ...draft, model: "" });
  store(KEY, kept?.written === null && same(kept.draft) === same(example()) ? null : kept);
}
