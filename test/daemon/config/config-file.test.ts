import { describe, expect, it } from "vitest";
import { type ConfigFile, configFileOf, faultsOf } from "../../../src/daemon/config/config-file.js";

/** Each fault as "line pointer sentence". */
function told(file: ConfigFile): readonly string[] {
  return faultsOf(file).map(({ line, fault }) => `${line} ${fault.pointer} ${fault.sentence}`);
}

function read(...lines: readonly string[]): ConfigFile {
  return configFileOf("config.json", lines.join("\n"));
}

describe("the configuration file", () => {
  it("may have comments of both kinds, and a comma behind the last member", () => {
    const file = read("\uFEFF// the rate", "{", "  /* a burst", "     of two */", '  "burst": 2, // "burst": 3', "}");
    expect(told(file)).toEqual([]);
    expect([...file.values].map(([name, { line, json }]) => [name, line, json])).toEqual([["burst", 5, 2]]);
    expect(told(read("{", '  "max_hold_ms": 500,', '  "burst": 2,', "}"))).toEqual([]);
  });

  it("reports every fault with its line, its pointer and the nearest name, in the order of the lines", () => {
    const file = read(
      "{",
      '  "max_holdms": 5,',
      '  "burst": 0,',
      '  "a2e": {',
      '    "max_paralel": 5,',
      '    "max_parallel": 500',
      "  },",
      '  "burst": 2,',
      '  "a/b~c": 1',
      "}",
    );
    expect(told(file)).toEqual([
      '2 /max_holdms The key "max_holdms" is not known. Did you mean max_hold_ms?',
      "3 /burst burst is 0. Give a whole number from 1 to 1000.",
      '5 /a2e/max_paralel The key "a2e_max_paralel" is not known. Did you mean a2e_max_parallel?',
      "6 /a2e/max_parallel a2e_max_parallel is 500. Give a whole number from 1 to 128.",
      "8 /burst The key burst stands twice in the file. Keep one of both.",
      '9 /a~1b~0c The key "a/b~c" is not known. Remove it.',
    ]);
    for (const { fault } of faultsOf(file)) expect([fault.code, fault.rule]).toEqual(["usage", "P5"]);
  });

  it("reads on behind a fault of syntax", () => {
    expect(told(read("{", '  "burst": 2', '  "max_hold_ms": 5,', '  "log_level": loud', "}"))).toEqual([
      "3  This is not JSON: a comma is missing between two members. Correct it.",
      "3 /max_hold_ms max_hold_ms is 5. Give a whole number from 100 to 60000.",
      "4  This is not JSON: this word is neither true, false nor null, and texts need quotes. Correct it.",
    ]);
  });

  it.each([
    ["", "a value is missing"],
    ["{", "a closing brace is missing"],
    ['{"burst" 5}', "a colon is missing behind the key"],
    ["{burst: 5}", "a key in quotes is missing"],
    ['{"audit": [1}', "a closing bracket is missing"],
    ['{"burst": 5} 6', "more follows behind the end of the object"],
    ['{"burst": 5 /* five', "a comment has no end"],
    ['{"audit": "off', "a text has no closing quote"],
    ['{"burst": 5.}', "a number has no end"],
    ['{"audit": "\\u12"}', "\\u needs four hexadecimal digits"],
    ['{"audit": "\\q"}', "a backslash stands before a character that needs none"],
    ['{"audit": "a\tb"}', "a text holds a control character"],
  ])("says what is wrong with %j", (text, expected) => {
    const sentences = told(read(text));
    expect(sentences.join("\n")).toContain(expected);
    for (const sentence of sentences) expect(sentence).toMatch(/^1 \S* /);
  });

  it("does not repeat a value that may open something, nor a long key", () => {
    expect(told(read('{"a2e_auth_token": 987654321}')).join()).not.toContain("987654321");
    expect(told(read(`{"${"k".repeat(10_000)}": 1}`)).join().length).toBeLessThan(200);
  });

  it("R34: finds the lines of a thousand faults in time in proportion to them", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `"key_${index}": ${index},`);
    const faults = faultsOf(read("{", ...lines, "}"));
    expect(faults.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 2));
  });
});
