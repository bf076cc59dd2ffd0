// The language of an adapter's own sentences, and the tag that its events have (R2).
import { catalogueLanguage } from "../engine/messages/messages.js";
import { WORDINGS, type Wording } from "../engine/messages/wording.js";

export interface Speech {
  /** The language of `words`, as a tag. */
  readonly language: string;
  readonly words: Wording;
}

const VARIABLES = ["LC_ALL", "LC_MESSAGES", "LANG"] as const;
/** A locale of POSIX: language, region, and the rest, which names a character set or a variant. */
const LOCALE = /^([A-Za-z]{2,3})(?:[_-]([A-Za-z]{2}|\d{3}))?(?:[.@].*)?$/;

/** Of `given`, as in "de" or "pt-BR", else of the first of LC_ALL, LC_MESSAGES and LANG that is set. English where there is no catalogue. */
export function speechOf(given: string | undefined, environment: Readonly<Record<string, string | undefined>>): Speech {
  const tag =
    given ?? tagOf(VARIABLES.map((name) => environment[name]).find((value) => value !== undefined && value !== ""));
  const language = catalogueLanguage([tag]);
  const isServed = tag.toLowerCase().split("-")[0] === language;
  return { language: isServed ? tag : language, words: WORDINGS[language] };
}

function tagOf(locale = ""): string {
  const [, language, region] = LOCALE.exec(locale) ?? [];
  if (language === undefined) return "en";
  return region === undefined ? language : `${language}-${region.toUpperCase()}`;
}
