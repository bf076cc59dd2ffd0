import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Fault } from "../../src/base/errors.js";
import {
  MAX_MESSAGE_DEPTH,
  MAX_MESSAGE_VALUES,
  parseJsonDocument,
  readJsonDocument,
} from "../../src/base/json-document.js";
import { eachMember, namesIn, soleValue, textsOf } from "../../src/base/json-members.js";
import { partAt, partNamed, partsIn } from "../../src/base/json-outline.js";
import { anyCharacter } from "../support/any-character.js";
import { casesOf } from "../support/extent.js";

/** A value that may have a name twice, and that knows how each of its strings is written. */
type Written =
  | { readonly kind: "plain"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Written[]; readonly space: string }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, Written])[]; readonly space: string };

const space = fc.constantFrom("", "", "", " ", "\n", "\t ", "\r\n  ");

/** The JSON of a name, with some of its characters as escapes: few names, so that they meet. */
const writtenName = fc
  .tuple(
    fc.constantFrom(
      "a",
      "b",
      "type",
      "a.b",
      "",
      "__proto__",
      "1",
      "01",
      "ü",
      "😀",
      '"',
      "\\",
      ":",
      "{",
      "toString",
      "/",
      "~",
    ),
    fc.integer({ min: 0, max: 7 }),
  )
  .map(([name, mask]) =>
    [...name.split("")]
      .map((unit, index) =>
        ((mask >> index) & 1) === 1
          ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
          : JSON.stringify(unit).slice(1, -1),
      )
      .join(""),
  )
  .map((inner) => `"${inner}"`);

const plain: fc.Arbitrary<Written> = fc
  .oneof(
    fc.constantFrom("1", "-0.5e3", "true", "null", '""', '":"', '"\\""', '"\\\\"', '"\\":"', '"{\\"a\\":1,\\"a\\":2}"'),
    fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)),
  )
  .map((text) => ({ kind: "plain", text }));

const { written } = fc.letrec<{ written: Written }>((tie) => ({
  written: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    plain,
    fc.record({ kind: fc.constant("list" as const), items: fc.array(tie("written"), { maxLength: 4 }), space }),
    fc.record({
      kind: fc.constant("object" as const),
      members: fc.array(fc.tuple(writtenName, tie("written")), { maxLength: 5 }),
      space,
    }),
  ),
}));

function textOf(value: Written): string {
  switch (value.kind) {
    case "plain":
      return value.text;
    case "list":
      return `[${value.space}${value.items.map(textOf).join(`${value.space},`)}${value.space}]`;
    case "object": {
      const { space: gap } = value;
      return `{${gap}${value.members.map(([name, one]) => `${name}${gap}:${gap}${textOf(one)}`).join(`${gap},${gap}`)}${gap}}`;
    }
  }
}

/** Whether a name stands twice anywhere: the slow way, which knows how the text was made. */
function isDoubled(value: Written): boolean {
  switch (value.kind) {
    case "plain":
      return false;
    case "list":
      return value.items.some(isDoubled);
    case "object": {
      const names = value.members.map(([name]) => JSON.parse(name) as string);
      return (
        names.some((name, index) => names.indexOf(name) < index) || value.members.some(([, one]) => isDoubled(one))
      );
    }
  }
}

function faultOf(text: string): Fault {
  try {
    parseJsonDocument(text);
  } catch (caught) {
    if (caught instanceof Fault) return caught;
  }
  throw new Error(`no fault in ${text}`);
}

describe("R19: a text in which a member stands twice is no message", () => {
  it("and every other one is what JSON.parse says, whatever its names, escapes, nesting and white space", () => {
    fc.assert(
      fc.property(written, (value) => {
        const text = textOf(value);
        if (isDoubled(value)) {
          expect(faultOf(text)).toMatchObject({ code: "invalid_message", rule: "R19" });
        } else {
          expect(parseJsonDocument(text)).toStrictEqual(JSON.parse(text));
        }
      }),
      { numRuns: casesOf(3000) },
    );
  });

  it.each([
    ["at the beginning", '{"a":1,"a":2}', "/a", "a"],
    ["with an escape", '{"a":1,"\\u0061":2}', "/a", "a"],
    ["with another escape of the same", '{"\\n":1,"\\u000A":2}', "/\n", "\n"],
    ["in an object within", '{"x":[0,{"b/~":1,"c":{},"b/~":1}]}', "/x/1/b~1~0", "b/~"],
    ["in a list of a list", '[[],[[{"b":1,"b":1}]]]', "/1/0/0/b", "b"],
    ["in a value that the parser throws away", '{"x":{"b":1,"b":2},"x":1}', "/x/b", "b"],
    [
      "far apart",
      `{"a":1,${Array.from({ length: 2000 }, (_, index) => `"n${index}":"${index}"`).join()},"a":1}`,
      "/a",
      "a",
    ],
    ["as __proto__", '{"__proto__":{},"__proto__":{}}', "/__proto__", "__proto__"],
    ["with a text of colons", '{"a":":","a":":"}', "/a", "a"],
    ["with white space before the colon", '{"a" :1,"a"\n:":b"}', "/a", "a"],
  ])("%s, and the fault says where", (_, text, pointer, name) => {
    const fault = faultOf(text);
    expect(fault.pointer).toBe(pointer);
    expect(fault.sentence).toContain(`${JSON.stringify(name)} stands twice`);
  });

  it("equal names of different objects are none of it", () => {
    for (const text of [
      '{"a":{"a":1},"b":[{"a":1},{"a":1}]}',
      '{"a":1,"A":1,"a ":1,"á":1,"a\\u0301":1}',
      '{"__proto__":1}',
    ])
      expect(parseJsonDocument(text)).toStrictEqual(JSON.parse(text));
  });

  it("what is no JSON is that first", () => {
    for (const text of ["", "{", '{"a":1,"a":2', "\uFEFF{}", "{'a':1}", '{"a":1,}', "[1 2]"])
      expect(faultOf(text).code).toBe("invalid_json");
  });

  it("a line of an object that stands on several gets one sentence, and none of the parser's words", () => {
    const lines = JSON.stringify({ type: "x", capabilities: { aaepd: { max_chars: 80 } } }, undefined, 2).split("\n");
    expect([...new Set(lines.map((line) => faultOf(line).sentence))]).toEqual([
      "A message is not JSON. Write each on one line, or with its length before it.",
    ]);
    expect(faultOf("{'a':1}").sentence).toContain("position");
  });
});

describe("AAEP §3.7: a message nests 64 levels at most", () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;

  it("brackets in texts are no levels", () => {
    expect(parseJsonDocument(nested(MAX_MESSAGE_DEPTH))).toStrictEqual(JSON.parse(nested(MAX_MESSAGE_DEPTH)));
    expect(parseJsonDocument(`{"a":"${"[{".repeat(100)}","b":"\\"${"[".repeat(100)}"}`)).toHaveProperty("b");
    expect(faultOf(nested(MAX_MESSAGE_DEPTH + 1))).toMatchObject({ code: "invalid_message", rule: "AAEP §3.7" });
  });

  it.each([
    ["objects", `${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}`],
    ["lists", `${"[".repeat(300_000)}${"]".repeat(300_000)}`],
    ["lists in a member that is thrown away", `{"a":${"[".repeat(300_000)}${"]".repeat(300_000)},"a":1}`],
  ])("hundreds of thousands of levels of %s are refused, and cost no stack", (_, text) => {
    expect(faultOf(text).code).toBe("invalid_message");
  });
});

describe("R41: a number that a double does not carry is refused at its pointer", () => {
  it.each([
    "9007199254740993",
    "-9007199254740993",
    "123456789012345678901234567890",
    "18014398509481984",
    "9007199254740993.0",
    "9007199254740993e0",
    "9.007199254740993e15",
    "0.9007199254740993E16",
    "-90071992547409930e-1",
    "9007199254740993000.00E-3",
    "0.00090071992547409930e+19",
    "6.022140760000000001e23",
    "1e309",
    "-1E+400",
    `1${"0".repeat(309)}.5`,
  ])("%s", (number) => {
    for (const [text, pointer] of [
      [number, ""],
      [`{"a/b":[1,{"c":2, "d" : ${number} , "e":[]}],"f":1e999}`, "/a~1b/1/d"],
      [`[{"x":1},[],["9007199254740993",${number}]]`, "/2/1"],
    ] as const) {
      const fault = faultOf(text);
      expect(fault).toMatchObject({ code: "invalid_message", rule: "R41", pointer });
      expect(fault.sentence).toContain(`${number.slice(0, 80)}`);
      expect(fault.sentence).toContain("Write it as a string.");
    }
  });

  it.each([
    "9007199254740992",
    "-9007199254740992",
    "9007199254740992.000",
    "-0",
    "0.1",
    "1.10",
    "3.141592653589793238462643383279",
    "9007199254740993.5",
    "9007199254740993.00E-1",
    "9.007199254740992e15",
    "90071992547409920e-1",
    "9007199254740993.5e0",
    "1e22",
    "1000000000000000000000e1",
    "1.0e16",
    "6.02214076e23",
    "1.7976931348623157e308",
    "1e-400",
    "0e999",
    "100000000000000",
  ])("%s is its nearest double", (number) => {
    expect(parseJsonDocument(`{"a":[${number}]}`)).toStrictEqual({ a: [Number(number)] });
  });

  it("what looks like one in a text is none, and a member that stands twice is told first", () => {
    const text = '{"9007199254740993":"1e400 \\"9007199254740993"}';
    expect(parseJsonDocument(text)).toStrictEqual(JSON.parse(text));
    expect(faultOf('{"a":1e400,"a":1}')).toMatchObject({ rule: "R19", pointer: "/a" });
    for (const broken of ["[1e400", "01e400", "[1e400e]", "-", "[--1e400]"])
      expect(faultOf(broken).code).toBe("invalid_json");
  });
});

describe("R34: a message has 32,768 values at most, at all levels together", () => {
  it.each([
    ["numbers of a list", (count: number) => `[${Array(count).fill("1").join(" , ")}]`],
    ["members", (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":""`).join()}}`],
    [
      "empty objects and lists",
      (count: number) =>
        `[${Array(count)
          .fill("{},[]")
          .join()
          .slice(0, count * 3 - 1)}]`,
    ],
    [
      "lists of one",
      (count: number) =>
        `[${Array(count / 2)
          .fill("[1]")
          .join()}]`,
    ],
    [
      "empty objects and lists with blanks in them",
      (count: number) =>
        `[${Array(count / 2)
          .fill("{ },[\n ]")
          .join()}]`,
    ],
  ])("%s", (_, write) => {
    expect(parseJsonDocument(write(MAX_MESSAGE_VALUES))).toBeInstanceOf(Object);
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    expect(faultOf(write(MAX_MESSAGE_VALUES + 2))).toMatchObject({ code: "message_too_large", pointer: "" });
    // Nothing was built of it.
    expect(parse).not.toHaveBeenCalled();
  });
});

describe("reading is linear in hostile text", () => {
  it.each([
    ["a text of backslashes", `"${"\\\\".repeat(500_000)}"`],
    ["a text of quotes", `"${'\\"'.repeat(500_000)}"`],
    ["a name of them", `{"${'\\"'.repeat(500_000)}":1}`],
    ["tens of thousands of names", `{${Array.from({ length: 16_000 }, (_, index) => `"${index}x":0`).join()}}`],
    ["as many names in objects of their own", `[${Array.from({ length: 8_000 }, () => '{"x":0}').join()}]`],
    ["a number of many digits", `0.${"1".repeat(500_000)}`],
  ])("%s", (_, text) => {
    expect(parseJsonDocument(text)).toStrictEqual(JSON.parse(text));
    const doubled = `{"a":${text},"b":${text},"a":0}`;
    expect(faultOf(doubled).pointer).toBe("/a");
    expect(textsOf(doubled, "a")).toStrictEqual([text, "0"]);
  });
});

/** The members that stand in a text: names, and texts of values. */
function membersIn(text: string): readonly (readonly [string, string])[] {
  const members: [string, string][] = [];
  eachMember(text, (name, start, end) => {
    members.push([name, text.slice(start, end)]);
    return "go on";
  });
  return members;
}

describe("what a text says of itself", () => {
  it("its members, each as often as it stands there", () => {
    fc.assert(
      fc.property(written, (value) => {
        const text = ` ${textOf(value)}\n`;
        const members = value.kind === "object" ? value.members : [];
        expect(membersIn(text)).toStrictEqual(members.map(([name, one]) => [JSON.parse(name), textOf(one)]));
      }),
      { numRuns: casesOf(1000) },
    );
  });

  it("comes to an end in text that is no JSON", () => {
    const read = (text: string): number => {
      try {
        return membersIn(text).length;
      } catch (caught) {
        expect(caught).toBeInstanceOf(SyntaxError);
        return 0;
      }
    };
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\ a1') }), (text) => {
        for (const whole of [text, `{"a":${text}`, `{"a":["${text}`])
          expect(read(whole)).toBeLessThanOrEqual(whole.length);
      }),
      { numRuns: casesOf(3000) },
    );
  });

  it("R34: its first 1,024 members at most", () => {
    const flat = (count: number): string => `{${'"\\u0061":1,'.repeat(count)}"id":7}`;
    expect([textsOf(flat(1023), "id"), namesIn(flat(1023)).has("id")]).toStrictEqual([["7"], true]);
    expect([textsOf(flat(1024), "id"), namesIn(flat(1024)).has("id")]).toStrictEqual([[], false]);
  });

  it("a value is the one that all have", () => {
    expect(soleValue(['"a"', '"\\u0061"'])).toBe("a");
    expect(soleValue(['"a"', '"b"'])).toBeUndefined();
    expect(soleValue(["{}", "{}"])).toBeUndefined();
    expect(soleValue([])).toBeUndefined();
  });
});

describe("the outline of a document", () => {
  /** What is to be found in it: objects and lists alone. */
  const isPart = (value: unknown): boolean => typeof value === "object" && value !== null;

  it("leads to the parts of its first four levels, as they stand in its text", () => {
    fc.assert(
      fc.property(written, (value) => {
        fc.pre(!isDoubled(value));
        const text = textOf(value);
        const document = readJsonDocument(text);
        const { outline } = document;
        const check = (part: ReturnType<typeof partAt>, expected: unknown, level: number): void => {
          expect(part === undefined ? undefined : JSON.parse(text.slice(part.start, part.end))).toStrictEqual(expected);
          if (part === undefined || level === 4) return;
          if (Array.isArray(expected)) {
            const items = expected.filter(isPart);
            const parts = partsIn(outline, part);
            expect(parts).toHaveLength(items.length);
            for (const [index, item] of items.entries()) check(parts[index], item, level + 1);
            return;
          }
          for (const [name, item] of Object.entries(expected as object))
            check(partNamed(text, outline, part, name), isPart(item) ? item : undefined, level + 1);
          expect(partNamed(text, outline, part, "no such member")).toBeUndefined();
        };
        check(partAt(outline, 0), isPart(document.value) ? document.value : undefined, 1);
      }),
      { numRuns: casesOf(1000) },
    );
  });
});

describe("a text that is nested too deep", () => {
  it("R34: is refused before anything is built of it", () => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const text = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
    expect(() => readJsonDocument(text)).toThrow(expect.objectContaining({ code: "invalid_message" }));
    expect(parse).not.toHaveBeenCalled();
  });
});
