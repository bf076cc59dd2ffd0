// Text of agents on a line: as it is read, as a person consents to it, and told apart from the command's own lines.
import type { Envelope } from "#gen/aaep/types.js";
import { codePointCount } from "../../base/code-points.js";
import { keepNewest } from "../../base/keep-newest.js";
import { textOf } from "../../base/members.js";
import {
  type Leaf,
  lastPart,
  type OpenText,
  revealed,
  type SpeakableOptions,
  speakable,
  speakablePart,
} from "../../speakable/index.js";
import { shownText } from "./shown-text.js";

/** Begins the lines of the command and of the daemon. Screen readers pass over it, or say "dot". */
const OWN_MARK = "·";
const MARK_OF_TEXT = /·(?=\s|$)/g;
/** Most outputs whose open text is remembered. */
const MOST_OUTPUTS = 256;

/** A line of the command's own, or of the daemon's. No line of an agent begins like it. */
export function ownLine(line: string): string {
  return `${OWN_MARK} ${line}`;
}

/** One line in which no text looks like a line of the command's own. */
export function agentText(text: string): string {
  return shownText(text).replace(MARK_OF_TEXT, "•");
}

/** A text that a person consents to, in one line, with the name of what is not seen. `limit`: the most code points; the rest is counted. */
export function consentText(text: string, limit?: number): string {
  return agentText(revealed(text, limit === undefined ? {} : { limit }).text);
}

/** Code points of a name that are shown. */
const LONGEST_NAME = 64;

/** The name of the agent of an event, in one line: never blank, never aaepd's own, and without a second name and colon. */
export function shownName({ producer }: Pick<Envelope, "producer">): string {
  const given = [producer?.agent_name, producer?.agent_id].map((name = "") =>
    consentText((/:\s/.test(name) ? name.replaceAll(":", "") : name).trim(), LONGEST_NAME),
  );
  const name = given.find((one) => one !== "") ?? "An agent";
  return /^aaepd\b/i.test(name) ? `agent ${name}` : name;
}

/** Puts the text of an event into the words of a listener. A chunk goes on from the one before. */
export type ReadText = (text: string, event: Envelope, isChunk: boolean) => string;

/** Words to speak, or text to read on a line. Every word of the text is there; marks of Markdown are not. */
export function createReadText(form: "speech" | "braille", options: SpeakableOptions): ReadText {
  const ends = new Map<string, { readonly position: number; readonly open: OpenText }>();
  const joined = (leaves: readonly Leaf[]): string => leaves.map((leaf) => leaf[form]).join("");

  function chunk(text: string, event: Envelope, own: SpeakableOptions): string {
    const output = `${event.session_id}/${textOf(event.output_id)}`;
    const position = typeof event.position === "number" ? event.position : 0;
    const end = ends.get(output);
    // Behind a hole nothing is known of what stands open.
    const open = end?.position === position ? end.open : undefined;
    ends.delete(output);
    if (event.complete === true) return joined(lastPart(text, own, open));
    const part = speakablePart(text, own, open);
    ends.set(output, { position: position + codePointCount(text), open: part.open });
    keepNewest(ends, MOST_OUTPUTS);
    return joined(part.leaves);
  }

  return (text, event, isChunk) => {
    const named = isChunk && typeof event.language === "string" ? event.language : undefined;
    const own = { ...options, language: named ?? event.localization_hints?.primary_language ?? "en" };
    return isChunk ? chunk(text, event, own) : joined(speakable(text, own));
  };
}
