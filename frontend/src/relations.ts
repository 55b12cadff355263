// Relations between claims, as people see them.

/** Relations as people see them: a sign, a word; the dash of the line has the same name in the style sheet. */
export const RELATIONS: Record<string, { sign: string; word: string }> = {
  SUPPORT: { sign: "+", word: "supports" },
  ATTACK: { sign: "−", word: "attacks" },
  REBUT: { sign: "≠", word: "rebuts" },
  QUESTION: { sign: "?", word: "asks about" },
  ANSWER: { sign: "→", word: "answers" },
};
