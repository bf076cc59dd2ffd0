// The manual pages: what roff is told, and which pages there are.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { manPages } from "../../scripts/generate/man-pages.mjs";
import { escaped, paragraph, separated, termList, verbatim } from "../../scripts/generate/roff.mjs";
import { COMMANDS } from "../../src/cli/commands.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MADE: ReadonlyMap<string, string> = await manPages(ROOT);
const page = (name: string): string => MADE.get(`man/${name}`) ?? "";

describe("roff", () => {
  it("obeys nothing of a text", () => {
    expect(escaped("a\\b --c …")).toBe("a\\eb \\-\\-c \\[u2026]");
    expect(escaped(".so x\n'br\n-a")).toBe("\\&.so x\n\\&'br\n\\-a");
  });

  it("gets each sentence on lines of its own, none longer than 80", () => {
    expect(paragraph("One.\nTwo is\nhere: see e.g. this. Three")).toEqual([
      "One.",
      "Two is here: see e.g. this.",
      "Three",
    ]);
    for (const line of paragraph("word ".repeat(100).trim())) expect(line.length).toBeLessThanOrEqual(80);
    expect(paragraph(`${"x".repeat(78)} .json`)).toEqual(["x".repeat(78), "\\&.json"]);
  });

  it("gets blocks, lists and what separates them", () => {
    expect(separated([["a"], verbatim("  b\n  c"), ["d"]])).toEqual([
      "a",
      ".PP",
      ".nf",
      "  b",
      "  c",
      ".fi",
      ".PP",
      "d",
    ]);
    expect(termList([["\\fBa\\fR", "Text."]])).toEqual([".TP", "\\fBa\\fR", "Text."]);
  });
});

describe("the manual pages", () => {
  const pages = [...MADE.keys()].sort();

  it("are one for the program and one for each command, and the package names them all", () => {
    expect(pages).toEqual(["man/aaepd.1", ...COMMANDS.map(({ name }) => `man/aaepd-${name}.1`)].sort());
    const { man, files } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8"));
    expect(man).toEqual(pages.map((path) => `./${path}`));
    expect(files).toContain("man");
  });

  it("have the options, the exit codes and the examples of the help", () => {
    const serve = page("aaepd-serve.1");
    for (const text of [
      ".SS Where it listens",
      "\\fB\\-\\-max\\-hold\\-ms\\fR \\fI<MS>\\fR",
      ".SH EXAMPLES",
      "  aaepd serve\n",
    ])
      expect(serve).toContain(text);
    const journal = page("aaepd-journal.1");
    for (const text of [".SH INSPECT", ".SH EXPORT", ".SH COMPACT", "\\fBaaepd journal inspect\\fR \\fI[options]\\fR"])
      expect(journal).toContain(text);
    expect(page("aaepd-doctor.1")).toContain(".SH EXIT STATUS\n0 no problem, 1 a problem, 2 wrong usage.\n");
    for (const { name } of COMMANDS) expect(page("aaepd.1")).toContain(`\\fBaaepd\\-${name}\\fR(1)`);
  });
});
