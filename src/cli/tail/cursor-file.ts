// The file with the cursor of `tail`, so that a later start resumes there (R17).
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isMissing } from "../../../transports/node-errors.js";
import { Fault, usage } from "../../base/errors.js";
import { writeWhole } from "../../daemon/platform/whole-file.js";
import { MOST_CURSOR_LENGTH } from "../../engine/event/cursor.js";

/**
 * Returns the cursor in the file; undefined if the file is missing or empty. Throws a Fault "usage" if the file cannot be read, holds something else,
 * or is a device or a pipe.
 */
export function readCursor(path: string): string | undefined {
  let text: string;
  try {
    // Reading a pipe would block, and the first write would replace a device by a file.
    if (!statSync(path).isFile()) throw refusal(path, "read", "it is no plain file");
    text = readFileSync(path, "utf8").trim();
  } catch (caught) {
    if (caught instanceof Fault) throw caught;
    if (!isMissing(caught)) throw refusal(path, "read", reasonOf(caught), caught);
    // A missing folder is reported at the start, not after the first event.
    if (!existsSync(dirname(path))) throw refusal(path, "written", `there is no folder ${dirname(path)}`, caught);
    return undefined;
  }
  if (text.length > MOST_CURSOR_LENGTH || /\s/.test(text))
    throw usage(`The file ${path} holds no cursor. Name another one (--cursor-file), or remove it.`);
  return text === "" ? undefined : text;
}

/** Replaces the cursor as a whole. Throws a Fault "usage" if the file cannot be written. */
export function writeCursor(path: string, cursor: string): void {
  try {
    writeWhole(path, `${cursor}\n`);
  } catch (caught) {
    throw refusal(path, "written", reasonOf(caught), caught);
  }
}

function refusal(path: string, did: string, because: string, caught?: unknown): Fault {
  return usage(`The cursor file ${path} cannot be ${did}: ${because}. Name another one (--cursor-file).`, caught);
}

function reasonOf(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught);
}
