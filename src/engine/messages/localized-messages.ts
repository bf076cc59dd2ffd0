// The daemon's texts as fields of an event: for one listener, or in every language for shaping (R14, R31).
import type { LocalizationHints } from "../event/event.js";
import { CATALOGUE_LANGUAGES, type CatalogueLanguage } from "../terms/language.js";
import { hintsIn } from "../terms/shape-languages.js";
import { catalogueLanguage, type Form, type MessageKey, type MessageParameters, messageIn } from "./messages.js";

/**
 * "listener": for an event made for one shape, in the language that serves it. "everyone": for an event that is journaled once, with a variant for
 * each language beside the primary one.
 */
export type TextAudience =
  | { readonly kind: "listener"; readonly languages: readonly string[] }
  | { readonly kind: "everyone"; readonly primary: CatalogueLanguage };

/** The audience of an event that is journaled. */
export function everyLanguage(defaultLanguage: string): TextAudience {
  return { kind: "everyone", primary: catalogueLanguage([defaultLanguage]) };
}

/** Members of an event: the texts, each variant of another language under a name of its own, and their language (AAEP §11.1). */
export interface LocalizedMessages {
  readonly localization_hints: LocalizationHints;
  readonly summary_terse: string;
  readonly summary_normal: string;
  readonly [variant: string]: unknown;
}

/** The parameters of a message, which may depend on its language and its form. */
export type ParametersFor<Key extends MessageKey> = (language: CatalogueLanguage, form: Form) => MessageParameters[Key];

/** The names of the members of each language, which are the same in every event. */
const VARIANTS = CATALOGUE_LANGUAGES.map((language) => ({
  language,
  terse: `summary_terse_${language}`,
  normal: `summary_normal_${language}`,
}));

export function localizedMessages<Key extends MessageKey>(
  audience: TextAudience,
  key: Key,
  parametersFor: ParametersFor<Key>,
): LocalizedMessages {
  const primary = audience.kind === "listener" ? catalogueLanguage(audience.languages) : audience.primary;
  const say = (language: CatalogueLanguage, form: Form) =>
    messageIn(language, key, form, parametersFor(language, form));
  const members: LocalizedMessages & Record<string, unknown> = {
    localization_hints: hintsIn(primary, undefined),
    summary_terse: say(primary, "terse"),
    summary_normal: say(primary, "normal"),
  };
  if (audience.kind === "listener") return members;
  for (const { language, terse, normal } of VARIANTS) {
    if (language === primary) continue;
    members[terse] = say(language, "terse");
    members[normal] = say(language, "normal");
  }
  return members;
}
