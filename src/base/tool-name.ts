// Names of tools: in the form that AAEP's events demand, and folded for comparison. The texts of an event have the name as the agent wrote it.

/** Most UTF-16 units of a tool's name (AAEP §4.3.1). */
export const LONGEST_TOOL_NAME = 256;

/** A letter or underscore, then letters, digits, underscores, dots and hyphens: everything else becomes an underscore, and "/" a dot. */
export function toolNameOf(name: string): string {
  return name
    .slice(0, LONGEST_TOOL_NAME)
    .replaceAll("/", ".")
    .replace(/[^\w.-]/g, "_")
    .replace(/^(?![A-Za-z_])/, "_")
    .slice(0, LONGEST_TOOL_NAME);
}

/** Marks, blanks, signs, punctuation and invisible characters: hosts leave them out of a name, or take them for one another. */
const IGNORED = /[^\p{L}\p{N}]+/gu;

/**
 * Folds a name, for the question whether a host could take it for another one. Case, width, accents, blanks, punctuation and invisible characters
 * make no difference, so that rather too many names are alike than too few: `Delete_File`, `/delete-file ` and `ｄｅｌｅｔｅ．ｆｉｌｅ` are the same.
 * A name without letters and digits stays as it is, and so does one that is too long to be a tool's.
 */
export function foldedName(name: string): string {
  if (name.length > LONGEST_TOOL_NAME) return name;
  // Only in upper case are the forms of one letter alike, such as the two small forms of sigma.
  const folded = name.normalize("NFKD").replace(IGNORED, "").toUpperCase();
  return folded === "" ? name : folded;
}
