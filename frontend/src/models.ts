// Which models may be chosen, the likeliest first.
export interface Models {
  servers: { provider: string; up: boolean; models: string[] }[];
  keys: string[];
  missing: { provider: string; set: string }[];
  models: string[];
  presets?: { name: string; models: string[] }[];
  advice: string[];
  offers?: Offer[];
}

interface Offer {
  model: string;
  reach: "answers" | "key" | "built_in";
  input_price: number | null;
  output_price: number | null;
}

export interface Choice {
  value: string;
  about: string;
}

/** How the form says `human`. */
export const PERSON = "a person";
export const BUILTIN = "builtin:quotes";

export function choices(models: Models): Choice[] {
  const offers = models.offers ?? [];
  const options = offers.filter((each) => each.reach === "answers").map((each) => ({ value: each.model, about: `connected; ${priced(each)}` }));
  options.push({ value: BUILTIN, about: "built in: quotes the background, no language model" });
  options.push(...offers.filter((each) => each.reach === "key").map((each) => ({ value: each.model, about: `a key is set; ${priced(each)}` })));
  options.push({ value: PERSON, about: "answers on the debate's page" });
  return options;
}

const dollars = (each: number): string => `$${each.toLocaleString("en", { maximumFractionDigits: 3 })}`;

function priced(offer: Offer): string {
  if (offer.input_price === null || offer.output_price === null) return "price unknown";
  if (!offer.input_price && !offer.output_price) return "free";
  return `${dollars(offer.input_price)} for a million tokens in, ${dollars(offer.output_price)} out`;
}
