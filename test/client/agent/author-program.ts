// A program of an author's: a module that imports `aaepd` as a project that depends on it does.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { ensureBuilt } from "../../support/built.js";
import { type Program, startProgram } from "../../support/peers/program.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export interface AuthorProgram extends Pick<Program, "child" | "stdoutLines"> {
  readonly out: () => string;
  /** Writes the line that a program may wait for. */
  readonly goOn: () => void;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** Waits for a line of input, and then leaves the input alone. */
export const WAITS = `
  await (await import("node:events")).once(process.stdin, "data");
  process.stdin.destroy();`;

/** `others`: modules beside it, by their names. `name`: the file of the program itself. */
export function startAuthorProgram(
  source: string,
  environment: Readonly<Record<string, string>> = {},
  others: Readonly<Record<string, string>> = {},
  name = "agent.mjs",
): AuthorProgram {
  ensureBuilt();
  // Inside the package, so that `aaepd` is found.
  const folder = mkdtempSync(join(ROOT, "dist", "author-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [file, text] of Object.entries({ ...others, [name]: source })) writeFileSync(join(folder, file), text);
  const entry = join(folder, name);
  const { child, stdout, stdoutLines, stderr, ended } = startProgram([], { entry, environment });
  return {
    child,
    stdoutLines,
    out: stdout,
    goOn: () => void child.stdin.write("\n"),
    ended: ended.then(({ code }) => ({ code, out: stdout(), err: stderr() })),
  };
}
