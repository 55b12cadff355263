// Which models may be chosen, the likeliest first.
export interface Models {
  servers: { provider: string; up: boolean; models: string[] }[];
  keys: string[];
  missing: { provider: string; set: string }[];
  models: string[];
  presets?: { name: string; models: string[] }[];
  advice: string[];
}

export interface Choice {
  value: string;
  about: string;
}

/** How the form says `human`. */
export const PERSON = "a person";
export const BUILTIN = "builtin:quotes";

export function choices(models: Models): Choice[] {
  const options = models.models.filter((each) => each !== BUILTIN).map((value) => ({ value, about: "in reach" }));
  options.push({ value: BUILTIN, about: "built in: quotes the background, no language model" });
  options.push({ value: PERSON, about: "who is asked on the debate's page" });
  return options;
}
