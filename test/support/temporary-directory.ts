import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A private folder with a short path, removed when the test that asked for it has finished. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "aaepd-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
