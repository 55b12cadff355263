// Which models may be chosen, the likeliest first.
import type { Models } from "./api";

export interface Choice {
  value: string;
  about: string;
}

/** How the form says `human`. */
export const PERSON = "a person";
export const BUILTIN = "builtin:quotes";

export function choices(models: Models): Choice[] {
  const found = models.models.filter((each) => each !== BUILTIN).map((value) => ({ value, about: "in reach" }));
  found.push({ value: BUILTIN, about: "built in: quotes the background, no language model" });
  found.push({ value: PERSON, about: "who is asked on the debate's page" });
  return found;
}
