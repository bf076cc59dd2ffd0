// The languages that the daemon and the declared agents speak (AAEP §11.2, R14). A subscriber that requests another language learns that when it
// subscribes, not by events in a language that it did not request.
import { CATALOGUE_LANGUAGES, distinctTags, languageAndScript } from "../../../engine/terms/language.js";

export interface SpokenLanguages {
  /** Reports that an agent speaks `now` and no longer `before`; either may be empty. */
  readonly changed: (before: readonly string[], now: readonly string[]) => void;
  /** Whether the daemon or an agent speaks a language that satisfies a request for this one (AAEP §11.1.3). */
  readonly isSpoken: (tag: string) => boolean;
}

/** Most languages counted for one manifest. */
export const MOST_DECLARED_LANGUAGES = 256;

/** The daemon's own languages, each once: those of its texts, and the default language of texts that name none. */
export function ownLanguages(defaultLanguage: string): readonly string[] {
  return distinctTags([defaultLanguage, ...CATALOGUE_LANGUAGES]);
}

export function createSpokenLanguages(defaultLanguage: string): SpokenLanguages {
  // Number of speakers by language in any script, and by language and script; "" is the script of a tag that names none.
  const counts = new Map<string, number>();

  const add = (key: string, difference: number): void => {
    const count = (counts.get(key) ?? 0) + difference;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };
  const count = (tags: readonly string[], difference: number): void => {
    for (const tag of tags) {
      const { language, script } = languageAndScript(tag);
      add(language, difference);
      add(`${language}-${script}`, difference);
    }
  };

  count(ownLanguages(defaultLanguage), 1);
  return {
    changed: (before, now) => {
      count(now, 1);
      count(before, -1);
    },
    isSpoken: (tag) => {
      const { language, script } = languageAndScript(tag);
      if (script === "") return counts.has(language);
      return counts.has(`${language}-${script}`) || counts.has(`${language}-`);
    },
  };
}
