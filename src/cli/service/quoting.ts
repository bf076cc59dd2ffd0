// The spellings of texts in the files of service managers.
import { usage } from "../../base/errors.js";

/** A text as a value of a unit of systemd. `%` begins a specifier there. Throws a Fault "usage" for a text of several lines. */
export function systemdValue(text: string): string {
  return inOneLine(text).replaceAll("%", "%%");
}

/** A text as one word of a command line of systemd whose variables are not replaced (`ExecStart=:`). */
export function systemdWord(text: string): string {
  const value = systemdValue(text);
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** A text as the content of an element of XML. */
export function xmlText(text: string): string {
  return inOneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function inOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw usage(`A service cannot name ${JSON.stringify(text)}. Move it to a path without control characters.`);
}
