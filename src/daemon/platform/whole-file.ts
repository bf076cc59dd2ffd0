// Replaces files as a whole: a reader finds the old text or the new one, and a kill leaves one of the two.
import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Replaces the text of a file, with mode 0600. Throws the platform's error, and then leaves no draft. */
export function writeWhole(path: string, text: string): void {
  // Two writers may work at the same time, so each has a draft of its own.
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString("hex")}`);
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (caught) {
    rmSync(draft, { force: true });
    throw caught;
  }
}
