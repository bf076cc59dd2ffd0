// `npm run functions`: how lines are counted, and what of a change is a failure.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { functionsIn } from "../../scripts/functions/measure.mjs";

const CHECK = fileURLToPath(new URL("../../scripts/check-functions.mjs", import.meta.url));

const long = (name: string, lines: number): string =>
  `export function ${name}() {\n${"  called();\n".repeat(lines - 2)}}\n`;

it("counts lines of code, and names functions by those that they are in", () => {
  const source = `// A comment.
export class Cup {
  /** Fills it. */
  fill(): void {
    // Why.

    each(() => {
      pour();
    });
    each((one) => {
      sip(one);
    });
  }
}
`;
  expect([...functionsIn(source, "cup.ts")]).toEqual([
    ["Cup.fill", { line: 4, length: 8 }],
    ["Cup.fill.each", { line: 7, length: 3 }],
    ["Cup.fill.each#2", { line: 10, length: 3 }],
  ]);
});

it("fails where a change makes a function longer than 80 lines, or longer still, and lists what was long before", () => {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-functions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...argv: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...argv], { cwd: folder }).toString();
  const write = (...functions: readonly string[]): void =>
    writeFileSync(join(folder, "src/a.ts"), functions.join("\n"));
  const check = () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CHECK], { cwd: folder, encoding: "utf8" });
    return { code: status, out: stdout, err: stderr };
  };
  mkdirSync(join(folder, "src"));
  git("init", "-q", "-b", "main");
  write(long("old", 90), long("short", 80));
  git("add", ".");
  git("commit", "-qm", "first");
  git("checkout", "-qb", "work");
  expect(check().out).toContain("nothing to compare with");
  git("commit", "-qm", "nothing", "--allow-empty");
  expect(check()).toEqual({ code: 0, out: "functions: none has become longer than 80 lines\n", err: "" });
  write(long("old", 89), long("short", 80));
  expect(check()).toMatchObject({ code: 0, out: expect.stringContaining("old has 89 lines of code, as before\n") });
  write(long("old", 91), long("short", 81), long("fresh", 81));
  const { code, err } = check();
  expect(code).toBe(1);
  expect(err.split("\n").map((line) => line.split(" ")[2])).toEqual(["old", "short", "fresh", undefined]);
});
