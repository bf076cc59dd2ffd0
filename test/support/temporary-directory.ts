import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenFinished } from "./lifetime.js";

/** A private folder with a short path, removed when the test that asked for it has finished, or all that share it. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "aaepd-"));
  whenFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
