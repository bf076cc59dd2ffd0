// Fills in the language of an event whose agent named none, in the event and in its JSON text (AAEP §11.1, R2).
import type { LocalizationHints, TopicKind } from "../event/event.js";
import { type Fields, hasTexts } from "../terms/readable-fields.js";
import { hintsIn } from "../terms/shape-languages.js";
import type { SessionFacts } from "./complete-event.js";

/** The hints for one language: as a member of the event, and as the end of its JSON text. */
export interface FilledHints {
  readonly hints: LocalizationHints;
  /** Replaces the closing brace of the text; ASCII. */
  readonly ending: string;
}

/** Adds the missing language to the event's JSON text. The rest of the text stays byte-identical and is not parsed again. */
export function endedBy(source: string, missing: FilledHints | undefined): string {
  if (missing === undefined) return source;
  // Only white space can follow the closing brace, and that is rare.
  const end = source.endsWith("}") ? source.length - 1 : source.lastIndexOf("}");
  return source.slice(0, end) + missing.ending;
}

export interface LanguageHints {
  /**
   * Returns the hints that an event lacks; undefined if the event names its language or has no text for people. The language is the first that is
   * known of these: the chunk's, that of its output's first chunk, that of its session's start, the agent's (the first that its manifest lists), the
   * daemon's default (R2).
   */
  readonly missingFrom: (
    event: Fields,
    kind: TopicKind,
    session: Pick<SessionFacts, "language" | "outputs"> | undefined,
    agentLanguage: string | undefined,
  ) => FilledHints | undefined;
}

/** Most languages whose hints are remembered. */
const MOST_REMEMBERED = 256;
/** Most characters of a language tag, as in the schemas (AAEP §11.1.2). */
const LONGEST_TAG = 256;

export function createLanguageHints(defaultLanguage: string): LanguageHints {
  const remembered = new Map<string, FilledHints>();
  let last: FilledHints | undefined;

  const filled = (language: string): FilledHints => {
    if (last?.hints.primary_language === language) return last;
    last = remembered.get(language);
    if (last !== undefined) return last;
    const hints = hintsIn(language, undefined);
    last = { hints, ending: `,"localization_hints":${JSON.stringify(hints)}}` };
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(language, last);
    return last;
  };

  return {
    missingFrom: (event, kind, session, agentLanguage) => {
      if (event.localization_hints !== undefined || !hasTexts(event, kind)) return undefined;
      const ofText = kind === "output.streaming" ? chunkLanguage(event, session) : undefined;
      return filled(ofText ?? session?.language ?? agentLanguage ?? defaultLanguage);
    },
  };
}

function chunkLanguage(
  { language, output_id: id }: Fields,
  session: Pick<SessionFacts, "outputs"> | undefined,
): string | undefined {
  // The schema refuses every other value.
  if (typeof language === "string" && language.length <= LONGEST_TAG) return language;
  return session?.outputs.get(typeof id === "string" ? id : "")?.language;
}
