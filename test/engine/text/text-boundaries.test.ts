import { decodeGenerator, encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { TextBoundaries } from "../../../src/engine/text/text-boundaries.js";
import {
  append,
  chunksOf,
  complete,
  countingSegmenter,
  cutsOf,
  feed,
  piecesOf,
  segmenter,
} from "./text-boundaries-support.js";

const sentencesOf = (text: string, markdown = true, language = "en"): readonly string[] =>
  piecesOf(text, cutsOf(feed([text], language, markdown), "sentence"));

const answer = `## What the daemon does

It sits between agents and those who listen to them. Each listener says what it can take, e.g. three messages a second, and the daemon keeps to that. Nothing is lost on the way!

### Installing it

1. **Get the package.** Version 2.0.1 or newer will do.
2. Start it with \`aaepd serve. Now\` (see the manual).
3. Ask Dr. Okafor for a key. She answers quickly.
4. Wait until the light is green, i.e. about 3.5 seconds.

\`\`\`ts
const socket = await connect("/run/aaepd. sock");
socket.send({ hello: "world. Are you there? Yes." });

console.log("done. Really done.");
\`\`\`

After that the log says "Ready. Waiting for agents." and stays quiet. Does yours say something else? Then look at www.example.com for help. Perhaps the port is taken; perhaps a firewall stands in the way.

| Setting | Meaning |
|---|---|
| rate | How often. Per second. |
| pause | Whether it waits. |

- Readers who are in a hurry choose paragraphs
- Readers who like detail choose sentences
  - Both can change their minds. At any time.

> A good listener is not merely popular everywhere. After a while he gets to know something.

Finally, a word about speed. The daemon does little for each token, because it looks at a sentence only when one may have ended. That keeps a small machine cool. It also keeps the voice close behind the text, which matters most to those who follow by ear. If you measure it, tell us what you found: we collect such numbers, and we publish all of them. The good ones and the bad ones, of course. Nobody learns from half a table. Should the voice ever fall behind, choose longer units. Paragraphs are kinder to slow voices than sentences are. And if that is not enough, wait for the whole answer; it will be read to you at your own pace.

#### Questions that people ask

**Does it keep what I read?** It does, for as long as the journal says, which is one day unless you change it. **Can my neighbour read it?** No. Only your own account may open the socket, and Prof. Lindqvist of the audit team checked that in vers. 1.9 and again in version 2.0. *What happens when the agent stops in mid-sentence?* You hear what there is after five seconds... and the rest when it comes. "Will it ever interrupt me?" asked Ms. Abara. "Only if something cannot wait. That is rare," was the answer.

Last of all, thank you for reading this far. Most people do not, and they miss the best part: the daemon can be paused, and it tells you afterwards what you missed. Try it once today!
`;

describe("text boundaries of a stream", () => {
  it("performance: calls the segmenter at most twice per sentence of a long Markdown answer", () => {
    const counting = countingSegmenter();
    const tokens = [...decodeGenerator(encode(answer))];
    expect(tokens.length).toBeGreaterThanOrEqual(600);
    const boundaries = new TextBoundaries(counting);
    let from = 0;
    let sentenceCount = 0;
    const take = (): void => {
      for (let cut = boundaries.next(from, "sentence"); cut !== undefined; cut = boundaries.next(from, "sentence")) {
        expect(["sentence", "paragraph", "completion"]).toContain(boundaries.levelAt(cut));
        expect(boundaries.cutWithin(from, cut, 16_384, 65_536)).toBe(cut);
        boundaries.forget(cut);
        from = cut;
        sentenceCount += 1;
      }
    };
    for (const token of tokens) {
      append(boundaries, token, "en", { markdown: true });
      take();
    }
    complete(boundaries);
    take();
    expect(from).toBe(answer.length);
    expect(sentenceCount).toBeGreaterThan(30);
    expect(counting.callCount()).toBeLessThanOrEqual(2 * sentenceCount);
  });

  it("performance: shows the segmenter a short stretch only, however long a text has no sentence in it", () => {
    let longest = 0;
    const boundaries = new TextBoundaries({
      ...segmenter,
      sentenceEnds: (text, language) => {
        longest = Math.max(longest, text.length);
        return segmenter.sentenceEnds(text, language);
      },
    });
    for (const chunk of chunksOf("see e.g. Dr. or Mr. ".repeat(2_000), [40])) {
      append(boundaries, chunk, "en", { markdown: true });
    }
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(160);
  });

  it("R10: a sentence counts once its next word is complete, and not before", () => {
    const boundaries = feed(["Hello world. Ne"], "en", true);
    expect(boundaries.next(0, "sentence")).toBeUndefined();
    append(boundaries, "xt ", "en", { markdown: true });
    expect(boundaries.next(0, "sentence")).toBe(13);
    expect(boundaries.next(13, "sentence")).toBeUndefined();
  });

  it("R10: a blank line counts at once, in plain text too", () => {
    for (const markdown of [true, false]) {
      const boundaries = feed(["No stop here\n\n"], "en", markdown);
      expect(boundaries.next(0, "paragraph")).toBe(14);
      expect(boundaries.levelAt(14)).toBe("paragraph");
    }
  });

  it("R10: list items, headings and rows end with their line in Markdown only", () => {
    const text = "# Title\nText:\n- one\n- two\n| a |\n| b |\nEnd";
    expect(sentencesOf(text)).toEqual(["# Title\n", "Text:\n", "- one\n", "- two\n", "| a |\n", "| b |\n"]);
    expect(sentencesOf(text, false)).toEqual([]);
  });

  it("R10: a block that a blank line follows is delivered with it", () => {
    const boundaries = feed(["- one\n"], "en", true);
    expect(boundaries.next(0, "sentence")).toBeUndefined();
    expect(boundaries.levelAt(6)).toBe("sentence");
    append(boundaries, "\nNext", "en", { markdown: true });
    expect(boundaries.next(0, "sentence")).toBe(7);
    expect(boundaries.levelAt(7)).toBe("paragraph");
  });

  it("inside a fenced code block nothing counts as a boundary, blank lines included", () => {
    const text = "Look:\n```js\na. B c. D\n\ne. F\n```\nDone now. Well";
    const boundaries = feed(chunksOf(text, [3]), "en", true);
    complete(boundaries);
    expect(piecesOf(text, cutsOf(boundaries, "sentence"))).toEqual([
      "Look:\n",
      "```js\na. B c. D\n\ne. F\n```\n",
      "Done now. ",
      "Well",
    ]);
    const code = { start: text.indexOf("```"), end: text.indexOf("Done") };
    expect(cutsOf(boundaries, "word").filter((cut) => cut > code.start && cut < code.end)).toEqual([]);
    expect(cutsOf(boundaries, "paragraph")).toEqual([text.length]);
  });

  it("R10: a code block that is too long is cut at line ends, and inside a line only where that is too long", () => {
    const text = `\`\`\`\n${"one. Two three\n".repeat(6)}${"x y. Z ".repeat(20)}\n\`\`\`\n`;
    const boundaries = feed([text], "en", true);
    const pieces: string[] = [];
    for (let from = 0; from < text.length; ) {
      const to = boundaries.cutWithin(from, text.length, 50, 65_536);
      pieces.push(text.slice(from, to));
      from = to;
    }
    expect(pieces[0]).toBe(`\`\`\`\n${"one. Two three\n".repeat(3)}`);
    expect(pieces[1]).toBe("one. Two three\n".repeat(3));
    expect(pieces[2]).toHaveLength(50);
    expect(pieces.join("")).toBe(text);
  });

  it("longer text is cut at the strongest boundary of its later half, else at a word", () => {
    const boundaries = feed(
      ["First one here. Then a second one. And so on without an end in sight for long"],
      "en",
      false,
    );
    expect(boundaries.slice(0, boundaries.cutWithin(0, boundaries.length, 40, 65_536))).toBe(
      "First one here. Then a second one. ",
    );
    expect(boundaries.slice(35, boundaries.cutWithin(35, boundaries.length, 20, 65_536))).toBe("And so on without ");
    expect(boundaries.cutWithin(0, 10, 10, 65_536)).toBe(10);
  });

  it("a cluster at the limit stays whole, however long it is", () => {
    const text = `${"x".repeat(149)}e${"\u0301".repeat(100)}${"x".repeat(50)}`;
    expect(feed([text], "en", false).cutWithin(0, text.length, 200, 65_536)).toBe(149);
    expect(feed([text], "en", false).cutWithin(140, text.length, 60, 65_536)).toBe(149);
    // In a hurry none is searched for (R34).
    expect(feed([text], "en", false).cutWithin(0, text.length, 200, 65_536, true)).toBe(200);
  });

  it("R10: bytes are those of the JSON string, escapes and quotation marks included", () => {
    const boundaries = feed(['"'.repeat(40)], "en", false);
    expect(boundaries.cutWithin(0, 40, 1_000, 22)).toBe(10);
    expect(feed(["\u0001".repeat(40)], "en", false).cutWithin(0, 40, 1_000, 62)).toBe(10);
    expect(feed(["é".repeat(40)], "en", false).cutWithin(0, 40, 1_000, 22)).toBe(10);
    expect(feed(["👍".repeat(40)], "en", false).cutWithin(0, 80, 1_000, 42)).toBe(20);
  });

  it("R10: one endless cluster is cut between code points, since no event may exceed its limits", () => {
    const boundaries = feed([`e${"\u0301".repeat(500)}`], "en", false);
    expect(boundaries.cutWithin(0, 501, 80, 65_536)).toBe(80);
  });

  it("R10: quotations and brackets keep their sentences together, but not for longer than 300 characters", () => {
    expect(sentencesOf('She said "Stop. Go home. Now." and left. Then it')).toEqual([
      'She said "Stop. Go home. Now." and left. ',
    ]);
    const open = `He said (${"it goes on. And ".repeat(3)}`;
    expect(sentencesOf(open)).toEqual([]);
    expect(sentencesOf(`${open}${"on and on ".repeat(30)}`).length).toBeGreaterThan(1);
  });

  it("R10: words are cut in scripts without spaces too", () => {
    const thai = "สวัสดีครับวันนี้อากาศดีมากเลยนะครับ";
    const words = piecesOf(thai, cutsOf(feed([thai], "th", false), "word"));
    expect(words.slice(0, 3)).toEqual(["สวัสดี", "ครับ", "วัน"]);
    const quoted = "彼は「学生」です".repeat(9);
    const cut = piecesOf(quoted, cutsOf(feed([quoted], "ja", false), "word"));
    expect(cut.slice(0, 5)).toEqual(["彼", "は", "「学生」", "です", "彼"]);
    const japanese = feed(["私は学生です。"], "ja", false);
    expect(japanese.lastWord(0)).toBe(7);
    expect(feed(["私は学"], "ja", false).lastWord(0)).toBe(2);
  });

  it("R10: the last word ends before an unfinished one, and code is released by lines", () => {
    expect(feed(["Hello wor"], "en", true).lastWord(0)).toBe(6);
    expect(feed(["Hello world. "], "en", true).lastWord(0)).toBe(13);
    expect(feed(["Hel"], "en", true).lastWord(0)).toBe(0);
    expect(feed(["Hel"], "en", true).lastWord(2)).toBe(2);
    expect(feed(["```\na b c\nd e"], "en", true).lastWord(0)).toBe(10);
    // It may still become a fence.
    expect(feed(["Run\n``"], "en", true).lastWord(0)).toBe(4);
  });

  it("R10: what a released segment ends with is judged as if the text ended there", () => {
    expect(feed(["It is done."], "en", true).levelAt(11)).toBe("sentence");
    expect(feed(["Ask Dr."], "en", true).levelAt(7)).not.toBe("sentence");
    expect(feed(["It is "], "en", true).levelAt(6)).toBe("word");
    expect(feed(["It is"], "en", true).levelAt(4)).toBe("none");
    expect(feed(["完了。"], "ja", true).levelAt(3)).toBe("sentence");
    const whole = feed(["It"], "en", true);
    complete(whole);
    expect(whole.levelAt(2)).toBe("completion");
  });

  it("R10: a change of language decides what was open", () => {
    const boundaries = feed(["All is well. "], "en", false);
    expect(boundaries.next(0, "sentence")).toBeUndefined();
    append(boundaries, "Alles ist gut. Ja", "de", { markdown: false });
    expect(boundaries.next(0, "sentence")).toBe(13);
    append(boundaries, "wohl. ", "de", { markdown: false });
    expect(boundaries.next(13, "sentence")).toBe(28);
  });

  it("R34: how text was scanned does not decide what a quotation mark is that a language begins with", () => {
    const scannedBy = (step: number): readonly number[] => {
      const boundaries = new TextBoundaries(segmenter);
      boundaries.append(`${"abc ".repeat(20)}It ended.`, "en", { markdown: false });
      boundaries.append('"Go. Home." ', "el", { markdown: false });
      for (let to = step; to < boundaries.length + step; to += step) boundaries.scanTo(to);
      return cutsOf(boundaries, "sentence");
    };
    expect(scannedBy(2)).toEqual(scannedBy(1000));
  });

  it("R10: who joins in mid-output finds the beginning of the segment being held", () => {
    const boundaries = feed(["One here. Two here. Three he"], "en", false);
    expect(boundaries.last(28, "sentence")).toBe(20);
    expect(boundaries.last(15, "sentence")).toBe(10);
    expect(boundaries.last(28, "word")).toBe(26);
    expect(boundaries.last(28, "paragraph")).toBe(0);
    boundaries.forget(20);
    expect(boundaries.last(28, "sentence")).toBe(20);
  });

  it.each([
    ["We shipped it! 🚀🎉 ", "Thanks, everyone."],
    ["✅ Build passes. ", "✅ Tests pass. ", "❌ Lint fails. ", "Mend it."],
  ])(
    "R10: an emoji belongs to the sentence that it closes, or opens where the one before was opened by one: %s",
    (...sentences) => {
      for (const size of [1, 3, 100]) {
        const text = sentences.join("");
        const boundaries = feed(chunksOf(text, [size]), "en", false);
        complete(boundaries);
        expect(piecesOf(text, cutsOf(boundaries, "sentence"))).toEqual(sentences);
      }
    },
  );
});
