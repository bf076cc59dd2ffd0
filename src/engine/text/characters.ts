// What a character is to the places where text may be cut. Pure tables and tests; no state, no language.
// ASCII answers come first everywhere, because these run for every character that is published.

const SENTENCE_TERMINAL = /^\p{Sentence_Terminal}/u;
const EXTENDS_CLUSTER = /^(?:[\p{M}\p{Emoji_Modifier}\uff9e\uff9f\u{e0020}-\u{e007f}]|\u200c|\u200d)/u;
const SYMBOL_AFTER_SENTENCE = /^(?:[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]|\ufe0f|\u200d)/u;

const INK = /^[\p{L}\p{N}\p{S}]/u;

/** A text to look at, character by character. */
export type Characters = Pick<string, "length" | "charAt" | "charCodeAt" | "codePointAt" | "slice">;

/**
 * Whether the character at `index` is one that a sentence or a word can be made of: a letter, a digit, an emoji or another symbol. Marks of
 * punctuation and of Markdown are not; alone they are nothing to be said.
 */
export function isInk(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 0x80)
    return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  return INK.test(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

/** White space at which a line may break. No-break spaces are left out: they say that what is around them belongs together. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0x85;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a && code !== 0x2007) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** A Chinese character of the common ones: nothing about it needs a table. */
export function isIdeograph(code: number): boolean {
  return code >= 0x4e00 && code <= 0x9fff;
}

/** Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han. */
export function isUnspacedScript(code: number): boolean {
  if (code < 0x0e00) return false;
  return (
    code <= 0x0eff ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) ||
    (code >= 0x3005 && code <= 0x3007) ||
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x31f0 && code <= 0x31ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xd840 && code <= 0xd88c) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff66 && code <= 0xff9f)
  );
}

/**
 * How many UTF-16 units of sentence terminator stand at `index`: 0 where there is none. Any script's terminators count; the
 * semicolon is one in Greek only.
 */
export function terminatorLength(text: Characters, index: number, language: string): number {
  const code = text.charCodeAt(index);
  if (code < 0x80) {
    if (code === 0x2e || code === 0x21 || code === 0x3f) return 1;
    return code === 0x3b && /^el\b/i.test(language) ? 1 : 0;
  }
  // Letters of the most common scripts, so that the property test below stays rare.
  if (code < 0x37e || (code > 0x37e && code < 0x589) || (code > 0x3002 && code < 0xa4ff)) return 0;
  if (code >= 0xac00 && code <= 0xd7ff) return 0;
  if (code === 0x37e) return 1;
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
  return SENTENCE_TERMINAL.test(character) ? character.length : 0;
}

/** True where a cut before `index` would fall inside a grapheme cluster: a mark, a joiner or a modifier that follows stands there. */
export function extendsCluster(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (Number.isNaN(code) || code < 0x300) return false;
  if (code >= 0xdc00 && code <= 0xdfff) return true;
  return EXTENDS_CLUSTER.test(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

/** Length of an emoji or part of one at `index`, as people put it right after a sentence; 0 where there is none. */
export function emojiLength(text: Characters, index: number): number {
  const code = text.charCodeAt(index);
  if (!(code >= 0x200d)) return 0;
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
  return SYMBOL_AFTER_SENTENCE.test(character) ? character.length : 0;
}
