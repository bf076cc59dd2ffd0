// `npm run test:mutants`: which changes it makes, which of them a seed draws, and what it says of a small project.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { withCounters } from "../../scripts/mutants/blocks.mjs";
import { changesOf } from "../../scripts/mutants/changes.mjs";
import { testsFor } from "../../scripts/mutants/reach.mjs";
import { reportOf } from "../../scripts/mutants/report.mjs";
import { drawn } from "../../scripts/mutants/sample.mjs";
import { itInFull } from "../support/extent.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Mutant {
  readonly start: number;
  readonly text: string;
  readonly block: string;
}

const changed = (source: string): readonly string[] =>
  changesOf(source, "a.ts").map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end));

describe("changes", () => {
  it.each([
    ["a < b;", ["a <= b;", "a >= b;"]],
    ["(a) >= (b);", ["(a) > (b);", "(a) < (b);"]],
    ["a - b;", ["a + b;"]],
    ["a && b;", ["a || b;"]],
    ["a ?? b;", ["(b);"]],
    ["x = !a;", [";", "x = (a);"]],
    ["if (a) f();", ["if (!(a)) f();", "if (false) f();", "if (a) ;"]],
    ["const a = b ? c : d;", ["const a = !(b) ? c : d;", "const a = false ? c : d;"]],
    ["const a = 1;", ["const a = 2;", "const a = 0;"]],
    ["const a = true;", ["const a = false;"]],
    ['const a: "b" = "b";', ['const a: "b" = "";']],
    ["const a = [b];", ["const a = [];"]],
    ["const a = Math.min(b, c);", ["const a = Math.max(b, c);"]],
    ["const f = () => {\n  return;\n};", ["const f = () => {\n  ;\n};"]],
  ])("%s", (source, expected) => {
    expect(changed(source)).toEqual(expected);
  });

  it("leave alone what people read, what are types, and names", () => {
    const source = [
      'type A = "b" | 1;',
      'import { c } from "d";',
      "const e = { 'f': `two $" + "{c} words`, g: 'two words' } as { h: 'i' };",
    ].join("\n");
    expect(changed(source)).toEqual([]);
  });
});

it("counters tell of each block whether it ran, and change nothing else", () => {
  const source = `const f = (a: number): number => (a > 1 ? a : -a);
export function g(b: number): string {
  if (b > 1) return "many";
  else if (b === 1) { return "one"; }
  for (const c of [b]) f(c);
  switch (b) { case 0: return "none"; default: throw new Error("no number"); }
}
`;
  const keys: string[] = [];
  const counted = withCounters(source, "a.ts", "/counters.mjs", ({ key }: { key: string }) => keys.push(key) - 1);
  const run = new Function("countReached", `${withoutTypes(counted)}\nreturn g;`);
  const seen = new Set<number>();
  const g: (b: number) => string = run((id: number) => seen.add(id));
  expect([g(2), g(1), [...seen].map((id) => keys[id])]).toEqual(["many", "one", ["/0", "g/1", "g/2", "g/3"]]);
  seen.clear();
  expect([g(0), [...seen].map((id) => keys[id])]).toEqual(["none", ["g/1", "g/4", "f/1", "f/3", "g/5"]]);
});

const withoutTypes = (source: string): string =>
  source
    .replaceAll(": number", "")
    .replaceAll(": string", "")
    .replace("export ", "")
    .replace(/import .*/, "");

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
        mutants.filter(({ block }: Mutant) => block.startsWith("a/")).map(({ text }: Mutant) => text),
      );
    expect(texts(more)).toEqual(texts(small));
  });
});

it("of the tests that reach a mutant, the nearest run first, as many as the time allows", () => {
  const map = {
    keys: ["src/a/b.ts#f/1", "src/a/b.ts#f/2", "src/a/c.ts#g/1"],
    tests: {
      "test/x/far.test.ts": { ms: 10, reached: [0, 1, 2] },
      "test/a/slow.test.ts": { ms: 900, reached: [0] },
      "test/a/room.test.ts": { ms: 100, reached: [0] },
      "test/y/b-and-more.test.ts": { ms: 200, reached: [0] },
      "test/a/c.test.ts": { ms: 1, reached: [2] },
    },
  };
  const tests = (block: string, isFresh: boolean, budgetMs: number) =>
    testsFor({ path: "src/a/b.ts", block }, map, isFresh, budgetMs).map(({ path }: { path: string }) => path);
  const [named, room, slow, far] = [
    "test/y/b-and-more.test.ts",
    "test/a/room.test.ts",
    "test/a/slow.test.ts",
    "test/x/far.test.ts",
  ];
  expect(tests("f/1", true, 10_000)).toEqual([named, room, slow, far]);
  expect(tests("f/1", true, 310)).toEqual([named, room, far]);
  expect(tests("f/1", true, 0)).toEqual([named]);
  // A block that none reaches, of a source that was counted; and of one that has changed since.
  expect(tests("f/3", true, 10_000)).toEqual([]);
  expect(tests("f/3", false, 10_000)).toEqual([named, room, slow, far]);
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
  write(
    "test/room/edges.test.ts",
    `import { expect, it } from "vitest";
import { isBelow, next } from "../../src/room/limit.js";
import { twice } from "../../src/room/twice.js";
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
    spawnSync(process.execPath, [script, "--root", root, "--slots", "1", ...more], { encoding: "utf8" });

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
    [3, expect.stringContaining('= ""'), "refused"],
    [4, expect.stringContaining("value <= 0"), "unreached"],
    [4, expect.stringContaining("value >= 0"), "unreached"],
    [4, expect.stringContaining("value < 1"), "unreached"],
    // Of another file, judged in between: a mutant is over when the next one begins.
    [1, expect.stringContaining("value / 2"), "survived"],
    [1, expect.stringContaining("value * 1"), "survived"],
    [1, expect.stringContaining("value * 3"), "survived"],
  ]);
  expect(first.status).toBe(1);
  expect(first.stderr).toContain("test/room/limit.test.ts fails without any mutant");

  const report = reportOf(judged);
  expect(report).toMatch(/^src\/room +2 +6 +3 +1$/m);
  expect(report).toContain(
    "src/room/limit.ts:2 is noticed by none of 1 test files\n  - export const next = (value: number): number => value + 1;\n  + export const next = (value: number): number => value - 1;\n",
  );
  expect(report).toMatch(/^noticed 2 of 11 \(18\.2 %\)$/m);

  // What each test reaches is known by now.
  const second = run("--count", "0");
  expect([second.status, second.stderr]).toEqual([0, ""]);
  expect(readFileSync(join(root, "src/room/limit.ts"), "utf8")).toBe(source);
  expect(readdirSync(root).sort()).toEqual(["node_modules", "package.json", "src", "test", "tsconfig.json"]);
});
