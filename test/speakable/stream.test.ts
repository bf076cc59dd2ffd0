import { expect, test, vi } from "vitest";
import { type Leaf, type OpenText, SpeakableStream, speakable, speakablePart } from "../../src/speakable/index.js";

function speechOf(leaves: readonly Leaf[]): string {
  return leaves.map(({ speech }) => speech).join("");
}

/** What each chunk makes final, and what is left at the end. */
function spokenBy(...chunks: readonly string[]): readonly string[] {
  const stream = new SpeakableStream();
  return [...chunks.map((chunk) => speechOf(stream.push(chunk))), speechOf(stream.end())];
}

/** The parts of a text that comes in these chunks, each described at once. */
function parts(...chunks: readonly string[]): readonly (readonly Leaf[])[] {
  let open: OpenText | undefined;
  return chunks.map((chunk) => {
    const part = speakablePart(chunk, {}, open);
    open = part.open;
    return part.leaves;
  });
}

test("a sentence is final when the next one begins", () => {
  expect(spokenBy("One is", " here. ", "Two", " follows.")).toEqual(["", "", "One is here. ", "", "Two follows."]);
});

test("a sentence within marks that are still open waits for them", () => {
  expect(spokenBy("**One. ", "Two.** Three. ", "Four.")).toEqual(["", "One. Two. ", "Three. ", "Four."]);
});

test("a sentence within the text of a link waits for its address", () => {
  const said = ["", "", "One. Two. Three., link to a.org Four. ", "Five."];
  expect(spokenBy("[One. Two. ", "Three.](https://a.org) Four. ", "Five.")).toEqual(said);
});

test("a block is final when the next one begins", () => {
  expect(spokenBy("# Title\n\nText", "\n\n- a", "\n- b\n")).toEqual([
    "heading level 1: Title\n",
    "Text\n",
    "bullet a\n",
    "bullet b\n",
  ]);
});

test("a block of code is named once, when it is closed", () => {
  expect(spokenBy("Look:\n```js\nlet x;", "\nlet y;\n", "```\n", "Done.")).toEqual([
    "Look:\n",
    "",
    "code, JavaScript, 2 lines\n",
    "",
    "Done.",
  ]);
});

test("a block of code that is cut anywhere loses no letter of its code", () => {
  const text = "Look:\n\n```js\nlet x;\nlet y;\n```\n";
  for (let cut = text.indexOf("```") + 3; cut < text.length; cut += 1) {
    const { leaves, open } = speakablePart(text.slice(0, cut), { code: "read" });
    const all = [...leaves, ...speakablePart(text.slice(cut), { code: "read" }, open).leaves];
    expect(
      all
        .map(({ braille }) => braille)
        .join("")
        .replaceAll("code, JavaScript, 1 line", ""),
    ).toMatch(/let x;\nlet y;/);
  }
});

test.each([
  "1. R:\n   ```sh\n   npm i\n   ls\n   ```\n   end\n",
  "> ```js\n> let one;\n>\n> let two;\n> ```\n> end\n",
  "- a\n  > ```\n  >  one\n  >  two\n  > ```\n",
  "* a\n\n  ```\n  code\n\n  more\n  ```\n* b\n",
  "~~~\n```\ncode\n~~~\nEnd.",
])("code within other blocks that is cut anywhere stays code: %j", (text) => {
  const codeIn = (leaves: readonly Leaf[]): string =>
    leaves.map(({ kind, braille }) => (kind === "code" ? braille.replace(/[\s`~>]/g, "") : "")).join("");
  const whole = codeIn(speakable(text, { code: "read" }));
  for (let cut = 1; cut < text.length; cut += 1) {
    const { leaves, open } = speakablePart(text.slice(0, cut), { code: "read" });
    const all = [...leaves, ...speakablePart(text.slice(cut), { code: "read" }, open).leaves];
    expect(codeIn(all), `${JSON.stringify(text.slice(0, cut))} and the rest`).toBe(whole);
  }
});

test("a table goes on with its columns, row by row", () => {
  const text = "| Name | Size |\n|---|---|\n| a | 1 |\n| b | 2 |\n";
  expect(spokenBy(...text.split(/(?<=\n)/)).join("")).toBe(speechOf(speakable(text)));
});

test("an open fence, list and table go on in the next part", () => {
  expect(parts("```py\na = 1\n", "b = 2\n", "```\nEnd.").map(speechOf)).toEqual([
    "code, Python, 1 line\n",
    "code goes on, 1 line\n",
    "end of code\nEnd.",
  ]);
  const list = parts("1. one\n", "2. two\n   more\n", "3. three");
  expect(list.map(speechOf)).toEqual(["1. one\n", "2. two\nmore\n", "3. three"]);
  expect(list.map((leaves) => leaves.at(-1)?.in)).toEqual([
    [
      { kind: "list", id: 1, level: 1 },
      { kind: "item", id: 2, index: 1 },
    ],
    [
      { kind: "list", id: 1, level: 1 },
      { kind: "item", id: 3, index: 2 },
    ],
    [
      { kind: "list", id: 1, level: 1 },
      { kind: "item", id: 4, index: 3 },
    ],
  ]);
  const table = parts("| Name | Size |\n|---|---|\n| a | 1 |\n", "| b | 2 |\n");
  expect(table.map(speechOf)).toEqual(["table with 2 columns: Name, Size\nName: a, Size: 1\n", "Name: b, Size: 2\n"]);
  expect(table[1]?.[0]?.in).toEqual([
    { kind: "table", id: 1 },
    { kind: "row", id: 4, index: 3 },
  ]);
});

test("a part that begins within a line is no new block", () => {
  expect(parts("He said so. ", "- not a list").map(speechOf)).toEqual(["He said so. ", "- not a list"]);
  expect(parts("> quoted. ", "Still quoted.").at(-1)?.[0]?.in[0]?.kind).toBe("quote");
});

test.each([
  [["*", "args is a tuple."], "args is a tuple."],
  [["**", "Warning: never delete this.** More."], "Warning: never delete this. More."],
  [["> **", "Note** of it"], "Note of it"],
  [["Intro.\n\n**", "Warning:** never do."], "Warning: never do."],
])("a part that begins with marks keeps its words: %j", (chunks, words) => {
  const [, second = []] = parts(...chunks);
  expect(speechOf(second)).toBe(words);
});

test.each([
  "Keep it. ~~Delete all. Now~~ done. Next.",
  "これは**重要。本当**です。次",
  "Call f(*args). Or g(**kw). Next.",
  "Use __a__. And __b__ now. Next.",
])("a stream says what the whole text says: %j", (text) => {
  expect(
    spokenBy(...Array.from(text))
      .join("")
      .replaceAll(/\s+/g, " "),
  ).toBe(speechOf(speakable(text)).replaceAll(/\s+/g, " "));
});

test("marks whose partners are in another part are not said", () => {
  expect(parts("**Note. ", "Both are bold.** Not this.").map(speechOf)).toEqual(["Note. ", "Both are bold. Not this."]);
});

/** How often a stream reads its text, which comes in chunks of so many characters. */
function readsOf(text: string, size: number): number {
  let reads = 0;
  const counting = new Proxy({} as { code?: "read" }, {
    get: (_, name) => {
      if (name === "code") reads += 1;
      return undefined;
    },
  });
  const stream = new SpeakableStream(counting);
  for (let at = 0; at < text.length; at += size) stream.push(text.slice(at, at + size));
  return reads;
}

test("a text that waits is read again only after it has grown", () => {
  expect(readsOf("word ".repeat(4_000), 5)).toBeLessThan(10);
});

const WIDE_HEAD = `|${"a|".repeat(200)}\n|${"-|".repeat(200)}\n`;

test("the head of a wide table is not read again for each of its short rows", () => {
  expect(readsOf(WIDE_HEAD + "|a\n".repeat(4_000), 3)).toBeLessThan(200);
});

test("a table is not filled up without end: rows behind a thousand lacking cells are running text", () => {
  const leaves = speakable(WIDE_HEAD + "|zz\n".repeat(1_000));
  expect(leaves.filter(({ kind }) => kind === "cell")).toHaveLength(205);
  expect(speechOf(leaves).split("zz")).toHaveLength(1_001);
});

test("a line of code of a megabyte in small chunks costs its length, and not that of all that waits for each chunk", () => {
  const stream = new SpeakableStream();
  stream.push("```js\n");
  let searched = 0;
  const split = String.prototype.split as (this: string, separator: string) => string[];
  const count = vi.spyOn(String.prototype, "split").mockImplementation(function (this: string, separator) {
    searched += this.length;
    return split.call(this, separator as unknown as string);
  });
  const chunks = 250_000;
  const leaves: Leaf[] = [];
  for (let index = 0; index < chunks; index += 1) leaves.push(...stream.push("abcd"));
  count.mockRestore();
  // Each chunk is searched with at most the beginning of its line, and all that waits is read when it has doubled.
  expect(searched).toBeLessThan(chunks * 1_004 + 20 * 4 * chunks);
  expect(stream.state.waiting.length).toBeLessThan(65_537);
  leaves.push(...stream.push("\n```\nEnd."), ...stream.end());
  expect(speechOf(leaves)).toMatch(/^code, JavaScript, 1 line\s*end of code\nEnd\.$/);
});

test("what waits is given at once where something else is to be said, and the text goes on behind it", () => {
  const stream = new SpeakableStream();
  expect(speechOf(stream.push("I look **at it. Then"))).toBe("");
  expect(speechOf(stream.flush())).toBe("I look at it. Then");
  expect(speechOf(stream.flush())).toBe("");
  expect(speechOf([...stream.push(" I read** on. End."), ...stream.end()])).toBe(" I read on. End.");
});

test("behind a block of code that was given before its last line had come, text is spoken sentence by sentence", () => {
  const stream = new SpeakableStream({ code: "read" });
  stream.push("```js\nlet a = 1;\n");
  stream.push("```");
  stream.flush();
  const said = ["\n\n", "It runs. ", "It goes on. ", "And on."].map((chunk) => speechOf(stream.push(chunk)));
  expect(said.join("")).toContain("It runs.");
});

test("brackets that nothing closes are searched once, and a link may have any text", () => {
  expect(speechOf(speakable(`[${"a ".repeat(4000)}](https://x.org)`))).toContain("link to x.org");
  expect(speechOf(speakable("[a [b](c) d](e)"))).toBe("[a b, link to c d](e)");
  expect(speechOf(speakable("[a ![b](c.png) d](e)"))).toBe("a image: b d, link to e");
  let steps = 0;
  const at = String.prototype.charAt;
  const count = vi.spyOn(String.prototype, "charAt").mockImplementation(function (this: string, index: number) {
    steps += 1;
    return at.call(this, index);
  });
  for (const piece of ["![[](", "[[](", "[", "[]]", "[[["]) speakable(piece.repeat(2_000).slice(0, 4_000));
  speakable("[".repeat(2_000) + "]".repeat(2_000));
  count.mockRestore();
  expect(steps).toBeLessThan(6 * 4_000 * 40);
});

test("a paragraph of more sentences than a call has arguments is read", () => {
  expect(speakable("。".repeat(150_000))).toHaveLength(150_000);
});
