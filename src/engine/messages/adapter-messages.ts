// The sentences of adapters in the languages of the daemon's own messages.
import type { CatalogueLanguage } from "../terms/language.js";
import type { AdapterWords } from "./adapter-catalogues/adapter-words.js";
import { ARABIC_ADAPTER } from "./adapter-catalogues/ar.js";
import { GERMAN_ADAPTER } from "./adapter-catalogues/de.js";
import { ENGLISH_ADAPTER } from "./adapter-catalogues/en.js";
import { SPANISH_ADAPTER } from "./adapter-catalogues/es.js";
import { FRENCH_ADAPTER } from "./adapter-catalogues/fr.js";
import { JAPANESE_ADAPTER } from "./adapter-catalogues/ja.js";

/** By the language of `catalogueLanguage`. */
export const ADAPTER_WORDS: Readonly<Record<CatalogueLanguage, AdapterWords>> = {
  en: ENGLISH_ADAPTER,
  es: SPANISH_ADAPTER,
  fr: FRENCH_ADAPTER,
  de: GERMAN_ADAPTER,
  ja: JAPANESE_ADAPTER,
  ar: ARABIC_ADAPTER,
};
