// Reads a path of an option. No shell replaces anything in the file, in most variables, behind `=`, or between quotes.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { given, type ReadValue, refused } from "./read-value.js";

const WANTED = "a path without variables, in which ~/ at the beginning means your home folder";

/**
 * Returns the absolute path of `text`, in which `~/` at the beginning means the home folder. Variables and homes of other users are refused, because
 * folders of these names would appear. `wanted`: the accepted values, for a text that is no path at all.
 */
export function readPath(text: string, wanted: string): ReadValue<string> {
  if (text === "" || text.includes("\0")) return refused(wanted);
  const isInHome = /^~(?:$|[/\\])/.test(text);
  const rest = isInHome ? text.slice(1) : text;
  if (rest.startsWith("~") || /(?:^|[/\\])\$/.test(rest)) return refused(WANTED);
  return given(isInHome ? join(homedir(), rest) : resolve(rest));
}
