// The two speakers: the daemon, whose words have a pitch of their own, and agents, whose words are theirs alone.
import type { Envelope } from "#gen/aaep/types.js";
import { membersOf, textOf } from "../../base/members.js";
import { piecesOf } from "../../speak/pieces.js";
import type { Part } from "../../speak/speech.js";
import { revealed } from "../../speakable/index.js";

/** Most words and characters of a name in the daemon's own words. */
const NAME_WORDS = 4;
const NAME_CHARACTERS = 40;

/** The daemon's words, in English. */
export function own(text: string): Part {
  return { text, language: "en", isOwn: true };
}

/** Words of an agent. */
export function theirs(text: string, language: string, braille = text): Part {
  return { text, language, isOwn: false, braille };
}

export function languageOf({ language, localization_hints }: Envelope): string {
  return textOf(language) || textOf(membersOf(localization_hints).primary_language) || "en";
}

/** A name with words of the daemon's behind it. A name in another script is said by a voice of its own language. */
export function named(name: string, words: string, language: string): readonly Part[] {
  if (!/[^\p{Script=Latin}\P{L}]/u.test(name)) return [own(`${name}${words}`)];
  return [{ text: name, language, isOwn: true }, ...(/\p{L}/u.test(words) ? [own(words.trim())] : [])];
}

/** Words that a person consents to: everything unseen in them is named. */
export function revealedPart(text: string, language: string): Part {
  const { speech, text: braille } = revealed(text, { language });
  return theirs(speech, language, braille);
}

/**
 * The name of the agent in the daemon's own words. It is short and has no end of a sentence, so that no name sounds like a sentence of the daemon's.
 */
export function spokenName({ producer }: Pick<Envelope, "producer">): string {
  const given = producer?.agent_name ?? producer?.agent_id ?? "";
  const words = given
    .replaceAll(/[^\p{L}\p{M}\p{N}' -]+/gu, " ")
    .split(/\s+/)
    .filter(Boolean);
  const name = words.slice(0, NAME_WORDS).join(" ").slice(0, NAME_CHARACTERS).trim();
  return name === "" ? "An agent" : name;
}

/** The name in two words, for an opening: "Claude in shop" is Claude. */
export function shortName(event: Pick<Envelope, "producer">): string {
  const [name = ""] = spokenName(event).split(" in ");
  return name.split(" ").slice(0, 2).join(" ");
}

/** A label as it is said where its words are not. */
export function asSentence(part: Part): Part {
  return { ...part, text: part.text.replace(/:$/, ".") };
}

export function lastSentence(part: Part): Part {
  const last = (text: string): string => piecesOf(text).at(-1) ?? text;
  return { ...part, text: last(part.text), braille: last(part.braille ?? part.text) };
}

/** The words for a gap before an event (R27). */
export function gapParts({ extensions }: Envelope): readonly Part[] {
  const gap = extensions?.aaepd?.gap;
  if (gap === undefined) return [];
  const { events } = membersOf(gap);
  return [own(typeof events === "number" ? `Up to ${events} events are missing here.` : "Events are missing here.")];
}

/** The text of the parts in one line. */
export function textOfParts(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join(" ");
}
