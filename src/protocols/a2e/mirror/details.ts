// The arguments of a call that a text may show. No argument is shown unless the configuration names it. No value of an argument is in an event unless
// the configuration names the argument, because arguments hold secrets.
import { ownMember } from "../../../base/members.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { A2eMessage } from "../messages/message.js";

/** Most arguments in a text, and most UTF-16 units of each value. */
const MOST_DETAILS = 8;
const LONGEST_VALUE = 200;

/** The shown arguments, as in "city: Lagos, days: 3"; undefined if there are none. Objects and lists are not shown. */
export function detailsOf(given: A2eMessage | undefined, shown: ReadonlySet<string>): string | undefined {
  if (given === undefined || shown.size === 0) return undefined;
  const details: string[] = [];
  for (const name of shown) {
    const value = ownMember(given, name);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue;
    details.push(`${name}: ${shortenedText(String(value), LONGEST_VALUE)}`);
    if (details.length === MOST_DETAILS) break;
  }
  return details.length === 0 ? undefined : details.join(", ");
}
