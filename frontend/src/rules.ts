// How counting rules are said. Their words are generated: scripts/generate_docs.py.
import RULES from "./rules.json";

/** A counting rule in words. */
export function rule(name: string): string {
  return (RULES as Record<string, string>)[name] ?? name.replaceAll("_", " ");
}
