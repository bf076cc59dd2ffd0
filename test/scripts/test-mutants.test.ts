// `npm run test:mutants` says of a small project which of its mutants are noticed.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { reportOf } from "../../scripts/mutants/report.mjs";
import { itInFull } from "../support/extent.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

itInFull("says of a project which mutants its tests notice, with the place of each that they do not", () => {
  const root = temporaryDirectory();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  mkdirSync(join(root, "node_modules"));
  for (const name of ["vitest", "typescript", "@typescript"])
    symlinkSync(join(ROOT, "node_modules", name), join(root, "node_modules", name));
  write("package.json", '{ "type": "module" }\n');
  const compilerOptions = { module: "nodenext", strict: true, rootDir: ".", outDir: "dist", types: [] };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }));
  const source = `export const isBelow = (value: number, limit: number): boolean => value < limit;
export const next = (value: number): number => value + 1;
export const kind: "short" = "short";
export const never = (value: number): boolean => value < 0;
`;
  write("src/room/limit.ts", source);
  write("src/room/twice.ts", "export const twice = (value: number): number => value * 2;\n");
  // What is reached while a module is loaded, directly and by a call.
  write("src/room/loaded.ts", 'const f = (): boolean => false;\nexport const loaded = [f(), "a"];\n');
  // Modules stay loaded from one run of the tests to the next.
  write("vitest.config.mjs", "export default { test: { isolate: false } };\n");
  write("test/room/runs.ts", "let count = 0;\nexport const runs = () => ++count;\n");
  write(
    "test/room/runs.test.ts",
    `import { expect, it } from "vitest";
import { twice } from "../../src/room/twice.js";
import { runs } from "./runs.js";
it("passes once in a process", () => expect([runs(), twice(0)]).toEqual([1, 0]));
`,
  );
  write(
    "test/room/edges.test.ts",
    `import { expect, it } from "vitest";
import { isBelow, next } from "../../src/room/limit.js";
import { loaded } from "../../src/room/loaded.js";
import { twice } from "../../src/room/twice.js";
it("is loaded", () => expect(loaded).toEqual([false, "a"]));
it("is not negative", () => expect(twice(0)).toBe(0));
it("is below", () => expect([1, 2, 3].map((value) => isBelow(value, 2))).toEqual([true, false, false]));
it("is a number", () => expect(typeof next(1)).toBe("number"));
`,
  );
  write(
    "test/room/limit.test.ts",
    `import { expect, it } from "vitest";
import { isBelow } from "../../src/room/limit.js";
it("fails always", () => expect(isBelow(1, 1)).toBe("sure"));
`,
  );
  const script = join(ROOT, "scripts/test-mutants.mjs");
  const run = (...more: readonly string[]) =>
    spawnSync(process.execPath, [script, "--root", root, "--seed", "1", "--slots", "1", ...more], { encoding: "utf8" });

  const first = run("--json", "--count", "50");
  const judged = JSON.parse(first.stdout) as readonly Record<string, unknown>[];
  const verdicts = judged.map(({ line, to, verdict, by }) =>
    [line, to, verdict, by].filter((one) => one !== undefined),
  );
  const test = "test/room/edges.test.ts";
  expect(verdicts).toEqual([
    [1, expect.stringContaining("value <= limit"), "noticed", test],
    [1, expect.stringContaining("value >= limit"), "noticed", test],
    [2, expect.stringContaining("value - 1"), "survived"],
    [2, expect.stringContaining("value + 0"), "survived"],
    [2, expect.stringContaining("value + 2"), "survived"],
    [4, expect.stringContaining("value <= 0"), "unreached"],
    [4, expect.stringContaining("value >= 0"), "unreached"],
    [4, expect.stringContaining("value < 1"), "unreached"],
    [1, expect.stringContaining("true"), "noticed", test],
    [2, expect.stringContaining("= []"), "noticed", test],
    [2, expect.stringContaining('""'), "noticed", test],
    // Of another file, judged in between: a mutant is over when the next one begins.
    [1, expect.stringContaining("value / 2"), "survived"],
    [1, expect.stringContaining("value * 1"), "survived"],
    [1, expect.stringContaining("value * 3"), "survived"],
  ]);
  expect(first.status).toBe(1);
  expect(first.stderr).toContain("test/room/limit.test.ts fails without any mutant");

  const report = reportOf(judged);
  expect(report).toMatch(/^src\/room +5 +6 +3$/m);
  expect(report).toContain(
    "src/room/limit.ts:2 is noticed by none of 1 test files\n  - export const next = (value: number): number => value + 1;\n  + export const next = (value: number): number => value - 1;\n",
  );
  expect(report).toMatch(/^noticed 5 of 14 \(35\.7 %\)$/m);

  expect(readFileSync(join(root, "src/room/limit.ts"), "utf8")).toBe(source);
  expect(readdirSync(root).sort()).toEqual([
    "node_modules",
    "package.json",
    "src",
    "test",
    "tsconfig.json",
    "vitest.config.mjs",
  ]);
});
