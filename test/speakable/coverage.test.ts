import fc from "fast-check";
import { expect, test } from "vitest";
import { type Leaf, type OpenText, SpeakableStream, speakable, speakablePart } from "../../src/speakable/index.js";
import { SPEAKABLE_LANGUAGES } from "../../src/speakable/segment.js";
import { ENGLISH } from "../../src/speakable/words/catalogues/en.js";
import { Vocabulary } from "../../src/speakable/words/vocabulary.js";
import { casesOf, isWhole } from "../support/extent.js";

const CASES = isWhole ? 2_000 : casesOf(2_000);
/** Pieces that open, close and break things, and ordinary words. */
const PIECES = [
  ..."# |## h|- |* |1. |> |>|```|~~~|```js\n|**|*|__|_|~~|`|``|[|](|https://x.org/a)|![|<b>|</b>|<br/>|$|$$|\\(|\\)|\\|a|{|}".split(
    "|",
  ),
  ..."|,| a | b |\n,|---|---|\n,\n,\n\n,---\n,===\n,  ,\t,    ,Word. ,Next sentence! ,2**10,50%,x_y,[x] ,&amp;,&#0;,--,—".split(
    ",",
  ),
  ..."- [ ] t\n;@@ -1 +1 @@\n;+x\n;-y\n;diff --git\n;--- a\n;http://a.b/c?d=(e);漢字。;مرحبا;🎉;👨‍👩‍👧;🇩🇪;\u001b[31m;\u001b]8;\u0007;\u001b".split(
    ";",
  ),
  "\r\n",
  "\r",
  "\0",
  "\u2028",
  "\ud800",
  "\udc00",
];
const texts = fc
  .array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PIECES) }, { weight: 1, arbitrary: fc.string() }), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(""));
const options = fc.record({
  code: fc.constantFrom("announce", "read", "skip"),
  links: fc.constantFrom("text", "host", "full"),
  emoji: fc.constantFrom("name", "drop"),
  language: fc.constantFrom("en", "es", "fr", "de", "ja", "ar"),
});

/** The end of the leaves, each of which begins where the one before ends. */
function endOf(leaves: readonly Leaf[], from = 0): number {
  let at = from;
  for (const leaf of leaves) {
    expect(leaf.from).toBe(at);
    expect(leaf.to).toBeGreaterThan(at);
    at = leaf.to;
  }
  return at;
}

/** The text in chunks of these sizes, in code points. */
function chunksOf(text: string, sizes: readonly number[]): readonly string[] {
  const characters = Array.from(text);
  const chunks: string[] = [];
  for (let at = 0, turn = 0; at < characters.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(characters.slice(at, at + size).join(""));
    at += size;
  }
  return chunks;
}

test("every character stands in exactly one leaf", () => {
  fc.assert(
    fc.property(texts, options, (text, choices) => {
      expect(endOf(speakable(text, choices))).toBe(Array.from(text).length);
    }),
    { numRuns: CASES },
  );
});

const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });

test("the leaves of a stream cover the text however it is cut, and through a restart at any chunk", () => {
  fc.assert(
    fc.property(texts, sizes, options, fc.nat(40), (text, cuts, choices, restart) => {
      let stream = new SpeakableStream(choices);
      let at = 0;
      for (const [index, chunk] of chunksOf(text, cuts).entries()) {
        at = endOf(stream.push(chunk), at);
        if (index === restart) stream = new SpeakableStream(choices, JSON.parse(JSON.stringify(stream.state)));
      }
      expect(endOf(stream.end(), at)).toBe(Array.from(text).length);
    }),
    { numRuns: CASES },
  );
});

test("parts cover the text, each at once", () => {
  fc.assert(
    fc.property(texts, sizes, options, (text, cuts, choices) => {
      let open: OpenText | undefined;
      for (const chunk of chunksOf(text, cuts)) {
        const part = speakablePart(chunk, choices, open);
        open = JSON.parse(JSON.stringify(part.open)) as OpenText;
        expect(part.open.position).toBe(endOf(part.leaves, part.open.position - Array.from(chunk).length));
      }
      expect(open?.position ?? 0).toBe(Array.from(text).length);
    }),
    { numRuns: CASES },
  );
});

test("what is remembered of open text stays small", () => {
  const hostile = ["> ", "- ", "1. ", "    - a\n", "| a ".repeat(200), "```".repeat(50)].map((one) => one.repeat(300));
  for (const text of hostile) {
    expect(JSON.stringify(speakablePart(text).open).length).toBeLessThan(40_000);
    expect(speakablePart(text).open.prefix.length).toBeLessThanOrEqual(2_000);
  }
});

test.each(SPEAKABLE_LANGUAGES.slice(1))("%s has a word for all that English has one for", (language) => {
  const { catalogue } = new Vocabulary(language);
  for (const group of ["symbols", "rows", "unseen"] as const)
    expect(Object.keys(catalogue[group]).sort()).toEqual(Object.keys(ENGLISH[group]).sort());
  for (const words of [catalogue, ENGLISH]) expect(JSON.stringify(words)).not.toContain(':""');
});
