// Where a stretch of text that ends at a known place may begin, the likeliest places first (R10). Knows text and positions only.

/** A chunk of an output; positions are code points from the output's start. */
export interface PlacedText {
  readonly position: number;
  readonly text: string;
}

/** Short pieces, those of a braille display among them, may begin anywhere. */
const NEAR_COUNT = 256;
const ENDS_SENTENCE = new Set(".!?:;…。！？؟।");
const CLOSES = new Set("\"'’”»)]」』");
const SPACE = new Set(" \t\r\n\u00a0\u3000");

/**
 * Positions before `end` and `end` itself: where the text as far as it is known begins, the nearest 256, beginnings of lines and sentences, then of
 * chunks and words; nearest first. The same may come more than once.
 */
export function* beginningsBefore(end: number, chunks: readonly PlacedText[]): Generator<number> {
  const base = chunks[0]?.position ?? end;
  const characters = Array.from(chunks.map(({ text }) => text).join("")).slice(0, end - base);
  yield base;
  for (let position = end; position >= Math.max(base, end - NEAR_COUNT); position -= 1) yield position;
  for (let index = characters.length; index > 0; index -= 1) if (beginsSentence(characters, index)) yield base + index;
  const begins = new Set(chunks.map(({ position }) => position));
  for (let index = characters.length; index > 0; index -= 1)
    if (begins.has(base + index) || SPACE.has(characters[index - 1] ?? "")) yield base + index;
}

function beginsSentence(characters: readonly string[], index: number): boolean {
  let before = index - 1;
  if (characters[before] === "\n") return true;
  while (SPACE.has(characters[before] ?? "")) before -= 1;
  while (CLOSES.has(characters[before] ?? "")) before -= 1;
  return ENDS_SENTENCE.has(characters[before] ?? "");
}
