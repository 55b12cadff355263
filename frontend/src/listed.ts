// What only lists say: how long ago something was, and how many votes decided.
import { moment, span } from "./words";

export function ago(at: number, now = Date.now() / 1000): string {
  const gone = now - at;
  return gone < 60 ? "just now" : gone < 7 * 86_400 ? `${span(gone).split(" ").slice(0, 2).join(" ")} ago` : moment(at);
}

/** The votes for the winner as they were counted, "5 of 8"; "" where the reason of a decision names none. */
export function votes(reason: string): string {
  return / has (\d[\d.]* of \d+)(?=$|[;,.])/.exec(reason)?.[1] ?? "";
}
