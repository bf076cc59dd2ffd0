import { Help } from "commander";
import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.js";
import { reflowed } from "../../../src/cli/terminal/help-layout.js";
import { helpWidth } from "../../../src/cli/terminal/terminal-width.js";
import { runCommandLine } from "../command-stage.js";

const helper = Object.assign(new Help(), { minWidthToWrap: 0 });
const wrap = (text: string, width: number) => helper.boxWrap(text, width);

test("as wide as the terminal, else as COLUMNS says, else 80", () => {
  expect(helpWidth({ isTTY: true, columns: 132 }, { COLUMNS: "60" })).toBe(132);
  expect(helpWidth({}, { COLUMNS: "60" })).toBe(60);
  for (const COLUMNS of [undefined, "", "0", "20", "wide", "80.5"]) expect(helpWidth({}, { COLUMNS })).toBe(80);
});

test("a terminal that does not know its columns counts as none", () => {
  for (const columns of [0, undefined]) {
    expect(helpWidth({ isTTY: true, ...(columns === undefined ? {} : { columns }) }, {})).toBe(80);
    expect(helpWidth({ isTTY: true, ...(columns === undefined ? {} : { columns }) }, { COLUMNS: "60" })).toBe(60);
  }
});

test("paragraphs are broken anew, indented lines and blank ones stay", () => {
  const text = "one two\nthree four\n\n  a command that is long\nfive:\n  {}\n";
  expect(reflowed(text, 9, wrap)).toBe("one two\nthree\nfour\n\n  a command that is long\nfive:\n  {}\n");
  expect(reflowed(text, 7, wrap)).toBe("one two\nthree\nfour\n\n  a command that is long\nfive:\n  {}\n");
  expect(reflowed(text, 6, wrap)).toBe("one\ntwo\nthree\nfour\n\n  a command that is long\nfive:\n  {}\n");
  expect(reflowed(text, 80, wrap)).toBe("one two three four\n\n  a command that is long\nfive:\n  {}\n");
});

test("a block that does not fit has each text below its term, and one that fits stays", () => {
  const text =
    "Examples:\n  a --long-option    does this\n  b                  and that, which\n                     goes on\n  c\n\nEnd.";
  expect(reflowed(text, 40, wrap)).toBe(text);
  expect(reflowed(text, 34, wrap)).toBe(
    "Examples:\n  a --long-option\n      does this\n  b\n      and that, which goes on\n  c\n\nEnd.",
  );
  expect(reflowed("  term    one two three", 17, wrap)).toBe("  term\n      one two\n      three");
  expect(reflowed("  a command that is long", 10, wrap)).toBe("  a command that is long");
});

const NESTED = [
  "journal inspect",
  "journal export",
  "journal compact",
  "config show",
  "config init",
  "config check",
  "conformance producer",
  "conformance subscriber",
  "conformance compare",
];
const ALL = ["", ...COMMANDS.map(({ name }) => name), ...NESTED];
test.each([80, 120])(
  "at %i columns no help has a longer line, but for commands and examples that must not be broken",
  async (columns) => {
    for (const name of ALL) {
      const argv = ["help", ...name.split(" ")].filter(Boolean);
      const { code, stdout } = await runCommandLine(argv, { COLUMNS: String(columns) });
      expect(code).toBe(0);
      const tooLong = stdout.split("\n").filter((line) => line.length > columns);
      expect(tooLong.filter((line) => !/^ {2}(aaepd|printf|my-agent|\{)/.test(line))).toEqual([]);
      // A text beside its term would be broken by the terminal.
      expect(tooLong.filter((line) => line.trim().includes("  "))).toEqual([]);
      expect(stdout.split("\n").length).toBeGreaterThan(10);
    }
  },
);
