// The daemon's own texts in the listener's language (R31).
import { CATALOGUE_LANGUAGES, type CatalogueLanguage, matchLanguage } from "../terms/language.js";
import { ARABIC } from "./catalogues/ar.js";
import type { Catalogue, Message, MessageKey, MessageParameters } from "./catalogues/catalogue.js";
import { GERMAN } from "./catalogues/de.js";
import { ENGLISH } from "./catalogues/en.js";
import { SPANISH } from "./catalogues/es.js";
import { FRENCH } from "./catalogues/fr.js";
import { JAPANESE } from "./catalogues/ja.js";

const CATALOGUES: Readonly<Record<CatalogueLanguage, Catalogue>> = {
  en: ENGLISH,
  es: SPANISH,
  fr: FRENCH,
  de: GERMAN,
  ja: JAPANESE,
  ar: ARABIC,
};

/** The catalogue's language that serves a listener best (AAEP ch. 11). */
export function catalogueLanguage(languages: readonly string[]): CatalogueLanguage {
  const match = matchLanguage(languages, CATALOGUE_LANGUAGES);
  return CATALOGUE_LANGUAGES.find((language) => language === match) ?? "en";
}

/** A message in both forms, in one language. */
export function messageIn<Key extends MessageKey>(
  language: CatalogueLanguage,
  key: Key,
  parameters: MessageParameters[Key],
): Message {
  return CATALOGUES[language][key](parameters);
}

/** A message in the first of `languages` with a catalogue, else in English. `language` is the language chosen. */
export function textFor<Key extends MessageKey>(
  key: Key,
  parameters: MessageParameters[Key],
  languages: readonly string[],
  form: keyof Message = "normal",
): { readonly text: string; readonly language: CatalogueLanguage } {
  const language = catalogueLanguage(languages);
  return { text: messageIn(language, key, parameters)[form], language };
}
