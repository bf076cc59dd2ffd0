// A block of code in words.
import type { Token } from "markdown-it";
import type { SpeakableOptions } from "../segment.js";
import type { Vocabulary } from "../words/vocabulary.js";
import { endLineOf, lineOf, linesIn } from "./block-tokens.js";
import { codeName } from "./code-names.js";
import { codeWords } from "./inline.js";
import type { LinePlaces } from "./line-places.js";
import type { Words } from "./links.js";

/** Notes whether a fence has its last line. */
export function noteClosed(token: Token, lines: LinePlaces): void {
  const last = lines
    .text(endLineOf(token) - 1)
    .replace(/^[\s>]+/, "")
    .trimEnd();
  const { markup } = token;
  const isMarks = last.length >= markup.length && last === markup.charAt(0).repeat(last.length);
  token.meta = { isClosed: isMarks && endLineOf(token) - lineOf(token) > 1 };
}

export function isClosed(token: Token): boolean {
  return (token.meta as { readonly isClosed: boolean }).isClosed;
}

/** `goesOn`: the block was announced before. `saidLength`: characters of its first line that were said before, or that stand for them. */
export function fenceWords(
  token: Token,
  goesOn: boolean,
  saidLength: number,
  choice: NonNullable<SpeakableOptions["code"]>,
  vocabulary: Vocabulary,
): Words {
  const content = token.content.slice(saidLength);
  const count = linesIn(content) - (saidLength > 0 ? 1 : 0);
  const name = codeName(token.info);
  const language = name === "" ? "" : `${name}, `;
  const parts: string[] = [];
  if (!goesOn || count > 0) parts.push(vocabulary.say(goesOn ? "codeGoesOn" : "code", { language, count }));
  if (goesOn && isClosed(token)) parts.push(vocabulary.say("codeEnds"));
  const announced = parts.join(", ");
  if (choice === "announce") return { speech: announced, braille: announced };
  if (choice === "skip") return { speech: "", braille: "" };
  const { speech, braille } = codeWords(content, vocabulary);
  return { speech: goesOn ? speech : `${announced}\n${speech}`, braille };
}
