// The arguments of a tool in words, for the person who decides.
import { MAX_MESSAGE_DEPTH } from "./json-document.js";

/** Each argument as its name and its value in words, in the order of the host. */
export function argumentParts(given: Readonly<Record<string, unknown>>, depth = 0): readonly string[] {
  return Object.entries(given).map(([name, value]) => `${nameInWords(name)}: ${valueInWords(value, depth + 1)}`);
}

/** "old_string" and "oldString" as "old string". */
function nameInWords(name: string): string {
  return name
    .replace(/[_-]/g, " ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .trim()
    .toLowerCase();
}

function valueInWords(value: unknown, depth: number): string {
  // Nobody is asked about a message that deep.
  if (depth > MAX_MESSAGE_DEPTH) return "…";
  if (Array.isArray(value)) return value.map((one) => valueInWords(one, depth + 1)).join(", ");
  if (typeof value === "object" && value !== null)
    return argumentParts(value as Readonly<Record<string, unknown>>, depth).join("; ");
  return String(value);
}
