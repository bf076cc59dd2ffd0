// R10: the kind of a line, and the end of a block of code.
import { describe, expect, it } from "vitest";
import { closesFence, type LineKind, lineKindAt } from "../../../src/engine/text/markdown-lines.js";

const kindOf = (text: string, ended = false): LineKind["kind"] => lineKindAt(text, 0, true, ended).kind;

describe("the kind of a line", () => {
  it.each([
    ["\n", "blank"],
    ["  \t\r\n", "blank"],
    ["> >\n", "blank"],
    ["Text", "prose"],
    ["漢字", "prose"],
    ["> Text", "prose"],
    ["42 is a number", "prose"],
    ["- item", "item"],
    ["* item", "item"],
    ["1. item", "item"],
    ["1234) item", "item"],
    ["12345) item", "prose"],
    ["# Heading", "item"],
    ["###### Heading", "item"],
    ["####### no heading", "prose"],
    ["| a | b |", "row"],
    ["---\n", "rule"],
    ["===\n", "rule"],
    ["***\n", "rule"],
    ["___\n", "rule"],
    ["--|:-:\n", "rule"],
    ["```\n", "fence"],
    ["```js\n", "fence"],
    ["~~~~ text\n", "fence"],
    ["~~~ `text`\n", "fence"],
    ["``` js title\n", "fence"],
    ["```npm ci``` installs it.\n", "prose"],
    [`\`\`\`${"x".repeat(300)}`, "fence"],
    ["``\n", "prose"],
    ["```a```\n", "prose"],
    ["-----------------\n", "rule"],
  ] as const)("%j is %s", (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it.each(["", "  ", ">", "-", "1", "12.", "#", "```", "```js", "``` js a", "--", "*"])("%j waits for more", (text) => {
    expect(kindOf(text)).toBe("unknown");
  });

  it.each([
    ["-", "item"],
    ["12.", "item"],
    ["```", "fence"],
    ["---", "rule"],
    ["1", "prose"],
  ] as const)("%j at the end of the text is %s", (text, kind) => {
    expect(kindOf(text, true)).toBe(kind);
  });

  it("without Markdown a line is blank or prose", () => {
    const kinds = ["- item", "# a", "| a", "```\n", "> a", "---\n", " \n"].map(
      (text) => lineKindAt(text, 0, false, false).kind,
    );
    expect(kinds).toEqual(["prose", "prose", "prose", "prose", "prose", "prose", "blank"]);
  });

  it("more than 256 blanks are running text, however much follows", () => {
    expect(kindOf(" ".repeat(256))).toBe("unknown");
    expect(kindOf(`${" ".repeat(256)}\n`)).toBe("blank");
    expect(kindOf(" ".repeat(257))).toBe("prose");
  });
});

describe("the end of a block of code", () => {
  it.each([
    ["```\n", true],
    ["````\n", true],
    ["   ```  \r\n", true],
    ["> ```\n", true],
    [">> ```\n", true],
    ["``\n", false],
    ["```js\n", false],
    ["text\n", false],
    ["\n", false],
    ["~~~\n", false],
    ["```", undefined],
    ["", undefined],
    ["> ", undefined],
    [`${" ".repeat(257)}`, false],
  ])("%j closes ```: %s", (text, closes) => {
    expect(closesFence(text, 0, "```", false)).toBe(closes);
  });

  it("is decided by what is there when the text ends", () => {
    expect(["```", "  ````", "``", "", "```js"].map((text) => closesFence(text, 0, "```", true))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(closesFence("~~~~\n", 0, "~~~~", false)).toBe(true);
    expect(closesFence("~~~\n", 0, "~~~~", false)).toBe(false);
  });
});
