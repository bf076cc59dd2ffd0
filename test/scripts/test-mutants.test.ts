// `npm run test:mutants`: which changes it makes, which of them a seed draws, and what it says of a small project.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { changesOf } from "../../scripts/mutants/changes.mjs";
import { createNearest } from "../../scripts/mutants/nearest.mjs";
import { reportOf } from "../../scripts/mutants/report.mjs";
import { drawn } from "../../scripts/mutants/sample.mjs";
import { withChange, withSwitches } from "../../scripts/mutants/switches.mjs";
import { itInFull } from "../support/extent.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Mutant {
  readonly start: number;
  readonly text: string;
  readonly from: string;
}

const changed = (source: string): readonly string[] =>
  changesOf(source, "a.ts").map((change) => withChange(source, change));

describe("changes", () => {
  it.each([
    ["a < b;", ["a <= b;", "a >= b;"]],
    ["(a) >= (b);", ["(a) > (b);", "(a) < (b);"]],
    ["a - b;", ["a + b;"]],
    ["a && b;", ["a || b;"]],
    ["a ?? b;", ["(b);"]],
    ["x = !a;", ["{}", "x = (a);"]],
    ["if (a) f();", ["if (!(a)) f();", "if (false) f();", "if (a) {}"]],
    ["const a = b ? c : d;", ["const a = !(b) ? c : d;", "const a = false ? c : d;"]],
    ["const a = 1;", ["const a = 2;", "const a = 0;"]],
    ["const A = 99;", ["const A = 100;", "const A = 98;"]],
    ["const A = 100;", ["const A = 200;", "const A = 50;"]],
    [
      "const A = 2 * 1024;",
      [
        "const A = 3 * 1024;",
        "const A = 1 * 1024;",
        "const A = 2 / 1024;",
        "const A = 2 * 2048;",
        "const A = 2 * 512;",
      ],
    ],
    ["a = 404;", ["{}", "a = 405;", "a = 403;"]],
    ["const a = true;", ["const a = false;"]],
    ['const a: "b" = "b";', ['const a: "b" = "";']],
    ["const a = [b];", ["const a = [];"]],
    ["const a = Math.min(b, c);", ["const a = Math.max(b, c);"]],
    ["const f = () => {\n  return;\n};", ["const f = () => {\n  {}\n};"]],
  ])("%s", (source, expected) => {
    expect(changed(source)).toEqual(expected);
  });

  it("leave alone what people read, what are types, and names", () => {
    const source = [
      'type A = "b" | 1;',
      'import { c } from "d";',
      "const e = { 'f': `two $" + "{c} words`, g: 'two words' } as { h: 'i' };",
      'export { j } from "k";',
    ].join("\n");
    expect(changed(source)).toEqual([]);
  });
});

it("each switched mutant does what its change alone does, and none of them what the source does", () => {
  const source = `function f(a, b) {
  let c = 1;
  if (!a || b?.length > 2 && a !== 3) c += 2; else c--;
  for (const d of [a, b ?? 5]) { if (d === 7) continue; c = c * 10 + Math.min(d, 4); }
  if (c > 100) throw new Error("too large");
  return [c, a ? \`one\` : "two", b?.indexOf?.(1), [2].concat(c).some((e) => e < 3)];
}
`;
  const mutants = changesOf(source, "a.ts").map((change, index) => ({ ...change, number: index + 1 }));
  const switched = withSwitches(source, mutants, "/switch.mjs").replace(/\nimport .*/, "");
  const outcomes = (text: string, active: number) => {
    const f = new Function("isMutant", `${text}\nreturn f;`)((number: number) => number === active);
    return [[], [3, [1, 1]], [0, [9, 1, 1]], [2, [1]], [7, 1], [30, 3]].map((args) => {
      try {
        return JSON.stringify(f(...args));
      } catch (caught) {
        return String(caught);
      }
    });
  };
  expect(outcomes(switched, 0)).toEqual(outcomes(source, 0));
  expect(mutants.length).toBeGreaterThan(40);
  for (const mutant of mutants)
    expect(outcomes(switched, mutant.number)).toEqual(outcomes(withChange(source, mutant), 0));
});

describe("a sample", () => {
  const sourceOf = (path: string, source: string) => ({ path, source, changes: changesOf(source, path) });
  const small = sourceOf("src/small/a.ts", "export const a = (b: number) => b < 1;\n");
  const body = Array.from({ length: 40 }, (_, index) => `  if (b === ${index}) return;\n`).join("");
  const large = sourceOf("src/large/sub/b.ts", `export function b(b: number): void {\n${body}}\n`);
  const names = (queues: ReturnType<typeof drawn>) =>
    queues.map(({ room, quota, mutants }) => [
      room,
      quota,
      mutants.map((mutant: Mutant) => `${mutant.start} ${mutant.text}`),
    ]);

  it("is the same for the same seed, and another for another", () => {
    expect(names(drawn([small, large], "1", 10))).toEqual(names(drawn([small, large], "1", 10)));
    expect(names(drawn([small, large], "2", 10))).not.toEqual(names(drawn([small, large], "1", 10)));
  });

  it("has of each room in proportion to its mutants, and of all no more than there are", () => {
    const all = small.changes.length + large.changes.length;
    const quotas = (count: number) => drawn([small, large], "1", count).map(({ quota }) => quota);
    expect(quotas(10 * all)).toEqual([large.changes.length, small.changes.length]);
    expect(quotas(41)).toEqual([40, 1]);
  });

  it("does not change with what stands elsewhere", () => {
    const more = sourceOf("src/small/a.ts", `const other = () => 5;\n${small.source}`);
    const texts = (source: typeof small) =>
      drawn([source], "1", 10).flatMap(({ mutants }) =>
        mutants.filter(({ from }: Mutant) => from.includes("a =")).map(({ text }: Mutant) => text),
      );
    expect(texts(more)).toEqual(texts(small));
  });
});

it("of the tests that import a source, its own come first, then those of its room, then the nearest", () => {
  const root = temporaryDirectory();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("src/a/b.ts", "export const b = 1;\n");
  write("src/a/c.ts", 'export { b } from "./b.js";\n');
  write("test/y/near.test.ts", 'import {\n  b,\n} from "../../src/a/b.js";\n');
  write("test/x/far.test.ts", 'const { b } = await import("../../src/a/c.js");\n');
  write("test/a/room.test.ts", 'import { b } from "../../src/a/c.js";\n');
  write("test/a/b.test.ts", 'import { b } from "../../src/a/c.js";\n');
  write("test/a/other.test.ts", 'import type { b } from "../../src/a/b.js";\n');
  write("test/support/built.ts", "export const build = 1;\n");
  write("test/a/program.test.ts", 'import { build } from "../support/built.js";\n');
  write("test/x/program.test.ts", 'import { build } from "../support/built.js";\n');
  expect(createNearest(root)("src/a/b.ts")).toEqual(
    ["a/b", "a/room", "a/program", "y/near", "x/far"].map((name) => `test/${name}.test.ts`),
  );
});

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
