// Names of tools in the form that AAEP's events demand. The texts of an event have the name as the agent wrote it.

const LONGEST_NAME = 256;

/** A letter or underscore, then letters, digits, underscores, dots and hyphens: everything else becomes an underscore, and "/" a dot. */
export function toolNameOf(name: string): string {
  const plain = name
    .slice(0, LONGEST_NAME)
    .replaceAll("/", ".")
    .replace(/[^A-Za-z0-9_.-]/g, "_");
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain.slice(0, LONGEST_NAME - 1)}`;
}
