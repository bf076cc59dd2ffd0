// A block of code in words.
import type { Token } from "markdown-it";
import type { SpeakableOptions } from "../segment.js";
import type { Vocabulary } from "../words/vocabulary.js";
import { isClosed, linesIn } from "./block-tokens.js";
import { codeName } from "./code-names.js";
import { codeWords } from "./inline.js";
import type { Words } from "./links.js";

/** `goesOn`: the block was announced before. `isWithin`: its first line has a letter that stands for what was said of it. */
export function fenceWords(
  token: Token,
  goesOn: boolean,
  isWithin: boolean,
  choice: NonNullable<SpeakableOptions["code"]>,
  vocabulary: Vocabulary,
): Words {
  const content = isWithin ? token.content.slice(1) : token.content;
  const count = linesIn(content) - (isWithin ? 1 : 0);
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
