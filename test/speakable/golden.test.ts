// Texts with the words that a good reader would say, and the reason for them. A line is a case; `speech` and `braille` are the leaves' words, joined.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type Leaf,
  type OpenText,
  type SpeakableOptions,
  SpeakableStream,
  speakable,
  speakablePart,
} from "../../src/speakable/index.js";
import { tokensOf } from "./tokens.js";

interface Case {
  readonly text: string;
  readonly options?: SpeakableOptions;
  readonly speech: string;
  readonly braille: string;
  readonly why: string;
}

function casesOf(name: string): readonly Case[] {
  const lines = readFileSync(new URL(`golden/${name}.ndjson`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Case);
}

test.each([
  { name: "markdown", least: 200 },
  { name: "technical", least: 100 },
])("at least $least cases of $name text are said as they should be", ({ name, least }) => {
  const cases = casesOf(name);
  expect(cases.length).toBeGreaterThanOrEqual(least);
  for (const { text, options, speech, braille, why } of cases) {
    const leaves = speakable(text, options);
    const said = {
      speech: leaves.map((leaf) => leaf.speech).join(""),
      braille: leaves.map((leaf) => leaf.braille).join(""),
    };
    expect(said, `${JSON.stringify(text)}: ${why}`).toEqual({ speech, braille });
  }
});

test("of technical text every word is said", () => {
  for (const { text, speech } of casesOf("technical")) {
    if (text.includes("\u001b") || text.includes("https:")) continue;
    const words = text.match(/[A-Za-z]{3,}/g) ?? [];
    const said = speech.toLowerCase().replaceAll(" ", "");
    expect(
      words.filter((word) => !said.includes(word.toLowerCase())),
      text,
    ).toEqual([]);
  }
});

test.each(["markdown", "technical"])(
  "%s text that comes token by token is covered, and each leaf comes once",
  (name) => {
    for (const { text, options } of casesOf(name)) {
      const tokens = tokensOf(text);
      expect(tokens.join("")).toBe(text);
      const stream = new SpeakableStream(options);
      const waited = [...tokens.flatMap((token) => stream.push(token)), ...stream.end()];
      let open: OpenText | undefined;
      const atOnce: Leaf[] = [];
      for (const token of tokens) {
        const part = speakablePart(token, options, open);
        atOnce.push(...part.leaves);
        open = part.open;
      }
      const said = (leaves: readonly Leaf[]): string =>
        leaves
          .map(({ speech }) => speech)
          .join("")
          .replaceAll(/\s+/g, " ");
      expect(said(waited), text).toBe(said(speakable(text, options)));
      // The word that stands for said text in a prefix.
      expect(said(atOnce), text).not.toContain("x0x");
      for (const leaves of [waited, atOnce]) {
        expect(leaves.map(({ from }) => from)).toEqual(
          [0, ...leaves.slice(0, -1).map(({ to }) => to)].slice(0, leaves.length),
        );
        expect(leaves.at(-1)?.to ?? 0).toBe(Array.from(text).length);
      }
    }
  },
);
