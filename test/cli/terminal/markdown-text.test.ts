// Markdown as a line that reads well aloud: marks go, words stay.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { withoutMarks } from "../../../src/cli/terminal/markdown-marks.js";
import { createMarkdownReader, mayBeMarkdown } from "../../../src/cli/terminal/markdown-text.js";
import { expectInProportion } from "../../support/cost.js";
import { casesOf } from "../../support/extent.js";

describe("marks inside a line", () => {
  it.each([
    ["**Note:** take *this* one.", "Note: take this one."],
    ["__Both__ and _this_.", "Both and this."],
    ["***All*** of it", "All of it"],
    ["Pre**fix**ed", "Prefixed"],
    ["~~Old~~ new", "Old new"],
    ["Run `npm *x*` now", "Run npm *x* now"],
    ["``a ` b`` and `c", "a ` b and `c"],
    ["snake_case_name and 2 * 3 * 4 and 2*3*4", "snake_case_name and 2 * 3 * 4 and 2*3*4"],
    ["about ~5 km", "about ~5 km"],
    ["[the guide](https://example.org/a/b.html) helps", "the guide helps"],
    ['![A chart](chart.png "2026") and [](docs/readme.md)', "A chart and readme.md"],
    ["See <https://example.org/x>.", "See https://example.org/x."],
    ["a [note] stays, and [x](y z) too", "a [note] stays, and [x](y z) too"],
    ["\\*no\\* emphasis, a \\ stays", "*no* emphasis, a \\ stays"],
    ["**First. Second", "First. Second"],
    ["ends here.** Then *one", "ends here. Then *one"],
    ["5 ** 3", "5 ** 3"],
    ["**你好**，世界", "你好，世界"],
    ["", ""],
  ])("%j is read as %j", (line, read) => {
    expect(withoutMarks(line)).toBe(read);
  });

  it("keeps every letter and digit, in their order", () => {
    const piece = fc.constantFrom(
      "*",
      "**",
      "_",
      "~~",
      "`",
      "``",
      "[",
      "](",
      ")",
      "!",
      "\\",
      "<",
      " ",
      "a",
      "Bc",
      "7",
      "é",
      "你",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const line = pieces.join("");
        // An address goes where its text says something, so it has none here.
        const inkOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "");
        if (/\]\([^()\s]*\)/.test(line)) return;
        expect(inkOf(withoutMarks(line))).toBe(inkOf(line));
      }),
      { numRuns: casesOf(2000) },
    );
  });

  it.each(["*", "**a", "_a ", "a", "`", "` `` ", "[", "[](", "![a", "<https://a", "~~", "\\"])(
    "a long line of %j takes time in proportion to its length",
    (piece) =>
      expectInProportion(async (times) => {
        withoutMarks(piece.repeat(20_000 * times));
      }),
  );
});

function chunk(text: string, fields: Partial<Envelope> = {}): Envelope {
  const base = { "@context": "x", event_id: "evt_1", session_id: "sess_1", timestamp: "2026-01-01T00:00:00Z" };
  return {
    ...base,
    type: "aaep:agent.output.streaming",
    producer: { agent_id: "a" },
    chunk: text,
    ...fields,
  } as Envelope;
}

/** Chunks of one output, as they follow one another. */
function readAll(...texts: readonly string[]): readonly string[] {
  const reader = createMarkdownReader();
  let position = 0;
  return texts.map((text) => {
    const read = reader.read(chunk(text, { position, complete: false }));
    position += [...text].length;
    return read;
  });
}

describe("lines of Markdown", () => {
  it("are read without the marks of blocks; items, headings and rows are sentences of their own", () => {
    const [read] = readAll(
      "## What you need ##\n\n- apples\n* two pears, ripe.\n+ **bread**\n1. Mix.\n2) Bake\n> Quoted *text*\n> goes on\n\n---\nThe end.",
    );
    expect(read).toBe("What you need. apples. two pears, ripe. bread. 1. Mix. 2) Bake. Quoted text goes on The end.");
  });

  it("a table is read row by row, without its rule", () => {
    expect(readAll("| Item | Price |\n|---|---:|\n| *Bread* | 2 € |\n| `Milk` |  |\n")).toEqual([
      "Item, Price. Bread, 2 €. Milk",
    ]);
    expect(readAll("| Item | Price |\n", "|---|---:|\n", "| Bread | 2 € |\n")).toEqual([
      "Item, Price",
      "",
      "Bread, 2 €",
    ]);
  });

  it("code is announced, read as it is, and its end is told, whatever pieces it comes in", () => {
    expect(readAll("Run:\n```js\nlet a = b * c * d;\n- x\n```\nDone **now**.")).toEqual([
      "Run: [code, js] let a = b * c * d; - x [end of code] Done now.",
    ]);
    expect(readAll("~~~\n", "# no heading\n", "**a**", " **b**\n", "~~~\n", "# Heading\n")).toEqual([
      "[code]",
      "# no heading",
      "**a**",
      "**b**",
      "[end of code]",
      "Heading",
    ]);
  });

  it("the rest of a line is no line of its own", () => {
    expect(readAll("- It is 5 degrees. ", "- 3 tomorrow.\n", "- Then rain.")).toEqual([
      "It is 5 degrees.",
      "- 3 tomorrow.",
      "Then rain.",
    ]);
    // A listener that comes in the middle does not know where the line began.
    const late = createMarkdownReader();
    expect(late.read(chunk("- 3 degrees\n- more", { position: 70 }))).toBe("- 3 degrees more");
  });

  it("outputs of sessions are read apart, and an output that begins again begins anew", () => {
    const reader = createMarkdownReader();
    expect(reader.read(chunk("```\n", { position: 0 }))).toBe("[code]");
    expect(reader.read(chunk("# One\n", { position: 0, output_id: "out_2" }))).toBe("One");
    expect(reader.read(chunk("# Two\n", { position: 0, session_id: "sess_2" }))).toBe("Two");
    expect(reader.read(chunk("# Three\n", { position: 4 }))).toBe("# Three");
    expect(reader.read(chunk("# Four\n", { position: 0 }))).toBe("Four");
  });

  it("what ended is forgotten, and so is the oldest of more than a thousand open outputs", () => {
    const reader = createMarkdownReader();
    reader.read(chunk("```\n", { position: 0, complete: true }));
    expect(reader.read(chunk("\n# A", { position: 4 }))).toBe("A");
    reader.read(chunk("```\n", { position: 0 }));
    for (let index = 0; index < 1000; index += 1)
      reader.read(chunk("a\n", { position: 0, session_id: `sess_x${index}` }));
    expect(reader.read(chunk("**b**", { position: 4 }))).toBe("b");
  });
});

it.each([
  [undefined, true],
  ["text/markdown", true],
  ["text/plain", false],
  ["text/html", false],
])("content type %s may be Markdown: %s", (content_type, expected) => {
  expect(mayBeMarkdown(chunk("", content_type === undefined ? {} : { content_type }))).toBe(expected);
});
