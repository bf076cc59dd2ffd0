// Properties of characters that matter for cuts in a text. Pure tables and tests, without state and language. ASCII is decided first everywhere,
// because these functions run for every published character.

const SENTENCE_TERMINAL = /^\p{Sentence_Terminal}/u;
/** Marks that end a sentence, and of which Unicode does not say so: the strokes of Tibetan, and three dots. */
const FURTHER_TERMINALS = /^[\u0f0d-\u0f11…]/;
/** The small stroke of Burmese is a comma. */
const NO_TERMINALS = /^၊/;
const EXTENDS_CLUSTER = /^(?:[\p{M}\p{Emoji_Modifier}\uff9e\uff9f\u{e0020}-\u{e007f}]|\u200c|\u200d)/u;
const SYMBOL_AFTER_SENTENCE = /^(?:[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]|\ufe0f|\u200d)/u;

const INK = /^[\p{L}\p{N}\p{S}]/u;

/** A text that is read character by character. */
export type Characters = Pick<string, "length" | "charAt" | "charCodeAt" | "codePointAt" | "slice">;

/**
 * Whether the character at `index` can be part of a sentence or a word: a letter, a digit, an emoji or another symbol. Punctuation and Markdown marks
 * cannot; marks alone are not announced.
 */
export function isInk(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 0x80)
    return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  return INK.test(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

/** White space at which a line may break. No-break spaces are excluded, because they hold their neighbours together. */
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

/** A common Chinese character, which needs no lookup in a table. */
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
 * Length of the sentence terminator at `index`, in UTF-16 units; 0 if there is none. Terminators of every script count. The semicolon counts in Greek
 * only, the colon in Armenian.
 */
export function terminatorLength(text: Characters, index: number, language: string): number {
  const code = text.charCodeAt(index);
  if (code < 0x80) {
    if (code === 0x2e || code === 0x21 || code === 0x3f) return 1;
    if (code === 0x3b) return /^el\b/i.test(language) ? 1 : 0;
    return code === 0x3a && /^hy\b/i.test(language) ? 1 : 0;
  }
  // Letters of the most common scripts, so that the property test below is rare.
  if (code < 0x37e || (code > 0x37e && code < 0x589) || (code > 0x3002 && code < 0xa4ff)) return 0;
  if (code >= 0xac00 && code <= 0xd7ff) return 0;
  if (code === 0x37e) return 1;
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
  const isTerminal =
    (SENTENCE_TERMINAL.test(character) && !NO_TERMINALS.test(character)) || FURTHER_TERMINALS.test(character);
  return isTerminal ? character.length : 0;
}

/** Whether a cut before `index` would fall inside a grapheme cluster, because a mark, a joiner or a modifier is there. */
export function extendsCluster(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (Number.isNaN(code) || code < 0x300) return false;
  if (code >= 0xdc00 && code <= 0xdfff) return true;
  return EXTENDS_CLUSTER.test(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

/** Length of an emoji, or of part of one, at `index`; 0 if there is none. Emojis often follow a sentence directly. */
export function emojiLength(text: Characters, index: number): number {
  const code = text.charCodeAt(index);
  if (!(code >= 0x200d)) return 0;
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
  return SYMBOL_AFTER_SENTENCE.test(character) ? character.length : 0;
}
