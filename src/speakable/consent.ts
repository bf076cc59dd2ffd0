// A text that a person consents to, or that is kept as evidence: shown, not cleaned. Each character that is invisible or reorders others is named in
// its place.
import { codePointCount } from "../base/code-points.js";
import { sequencesIn } from "./terminal-sequences.js";
import { pictureName, picturesIn } from "./words/pictures.js";
import { spoken } from "./words/spoken.js";
import { UNSEEN } from "./words/unseen.js";
import { imitatesName, type Vocabulary, vocabularyOf } from "./words/vocabulary.js";

export interface RevealOptions {
  /** The language of the names, as in `SpeakableOptions`. Default `en`. */
  readonly language?: string;
  /** The most code points to show. The rest is left out, and counted in the text. Default: all. */
  readonly limit?: number;
}

/** A named stretch of a text: a character that is not seen, a sequence for a terminal, what was left out, or, when spelled, each character. */
export interface NamedCharacter {
  /** In code points of the text. */
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

export interface RevealedText {
  /**
   * The text for eyes, a braille display or a log: each name stands in square brackets, everything else as it was. Of a text that imitates such a
   * name the bracket is named.
   */
  readonly text: string;
  /** The same to listen to: symbols in words, names between commas. */
  readonly speech: string;
  /** The named stretches, in the order of the text. Empty for a text that is what it looks like. */
  readonly named: readonly NamedCharacter[];
}

/** The characters behind a picture that belong to it: the wish for colours, a skin tone, a joiner with the next picture. */
const PICTURE_PART =
  /(?:(?:\p{Emoji_Presentation}\p{Emoji_Modifier}?|\p{Extended_Pictographic}\ufe0f)\u200d(?=\p{Extended_Pictographic})|\p{Extended_Pictographic}\ufe0f|[0-9#*]\ufe0f\u20e3)/uy;

/**
 * A text as a person who is asked must see it. Nothing is taken away or read as Markdown. For the questions of a terminal, for their speakable form,
 * and for records.
 */
export function revealed(text: string, { language, limit }: RevealOptions = {}): RevealedText {
  const vocabulary = vocabularyOf(language);
  const parts: { readonly shown: string; readonly name?: string }[] = [];
  const named: NamedCharacter[] = [];
  let plain = "";
  let point = 0;
  const name = (words: string, length: number) => {
    parts.push({ shown: plain }, { shown: `[${words}]`, name: words });
    named.push({ from: point, to: point + length, name: words });
    plain = "";
    point += length;
  };
  let marks = 0;
  const sequences = new Map(Array.from(sequencesIn(text), (found) => [found.index, found[0]]));
  for (let at = 0; at < text.length; ) {
    if (limit !== undefined && point >= limit) {
      const count = codePointCount(text.slice(at));
      name(vocabulary.say("leftOut", { count }), count);
      break;
    }
    const sequence = sequences.get(at);
    const whole = sequence ?? pictureAt(text, at) ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    marks = /^\p{M}$/u.test(whole) ? marks + 1 : 0;
    if (sequence !== undefined) name(sequenceName(sequence, vocabulary), codePointCount(sequence));
    else if (UNSEEN.test(whole) && whole.length <= 2 && !PICTURE.test(whole)) name(unseenName(whole, vocabulary), 1);
    else if (whole === " " && text.startsWith(FAR, at)) {
      const blanks = text.slice(at).search(/[^ ]|$/);
      name(`${blanks} × ${vocabulary.catalogue.unseen["20"]}`, blanks);
      at += blanks - 1;
    } else if (marks > MOST_MARKS || OVERLAY.test(whole)) name(codeOf(whole), 1);
    else if (/[[［]/.test(whole) && imitatesName(text.slice(at + 1, at + 1 + LONGEST_NAME)))
      name(characterName(whole, vocabulary), 1);
    else {
      plain += whole;
      point += codePointCount(whole);
    }
    at += whole.length;
  }
  parts.push({ shown: plain });
  const speech = parts.map(({ shown, name: words }) =>
    words === undefined ? said(shown, vocabulary) : `, ${words}, `,
  );
  return {
    text: parts.map(({ shown }) => shown).join(""),
    speech: speech.join("").replace(/^, |, $|, (?=, )/g, ""),
    named,
  };
}

/** Marks on one letter that writing needs. More hide what is below them. */
const MOST_MARKS = 4;
/** So many blanks carry what follows out of sight. */
const FAR = " ".repeat(16);
/** Strokes through a letter. */
const OVERLAY = /^[\u0334-\u0338\u20d2-\u20d4\u20e5\u20e6\u20ea\u20eb]/u;
/** Characters behind a bracket that are looked at. */
const LONGEST_NAME = 60;

function said(text: string, vocabulary: Vocabulary): string {
  let words = "";
  let from = 0;
  for (const [at, end] of picturesIn(text)) {
    words += spoken(text.slice(from, at), vocabulary, { isExact: true }) + pictureName(text, at, end, vocabulary);
    from = end;
  }
  return words + spoken(text.slice(from), vocabulary, { isExact: true });
}

const PICTURE = /^[\p{Extended_Pictographic}0-9#*]/u;

function pictureAt(text: string, at: number): string | undefined {
  PICTURE_PART.lastIndex = at;
  return PICTURE_PART.exec(text)?.[0];
}

/**
 * A text letter by letter: every code point with its name. Capitals, and letters of another script than the language's, such as a Cyrillic а in a
 * Latin word, are named as what they are.
 */
export function spelled(text: string, { language }: Pick<RevealOptions, "language"> = {}): readonly NamedCharacter[] {
  const vocabulary = vocabularyOf(language);
  return Array.from(text, (character, index) => ({
    from: index,
    to: index + 1,
    name: characterName(character, vocabulary),
  }));
}

function characterName(character: string, vocabulary: Vocabulary): string {
  if (UNSEEN.test(character) || /\s/.test(character)) return unseenName(character, vocabulary);
  if (/\p{L}/u.test(character)) return letterName(character, vocabulary);
  if (/\p{N}/u.test(character)) return /[0-9]/.test(character) ? character : coded(character);
  if (character === "-") return vocabulary.symbol("-") ?? character;
  if (character === "#") return vocabulary.say("hash");
  const name = vocabulary.symbol(character) ?? vocabulary.emoji(character);
  return name === character && !/^[!-~]$/.test(character) ? coded(character) : name;
}

/** Scripts whose letters are taken for one another, and those of the catalogues' languages. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  Latn: /\p{Script=Latin}/u,
  Cyrl: /\p{Script=Cyrillic}/u,
  Grek: /\p{Script=Greek}/u,
  Armn: /\p{Script=Armenian}/u,
  Hebr: /\p{Script=Hebrew}/u,
  Arab: /\p{Script=Arabic}/u,
  Hira: /\p{Script=Hiragana}/u,
  Kana: /\p{Script=Katakana}/u,
  Hani: /\p{Script=Han}/u,
  Hang: /\p{Script=Hangul}/u,
  Cher: /\p{Script=Cherokee}/u,
};
const OWN_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  ja: ["Latn", "Hira", "Kana", "Hani"],
  ar: ["Latn", "Arab"],
};

function letterName(letter: string, vocabulary: Vocabulary): string {
  const script = Object.keys(SCRIPTS).find((code) => SCRIPTS[code]?.test(letter));
  const own = OWN_SCRIPTS[vocabulary.language] ?? ["Latn"];
  const isOther =
    script === undefined ||
    !own.includes(script) ||
    letter.normalize("NFKC") !== letter ||
    (script === "Latn" && !/^[A-Za-zßæœøðþłđ]/i.test(letter.normalize("NFD")));
  const shown = isOther && (script === undefined || own.includes(script)) ? coded(letter) : letter;
  const cased = /\p{Lu}/u.test(letter) ? vocabulary.say("capital", { letter: shown }) : shown;
  if (script === undefined || own.includes(script)) return cased;
  return vocabulary.say("scriptLetter", { script: vocabulary.script(script), letter: cased });
}

function coded(character: string): string {
  return `${character} ${codeOf(character)}`;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function unseenName(character: string, vocabulary: Vocabulary): string {
  const { unseen } = vocabulary.catalogue;
  const code = codeOf(character);
  const point = character.codePointAt(0) ?? 0;
  const key = point.toString(16);
  if (Object.hasOwn(unseen, key)) return unseen[key] ?? code;
  // Tags repeat ASCII, out of sight.
  if (/[\u{e0021}-\u{e007e}]/u.test(character))
    return vocabulary.say("tag", { letter: String.fromCodePoint(point - 0xe0000) });
  if (/\p{Zs}|\u2800/u.test(character)) return (unseen.blank ?? "{code}").replace("{code}", code);
  return vocabulary.say(/\p{Cc}/u.test(character) ? "control" : "unseen", { code });
}

/** Most characters of a sequence that are named. The others are counted. */
const LONGEST_SEQUENCE_NAME = 40;

/** A sequence by its characters, the first of which is not seen. */
function sequenceName(sequence: string, vocabulary: Vocabulary): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away.
  const whole = sequence.replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
  const characters = Array.from(whole);
  const count = characters.length - LONGEST_SEQUENCE_NAME;
  const text = characters.slice(0, LONGEST_SEQUENCE_NAME).join("");
  return vocabulary.say("controlSequence", {
    text: count > 0 ? `${text}, ${vocabulary.say("leftOut", { count })}` : text,
  });
}
