// Microseconds per published token of about four characters: append, then next at one level. After a build: node bench/segmentation.mjs
import { createSegmenter } from "../dist/src/daemon/platform/segmenter.js";
import { createTextBoundaries } from "../dist/src/engine/text/text-boundaries.js";

const markdown = [
  "## What it does\n\nThe daemon sits between agents and readers. It knows, e.g. from Dr. Roe's list, what each of them wants.\n\n",
  "- **Fast.** It costs next to nothing (see below).\n- It is calm: nobody hears half a word.\n\n",
  '```ts\nconst answer = await ask("why?");\nconsole.log(answer);\n```\n\nThen she said "That is all. Good night." and left the room. ',
  "The value was 3.14 at most. Nobody had expected that! Would you have? Perhaps; perhaps not.\n\n",
].join("");
const japanese =
  "電車はもうすぐ出ます。座ってください。鍵はどこですか？「止まれ。行くな。」と彼女は言った。彼は行った。\n\n";

function microsecondsPerToken(text, language, level) {
  const segmenter = createSegmenter();
  const tokens = text.repeat(40).match(/[\s\S]{1,4}/gu) ?? [];
  const run = () => {
    const boundaries = createTextBoundaries(segmenter);
    let from = 0;
    for (const token of tokens) {
      boundaries.append(token, language, { markdown: true });
      boundaries.scanTo(boundaries.length());
      for (let cut = boundaries.next(from, level); cut !== undefined; cut = boundaries.next(from, level)) {
        boundaries.slice(from, cut);
        from = cut;
        boundaries.forget(from);
      }
    }
    boundaries.complete();
    boundaries.scanTo(boundaries.length());
  };
  for (let round = 0; round < 10; round += 1) run();
  const begin = performance.now();
  for (let round = 0; round < 10; round += 1) run();
  return ((performance.now() - begin) * 1_000) / (10 * tokens.length);
}

for (const level of ["word", "sentence", "paragraph"]) {
  console.log(`${level}: Markdown ${microsecondsPerToken(markdown, "en", level).toFixed(2)} µs`);
  console.log(`${level}: Japanese ${microsecondsPerToken(japanese, "ja", level).toFixed(2)} µs`);
}
