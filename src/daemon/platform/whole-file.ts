// Replaces files as a whole: a reader finds the old text or the new one, and a kill leaves one of the two.
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Replaces the text of a file, by default with mode 0600 and this user as its owner. Throws the platform's error, and then leaves no draft. */
export function writeWhole(
  path: string,
  text: string,
  mode?: number,
  owner?: { readonly uid: number; readonly gid: number },
): void {
  // Two writers may work at the same time, so each has a draft of its own.
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString("hex")}`);
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
    const made = owner && statSync(draft);
    if (owner !== undefined && (owner.uid !== made?.uid || owner.gid !== made?.gid))
      chownSync(draft, owner.uid, owner.gid);
    // Some file systems, as that of a stick, have no modes.
    if (mode !== undefined) chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (caught) {
    rmSync(draft, { force: true });
    throw caught;
  }
}
