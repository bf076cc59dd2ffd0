// Emoji in a text.
import type { Vocabulary } from "./vocabulary.js";

const EMOJI =
  /\p{Regional_Indicator}\p{Regional_Indicator}|[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?[\u{e0020}-\u{e007f}]*(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*/gu;
/** Characters such as ✔ and © are pictures only where they are asked to be. */
const IS_PICTURE = /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator})|\ufe0f|\u20e3|\u200d/u;

/** The beginnings and ends of the emoji. */
export function picturesIn(text: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { 0: picture, index } of text.matchAll(EMOJI))
    if (IS_PICTURE.test(picture)) found.set(index, index + picture.length);
  return found;
}

/** The name of the emoji in a text, with the space or comma that keeps it from its neighbours. */
export function pictureName(text: string, at: number, end: number, vocabulary: Vocabulary): string {
  const before = /[\s\S]$/u.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? "";
  const isBehindPicture = /\p{Emoji_Presentation}|\ufe0f/u.test(before);
  const opening = before === "" || /[\s([{"“«]/.test(before) ? "" : isBehindPicture ? ", " : " ";
  const closing = /^[\p{L}\p{N}]/u.test(text.slice(end, end + 2)) ? " " : "";
  return opening + vocabulary.emoji(text.slice(at, end)) + closing;
}
