// Where a mark ends a sentence, and where it does not: rules as data, each with texts that show it (R10). In such a text a bar stands where a
// sentence ends. The segmenter decides where no rule does.
import { primarySubtag } from "../../base/primary-subtag.js";

/** A place that a rule judges. All of it is short. */
export interface MarkPlace {
  /** The marks themselves, such as `.` or `?!`. */
  readonly marks: string;
  /** Marks that close behind them: quotation marks, brackets, emphasis. */
  readonly closers: string;
  /** The word before the marks, and the one before it, without quotation marks and brackets. Empty if there is none. */
  readonly word: string;
  readonly wordBefore: string;
  /** Whether nothing but the word stands in its line before the marks. */
  readonly beginsLine: boolean;
  /** Whether the line ends behind the marks. */
  readonly endsLine: boolean;
  /** The beginning of the next word, with what opens before it. */
  readonly next: string;
}

/** A rule holds where all that it gives matches. Its texts show it in the first of its languages. */
export interface SentenceRule {
  readonly name: string;
  readonly marks?: RegExp;
  readonly closers?: RegExp;
  readonly word?: RegExp;
  readonly wordBefore?: RegExp;
  readonly beginsLine?: true;
  readonly endsLine?: true;
  readonly next?: RegExp;
  /** Primary subtags of languages; undefined: all. */
  readonly languages?: readonly string[];
  readonly shows: readonly string[];
}

const STOP = /^[.．]$/;
const NUMBER = /^\d+$/;
const LOWER_CASE = /^[\p{Ps}\p{Pi}\p{Pf}"'*_`]*\p{Ll}/u;
const LOWER_CASE_OR_NUMBER = /^[\p{Ps}\p{Pi}\p{Pf}"'*_`]*[\p{Ll}\p{Nd}]/u;
const CAPITAL = /^[\p{Ps}\p{Pi}\p{Pf}"'*_`¿¡]*\p{Lu}/u;
const DIGIT = /^\d/;
const QUOTES = /[”’"'»“‘›]/;
/** More than emphasis. */
const QUOTES_OR_BRACKETS = /[^*_~]/;
/** Words with which an English sentence often begins, and a name seldom. */
const BEGINNING =
  /^(?:[AI]|An|And|At|But|He|Her|Hers|His|If|In|It|Its|My|On|Our|She|So|That|The|Their|Then|There|These|They|This|Those|We|When|You|Your)$/;

/** Marks that end a sentence whatever the segmenter thinks of the word before them. They are asked first. */
export const ENDS: readonly SentenceRule[] = [
  {
    name: "a line before the number of an item",
    endsLine: true,
    next: /^\d{1,3}[.)]$/,
    shows: ["1. Open the case.\n│2. Close the case."],
  },
  {
    name: "an abbreviation that closes a list",
    marks: STOP,
    word: /^(?:etc|usw|ecc|enz|it[pd]|пр|др|т\.[дп]|κ\.λπ|osv)$/,
    next: CAPITAL,
    shows: ["Bring pens, paper, etc. │Take a seat.", "It is Germany vs. France today. │Come."],
  },
  {
    name: "a Turkish abbreviation that closes a list",
    marks: STOP,
    word: /^v[bs]$/,
    next: CAPITAL,
    languages: ["tr"],
    shows: ["Kalem, defter vb. │Sonra otur."],
  },
  {
    name: "an English abbreviation before a word that begins a sentence",
    marks: STOP,
    word: /^(?:Inc|Ltd|Co|Corp|Jr|Sr|No|U\.[SK]|[ap]\.m|\p{Lu})$/u,
    next: BEGINNING,
    languages: ["en"],
    shows: [
      "She works for Acorn Inc. │Her brother does not.",
      "I take vitamin D. │It helps.",
      "Was it open? │No. │It was shut.",
      "It is in Room No. B12 today. │Come.",
      "We meet at 9 a.m. EST today. │Come.",
    ],
  },
  {
    name: "the name of a month that is spelt like an abbreviation",
    marks: STOP,
    word: /^May$/,
    next: CAPITAL,
    languages: ["en"],
    shows: ["It rose in May. │Nobody bought it."],
  },
  {
    name: "a no that is spelt like an abbreviation",
    marks: STOP,
    word: /^no$/,
    next: CAPITAL,
    languages: ["es", "it"],
    shows: ["Le dije que no. │Luego me fui."],
  },
  {
    name: "a number with its unit before a capital",
    marks: STOP,
    wordBefore: /^[\d.,]+$/,
    word: /^(?:[hmsgltVWA]|[mckd]m|kg|mg|km\/h|kW|м|км|см|мм|кг|г|л|ч|мин|руб)$/,
    next: CAPITAL,
    shows: ["The pipe is 3 m. │Its end is open."],
  },
  {
    name: "a mail address or a domain before a capital",
    marks: STOP,
    word: /[\p{L}\p{N}]\.(?:com|org|net|dev|io|app|edu|gov|info|de|fr|es|it|pt|ru|uk|tr)$/u,
    next: CAPITAL,
    shows: ["Write to info@example.com. │They answer."],
  },
  {
    name: "three dots before a capital, where nouns have none",
    marks: /^(?:…|\.{3})$/,
    next: CAPITAL,
    languages: ["fr", "en", "es", "pt", "it", "pl", "ru", "uk", "tr", "nl", "el", "sv"],
    shows: ["Le rideau tomba… │Le public se leva."],
  },
  {
    name: "code or a quotation before a capital",
    marks: STOP,
    word: /^$/,
    wordBefore: /./,
    next: CAPITAL,
    shows: ["Close `main.c`. │Save it."],
  },
];

/** Abbreviations that the segmenter does not know: of each language those before their word, and those within a sentence. */
const ABBREVIATIONS: readonly SentenceRule[] = [
  {
    name: "an English abbreviation before its word",
    word: /^(?:[Aa]pprox|[Cc]f|Figs?|ca|resp|Eqs?|Ch|Vols?|eds?|Tel|incl|excl|orig|repr|[Ii]bid|viz|al)$/,
    languages: ["en"],
    shows: ["It is approx. 40 miles. │Go.", "Compare cf. Smith here. │Read.", "Berg et al. found it. │Good."],
  },
  {
    name: "an English abbreviation within a sentence",
    word: /^(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|in|ft|oz|lbs?|hrs?|mins?)$/,
    next: LOWER_CASE_OR_NUMBER,
    languages: ["en"],
    shows: ["We open Mon. to Fri. and rest then. │Call ahead."],
  },
  {
    name: "a German abbreviation before its word",
    word: /^(?:Abb|Kap|Tel|inkl|exkl|zzgl|bspw|Jh|Abs|Bd|Aufl|Hrsg|geb|gest|allg|insb|Dipl|Okt|Dez|ca|vgl|bzw|evtl|ggf|sog)$/,
    languages: ["de"],
    shows: ["Siehe Abb. 4 dort. │Ja.", "Es gilt Abs. III nicht. │Nein."],
  },
  {
    name: "a Dutch abbreviation before its word",
    word: /^(?:o\.a|d\.w\.z|bijv|bv|m\.b\.t|m\.b\.v|t\.a\.v|i\.v\.m|mw|dhr|ir|ing|drs|blz|nr|ca|resp)$/,
    languages: ["nl"],
    shows: ["Neem o.a. Jan mee. │Hij is sterk."],
  },
  {
    name: "a French abbreviation before its word",
    word: /^(?:pp?|MM?|Mmes?|Mlles?|Drs?|Prs?|Ste?s?|janv|févr|avr|juil|sept|oct|nov|déc|c\.-à-d|réf|fig|chap|env|cf)$/,
    languages: ["fr"],
    shows: ["Mme. Petit arrive. │Entrez.", "Voir la réf. Dupont ici. │Merci."],
  },
  {
    name: "a Spanish or Portuguese abbreviation before its word",
    word: /^(?:[Aa]prox|[Pp]ágs?|[Nn]úm|[Vv]ol|[Cc]ap|[Aa]v|[Tt]el|máx|mín|séc|[Nn]º|[Rr]ef|[Ff]ig|Sra?s?|Dra?s?|Profa?|Pe|Ir|Ing|Lic|D|Dña|[Cc]f|p\.ej|p\.ex)$/,
    languages: ["es", "pt"],
    shows: ["Son aprox. 40 millas. │Vamos.", "Mira la pág. Dos de hoy. │Bien."],
  },
  {
    name: "an Italian abbreviation before its word",
    word: /^(?:[Pp]agg?|[Nn]um|[Ff]ig|[Cc]ap|[Vv]ol|[Ss]igg?|[Dd]ott|[Pp]rof|[Ii]ng|[Aa]vv|[Oo]n|[Ss]en|[Tt]el|ca|cfr)$/,
    languages: ["it"],
    shows: ["Vedi pag. Dodici oggi. │Bene."],
  },
  {
    name: "a Polish abbreviation before its word",
    word: /^(?:[Pp]rof|[Ii]nż|[Mm]gr|[Zz]ob|[Dd]r|hab|ks|płk|ul|al|pl|np|tj|tzn|tzw|rys|tab|str|rozdz|św|m\.in|nr|tel)$/,
    languages: ["pl"],
    shows: ["Mieszka na ul. Długiej. │Ma psa.", "Pada, tj. zostajemy. │Zamknij."],
  },
  {
    name: "a Russian or Ukrainian abbreviation before its word",
    word: /^(?:ул|просп|пл|д|кв|стр|рис|табл|[Сс]м|[Сс]р|напр|проф|акад|доц|т\.е|т\.к|гл|обл|тел|св)$/,
    languages: ["ru", "uk"],
    shows: ["Я живу на ул. Мира. │Приходи.", "Это см. рис. 4 внизу. │Вот."],
  },
  {
    name: "a Russian or Ukrainian abbreviation within a sentence",
    word: /^(?:гг?|вв?|руб|коп|тыс|млн|млрд|кг|км|м|мин|сек|р|пр|др|т\.д|т\.п)$/,
    next: LOWER_CASE_OR_NUMBER,
    languages: ["ru", "uk"],
    shows: ["В 1999 г. он уехал. │Потом вернулся.", "Это стоит 5 руб. с человека. │Дорого."],
  },
  {
    name: "a Greek abbreviation before its word",
    word: /^(?:δηλ|π\.χ|βλ|σελ|κ|κα|Δρ|αρ|περ|τηλ|αι)$/,
    languages: ["el"],
    shows: ["Βρέχει, δηλ. μένουμε μέσα. │Κλείσε."],
  },
  {
    name: "a Turkish abbreviation before its word",
    word: /^(?:[Dd]oç|Av|Sok|Cad|Tel|[Öö]rn|[Bb]kz|[Pp]rof|[Dd]r|[Aa]lb|Sn|Yrd|A\.Ş|M\.Ö|M\.S)$/,
    languages: ["tr"],
    shows: ["Bunu bkz. Ek olarak oku. │Tamam."],
  },
  {
    name: "a Turkish unit within a sentence",
    word: /^(?:dk|sn|sa|gr|kg|km|m|cm|lt|yy|vb|vs)$/,
    next: LOWER_CASE_OR_NUMBER,
    languages: ["tr"],
    shows: ["Pirinç 15 dk. pişer. │Suyu süzülür."],
  },
  {
    name: "an abbreviation that may end a sentence, within one",
    word: /^(?:etc|usw|ecc|enz|it[pd]|Inc|Ltd|Ltda|Co|Corp|dgl|vb|vd|seq|max|min|ext|[ap]\.m|U\.S|obs)$/,
    next: LOWER_CASE,
    shows: ["Pens, ink, etc. are here. │Take them.", "We met at 5 p.m. and left. │Late."],
  },
].map((rule) => ({ ...rule, marks: STOP }));

export const NO_ENDS: readonly SentenceRule[] = [
  {
    name: "a quotation with words behind it",
    closers: QUOTES_OR_BRACKETS,
    next: LOWER_CASE,
    shows: ["“Go!” she said. │He went."],
  },
  {
    name: "a quotation with words behind it, in a script without capitals",
    closers: QUOTES,
    next: /^\p{Lo}/u,
    languages: ["ar", "am", "bn", "fa", "he", "hi", "mr", "my", "th", "ur"],
    shows: ["«بكم الرطل؟» سألت العجوز. │بدرهمين."],
  },
  {
    name: "speech with its speaker behind a dash",
    next: /^[—–](?:\p{Ll}|$)/u,
    shows: ["— Quoi ! — dit le père. │Le chien arriva."],
  },
  {
    name: "an exclamation or a question that goes on",
    marks: /^[!?]+$/,
    next: LOWER_CASE,
    shows: ["Yahoo! was large once. │Then it was not."],
  },
  {
    name: "a pause in a sentence",
    marks: /^(?:[.．]{2,}|…+)$/,
    next: LOWER_CASE,
    shows: ["Well... maybe. │We will see.", "Well… maybe. │We will see."],
  },
  {
    name: "an initial, or an abbreviation of single letters",
    marks: STOP,
    word: /^[\p{Lu}\p{Ll}\p{Lt}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Thai}]\p{M}*$/u,
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
    name: "the Roman number of an item",
    marks: STOP,
    word: /^[IVXLC]{1,6}$/,
    beginsLine: true,
    shows: ["IV. The harbour at night. │It was dark."],
  },
  {
    name: "an ordinal number, or a part of a date",
    marks: STOP,
    word: /^\d{1,2}$/,
    languages: "de bs cs da et fi fo hr hu is ko lb lv nb nn no pl sk sl sr tr".split(" "),
    shows: ["Am 3. Mai. │Dann nicht mehr."],
  },
  {
    name: "a year before a month",
    marks: STOP,
    word: NUMBER,
    next: DIGIT,
    languages: ["ko", "hu", "lv"],
    shows: ["회의는 2024. 5. 3. 오전에 열린다. │늦지 마세요."],
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
    name: "an abbreviation with stops inside, in a script without capitals",
    marks: STOP,
    word: /\p{Lo}\p{M}*\./u,
    next: /^\p{Lo}/u,
    languages: ["fa", "ar", "bn", "he", "hi", "mr", "ur"],
    shows: ["در سال ۳۰۰ ق.م. به دنیا آمد. │فقیر بود."],
  },
  {
    name: "a stop within a number or a name of full width",
    marks: /^．$/,
    word: /[\p{Nd}\p{Script=Latin}]$/u,
    next: /^[\p{Nd}\p{Script=Latin}]/u,
    shows: ["値は３．１４です。│次へ。", "版はＶ．２です。│次へ。"],
    languages: ["ja", "zh", "ko"],
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
    name: "a quotation that a particle continues, in Japanese",
    closers: /[」』]/,
    next: /^(?:と|って|など)/,
    languages: ["ja"],
    shows: ["「行く。」と言った。│そして出た。"],
  },
  {
    name: "a quotation with its speaker behind it, in Chinese",
    closers: /[”’」』]/,
    next: /^(?:[他她它我你]们?)?(?:[低大高小]声|[低大高小]聲)?[说說问問道喊叫答是]/,
    languages: ["zh"],
    shows: ["“走吧！”他说。│我们走了。"],
  },
  {
    name: "a quotation that a particle continues, in Korean",
    closers: QUOTES,
    next: /^(?:이?라고|하고|하며|라며)/,
    languages: ["ko"],
    shows: ["“가자!”라고 말했다. │우리는 갔다."],
  },
  {
    name: "the Khmer sign for and so on",
    next: /^ល។/,
    languages: ["km"],
    shows: ["គាត់ទិញត្រី ។ល។ និងទឹក។ │ថ្លៃណាស់។"],
  },
  {
    name: "the end of the Khmer sign for and so on",
    word: /។ល$/,
    languages: ["km"],
    shows: ["គាត់ទិញត្រី ។ល។ និងទឹក។ │ថ្លៃណាស់។"],
  },
  ...ABBREVIATIONS,
];

/** Whether a sentence ends there, as far as a rule decides it. */
export function ruledEnd(place: MarkPlace, language: string): boolean | undefined {
  const primary = primarySubtag(language);
  if (ENDS.some((rule) => holds(rule, place, primary))) return true;
  return NO_ENDS.some((rule) => holds(rule, place, primary)) ? false : undefined;
}

function holds(rule: SentenceRule, place: MarkPlace, language: string): boolean {
  return (
    rule.languages?.includes(language) !== false &&
    rule.marks?.test(place.marks) !== false &&
    rule.word?.test(place.word) !== false &&
    rule.next?.test(place.next) !== false &&
    rule.closers?.test(place.closers) !== false &&
    rule.wordBefore?.test(place.wordBefore) !== false &&
    (rule.beginsLine === undefined || place.beginsLine) &&
    (rule.endsLine === undefined || place.endsLine)
  );
}
