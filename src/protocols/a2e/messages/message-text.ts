// Changes members of a message in its text. All other bytes stay as the peer wrote them: a number in an argument keeps all of its digits.
import { eachMember } from "../../../base/json-members.js";

/** Replaces the values of top-level members of `text`, the JSON of an object, and adds those that it lacks. Linear in the text. */
export function withMembers(text: string, replacements: Readonly<Record<string, string>>): string {
  const missing = new Map(Object.entries(replacements));
  let written = "";
  let from = 0;
  eachMember(text, (name, start, end) => {
    const value = missing.get(name);
    if (value === undefined) return "go on";
    missing.delete(name);
    written += text.slice(from, start) + JSON.stringify(value);
    from = end;
    return missing.size === 0 ? "enough" : "go on";
  });
  const rest = text.slice(from);
  if (missing.size === 0) return written + rest;
  const closing = rest.lastIndexOf("}");
  const added = [...missing].map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join("");
  return written + rest.slice(0, closing) + added + rest.slice(closing);
}
