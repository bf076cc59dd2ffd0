// Names of tools in the form that AAEP's events demand. The texts of an event have the name as the agent wrote it.

const LONGEST_NAME = 256;

/** A letter or underscore, then letters, digits, underscores, dots and hyphens: everything else becomes an underscore, and "/" a dot. */
export function toolNameOf(name: string): string {
  return name
    .replaceAll("/", ".")
    .replace(/[^\w.-]/g, "_")
    .replace(/^(?![A-Za-z_])/, "_")
    .slice(0, LONGEST_NAME);
}
