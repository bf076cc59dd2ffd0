// Which languages somebody here speaks: the daemon, and the agents whose manifests say so (AAEP §11.2, R14). A subscriber that asks for another is
// told so when it subscribes, and not by events in a language that it did not ask for.
import { CATALOGUE_LANGUAGES, languageAndScript } from "../../../engine/terms/language.js";

export interface SpokenLanguages {
  /** An agent speaks `now` and no longer `before`; either may be empty. */
  readonly changed: (before: readonly string[], now: readonly string[]) => void;
  /** Whether anybody speaks a language that serves who wants this one (AAEP §11.1.3). */
  readonly isSpoken: (tag: string) => boolean;
}

/** Languages of one manifest that count. */
export const MOST_DECLARED_LANGUAGES = 256;

/** The daemon's own languages: of its texts, and of texts that nobody names the language of. Each once. */
export function ownLanguages(defaultLanguage: string): readonly string[] {
  return [...new Set([defaultLanguage, ...CATALOGUE_LANGUAGES])];
}

export function createSpokenLanguages(defaultLanguage: string): SpokenLanguages {
  // How often each is spoken: a language in any script, and in one, of which "" is the one that a tag does not name.
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
