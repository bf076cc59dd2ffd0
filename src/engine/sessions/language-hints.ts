// Saying the language of an event whose agent did not say it, in the event and in its text (AAEP §11.1, R2).
import type { LocalizationHints, TopicKind } from "../event/event.js";
import { type Fields, hasTexts } from "../terms/readable-fields.js";
import { hintsIn } from "../terms/shape-languages.js";
import type { SessionFacts } from "./complete-event.js";

/** A language as it is filled in: as the event's member, and as the end of its text. */
export interface FilledHints {
  readonly hints: LocalizationHints;
  /** Takes the place of the closing brace; ASCII. */
  readonly ending: string;
}

/** The event's text with the language said that it lacks: all else stays as it was written, and nothing is read a second time. */
export function endedBy(source: string, missing: FilledHints | undefined): string {
  if (missing === undefined) return source;
  // White space at most stands behind an object, and hardly ever does.
  const end = source.endsWith("}") ? source.length - 1 : source.lastIndexOf("}");
  return source.slice(0, end) + missing.ending;
}

export interface LanguageHints {
  /**
   * Answers the hints that an event lacks; undefined where it says its language, or has no text for people. In this order, the language is that of
   * the chunk, of its output's first chunk, of its session's start, of its agent (the first that the manifest lists), and the daemon's default (R2).
   */
  readonly missingFrom: (
    event: Fields,
    kind: TopicKind,
    session: Pick<SessionFacts, "language" | "outputs"> | undefined,
    agentLanguage: string | undefined,
  ) => FilledHints | undefined;
}

/** Languages whose hints are remembered. */
const MOST_REMEMBERED = 256;
/** Most characters of a tag, as the schemas have it (AAEP §11.1.2). */
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
  // The schema refuses whatever else stands there.
  if (typeof language === "string" && language.length <= LONGEST_TAG) return language;
  return session?.outputs.get(typeof id === "string" ? id : "")?.language;
}
