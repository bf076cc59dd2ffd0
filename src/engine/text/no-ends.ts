// Marks that end no sentence although they could: rules as data, each with texts that show it (R10). A text has a bar where a sentence does end.

/** What a rule is judged by. All of it is short. */
export interface MarkPlace {
  /** The marks themselves, such as `.` or `?!`. */
  readonly marks: string;
  /** What closes behind them: quotation marks, brackets, emphasis. */
  readonly closers: string;
  /** The word before the marks, without quotation marks and brackets, and the one before it. Empty if there is none. */
  readonly word: string;
  readonly wordBefore: string;
  /** Whether nothing but the word stands in its line before the marks. */
  readonly beginsLine: boolean;
  /** The beginning of the next word, with what opens before it. */
  readonly next: string;
}

export interface NoEnd {
  readonly name: string;
  /** Matched against the whole of each part; undefined: any. */
  readonly marks?: RegExp;
  readonly closers?: RegExp;
  readonly word?: RegExp;
  readonly wordBefore?: RegExp;
  readonly beginsLine?: true;
  readonly next?: RegExp;
  /** Primary subtags of the languages in which it holds; undefined: in all. */
  readonly languages?: readonly string[];
  readonly shows: readonly string[];
}

const STOP = /^[.．]$/;
const NUMBER = /^\d+$/;
const LOWER_CASE = /^[\p{Ps}\p{Pi}\p{Pf}"'*_`]*\p{Ll}/u;
const LOWER_CASE_OR_NUMBER = /^[\p{Ps}\p{Pi}\p{Pf}"'*_`]*[\p{Ll}\p{Nd}]/u;
const DIGIT = /^\d/;
/** More than emphasis. */
const QUOTES_OR_BRACKETS = /[^*_~]/;

/** Abbreviations that the segmenter does not know. Of each language those that a word always follows, and those that can end a sentence too. */
const ABBREVIATIONS: readonly NoEnd[] = [
  {
    name: "an English abbreviation before its word",
    word: /^(?:[Aa]pprox|[Cc]f|[Ff]igs?|ca|resp|[Ee]qs?|[Cc]h|[Vv]ols?|[Ee]ds?|[Rr]efs?|[Tt]el|incl|excl|temp|orig|trans|repr|[Ii]bid|viz|vs|al)$/,
    languages: ["en"],
    shows: ["It is approx. 40 miles. │Go.", "Compare cf. Smith here. │Read.", "Berg et al. found it. │Good."],
  },
  {
    name: "a German abbreviation before its word",
    word: /^(?:Abb|Kap|Tel|Fr|inkl|exkl|zzgl|bspw|Jh|Tab|Abs|Bd|Aufl|Hrsg|geb|gest|allg|insb|Dipl|Okt|Dez|ca|vgl|bzw|evtl|ggf|sog)$/,
    languages: ["de"],
    shows: ["Siehe Abb. 4 dort. │Ja.", "Es gilt Abs. III nicht. │Nein."],
  },
  {
    name: "a French abbreviation before its word",
    word: /^(?:pp?|MM?|Mmes?|Mlles?|Drs?|Prs?|Ste?s?|janv|févr|avr|juil|sept|oct|nov|déc|c\.-à-d|réf|fig|chap|env|cf|art|vol)$/,
    languages: ["fr"],
    shows: ["Mme. Petit arrive. │Entrez.", "Voir la réf. Dupont ici. │Merci."],
  },
  {
    name: "a Spanish or Portuguese abbreviation before its word",
    word: /^(?:[Aa]prox|[Pp]ágs?|[Nn]úm|[Vv]ol|[Cc]ap|[Aa]v|[Tt]el|máx|mín|séc|[Nn]º|[Rr]ef|[Ff]ig|Sr|Sra|Dr|Dra|Prof|p\.ej|p\.ex)$/,
    languages: ["es", "pt"],
    shows: ["Son aprox. 40 millas. │Vamos.", "Mira la pág. Dos de hoy. │Bien."],
  },
  {
    name: "an Italian abbreviation before its word",
    word: /^(?:[Pp]agg?|[Nn]um|[Ff]ig|[Cc]ap|[Vv]ol|[Ss]ig|[Dd]ott|[Pp]rof|[Ii]ng|[Aa]vv|[Tt]el|ca|cfr)$/,
    languages: ["it"],
    shows: ["Vedi pag. Dodici oggi. │Bene."],
  },
  {
    name: "a Russian abbreviation before its word",
    word: /^(?:им|ул|пр|просп|пл|д|кв|стр|рис|табл|см|ср|напр|проф|акад|т\.е|т\.к|гл|обл|тел)$/,
    languages: ["ru", "uk"],
    shows: ["Я живу на ул. Мира. │Приходи.", "Это см. рис. 4 внизу. │Вот."],
  },
  {
    name: "a Russian abbreviation within a sentence",
    word: /^(?:гг?|вв?|руб|коп|тыс|млн|млрд|кг|км|мин|сек|р|др|т\.д|т\.п)$/,
    next: LOWER_CASE_OR_NUMBER,
    languages: ["ru", "uk"],
    shows: ["В 1999 г. он уехал. │Потом вернулся.", "Это стоит 5 руб. │Дорого."],
  },
  {
    name: "a Turkish abbreviation before its word",
    word: /^(?:[Dd]oç|[Aa]v|[Ss]ok|[Cc]ad|[Tt]el|[Öö]rn|[Bb]kz|[Pp]rof|[Dd]r|[Aa]lb|A\.Ş|M\.Ö|M\.S)$/,
    languages: ["tr"],
    shows: ["Bunu bkz. Ek olarak oku. │Tamam."],
  },
  {
    name: "an abbreviation that may end a sentence, within one",
    word: /^(?:etc|usw|ecc|Inc|Ltd|Ltda|Co|Corp|dgl|vb|vd|seq|max|min|ext|[ap]\.m|U\.S|obs)$/,
    next: LOWER_CASE,
    shows: ["Pens, ink, etc. are here. │Take them.", "We met at 5 p.m. and left. │Late."],
  },
].map((rule) => ({ ...rule, marks: STOP }));

export const NO_ENDS: readonly NoEnd[] = [
  {
    name: "a quotation with words behind it",
    closers: QUOTES_OR_BRACKETS,
    next: LOWER_CASE,
    shows: ["“Go!” she said. │He went."],
  },
  {
    name: "a pause in a sentence",
    marks: /^[.．]{2,}$/,
    next: LOWER_CASE,
    shows: ["Well... maybe. │We will see."],
  },
  {
    name: "an initial, or an abbreviation of single letters",
    marks: STOP,
    word: /^\p{L}\p{M}*$/u,
    shows: ["J. Smith came. │He sat down."],
  },
  {
    name: "a number in a sentence",
    marks: STOP,
    word: NUMBER,
    next: LOWER_CASE,
    shows: ["The 3. time it worked. │We left."],
  },
  {
    name: "the number of an item",
    marks: STOP,
    word: NUMBER,
    beginsLine: true,
    shows: ["1. Open the lid. │Wait."],
  },
  {
    name: "an ordinal number",
    marks: STOP,
    word: /^\d{1,2}$/,
    languages: [
      "bs",
      "cs",
      "da",
      "de",
      "et",
      "fi",
      "fo",
      "hr",
      "hu",
      "is",
      "lb",
      "lv",
      "nb",
      "nn",
      "no",
      "pl",
      "sk",
      "sl",
      "sr",
      "tr",
    ],
    shows: ["Am 3. Mai. │Dann nicht mehr."],
  },
  {
    name: "a short abbreviation before a number",
    marks: STOP,
    word: /^\p{Ll}{1,4}$/u,
    next: DIGIT,
    shows: ["See p. 12 there. │It is short."],
  },
  {
    name: "an abbreviation with stops inside",
    marks: STOP,
    word: /\./,
    next: LOWER_CASE,
    shows: ["Fruit, e.g. apples, is good. │Eat it."],
  },
  {
    name: "a stop within a number or a name of full width",
    marks: /^．$/,
    word: /[\p{Nd}\p{Script=Latin}]$/u,
    next: /^[\p{Nd}\p{Script=Latin}]/u,
    languages: ["ja", "zh", "ko"],
    shows: ["値は３．１４です。│次へ。", "版はＶ．２です。│次へ。"],
  },
  {
    name: "the first stops of a spaced ellipsis",
    marks: STOP,
    next: /^[.…]/,
    shows: ["Well . . . maybe. │We will see."],
  },
  {
    name: "the last stop of a spaced ellipsis",
    marks: STOP,
    word: /^\.?$/,
    next: LOWER_CASE,
    shows: ["I wonder . . . never mind. │Go on."],
  },
  {
    name: "the Roman number of an item",
    marks: STOP,
    word: /^[IVXLC]{1,6}$/,
    beginsLine: true,
    shows: ["IV. The harbour at night. │It was dark."],
  },
  {
    name: "a quotation that a particle continues",
    closers: /[」』]/,
    next: /^(?:と|って|など)/,
    shows: ["「行く。」と言った。│そして出た。"],
  },
  {
    name: "a quotation with its speaker behind it, in Chinese",
    closers: /[”’」』]/,
    next: /^(?:[他她它我你]们?)?(?:[低大高小]声)?[说問问道喊叫答]/,
    languages: ["zh"],
    shows: ["“走吧！”他说。│我们走了。"],
  },
  {
    name: "a quotation that a particle continues, in Korean",
    closers: /[”’」』"']/,
    next: /^(?:이?라고|하고|하며|라며)/,
    languages: ["ko"],
    shows: ["“가자!”라고 말했다. │우리는 갔다."],
  },
  ...ABBREVIATIONS,
];

export function isNoEnd(place: MarkPlace, language: string): boolean {
  const primary = language.split(/[-_]/, 1)[0]?.toLowerCase() ?? "";
  return NO_ENDS.some(
    ({ marks, closers, word, wordBefore, beginsLine, next, languages }) =>
      marks?.test(place.marks) !== false &&
      closers?.test(place.closers) !== false &&
      word?.test(place.word) !== false &&
      wordBefore?.test(place.wordBefore) !== false &&
      (beginsLine === undefined || place.beginsLine) &&
      next?.test(place.next) !== false &&
      languages?.includes(primary) !== false,
  );
}
