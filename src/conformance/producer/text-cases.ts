// Chapter 4: streamed text.
import type { Message } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import type { HeardSession } from "./hearing.js";
import { eachSession, type SessionFault, type WatchingCase } from "./producer-case.js";
import { isType } from "./stage.js";

const HINTS = new Set(["none", "word", "sentence", "paragraph", "completion"]);
const unseen = "No streamed text came.";

export const TEXT_CASES: readonly WatchingCase[] = [
  eachSession(
    "P1-output-complete",
    "Every output has one event with complete: true, and no text after it.",
    ["AAEP §4.5.4"],
    unseen,
    (session) => overOutputs(session, completionFault),
  ),
  eachSession(
    "P1-output-position",
    "position is the number of characters of the output before the chunk.",
    ["AAEP §4.3.3"],
    "No streamed text with a position came.",
    (session) => overOutputs(session, positionFault),
  ),
  eachSession(
    "P1-coalesce-hint",
    "coalesce_hint, where it stands, is none, word, sentence, paragraph or completion; completion stands with complete: true.",
    ["AAEP §4.3.3", "AAEP §9.3.1"],
    unseen,
    hintFault,
  ),
];

interface Chunk {
  readonly place: number;
  readonly event: Message;
}

const isComplete = ({ event }: Chunk): boolean => event.complete === true;

function hintFault(session: HeardSession): SessionFault | "not judged" | undefined {
  let judged = false;
  for (const chunks of outputsOf(session))
    for (const chunk of chunks) {
      if (chunk.event.coalesce_hint === undefined) continue;
      judged = true;
      const hint = wordsOf(chunk.event.coalesce_hint);
      const later = isComplete(chunk) ? "" : ", and is not the last";
      if (!HINTS.has(hint) || (hint === "completion" && later !== ""))
        return { seen: `A chunk has the hint ${hint}${later}.`, places: [chunk.place] };
    }
  return judged ? undefined : "not judged";
}

function outputsOf({ events }: HeardSession): readonly (readonly Chunk[])[] {
  const outputs = new Map<unknown, Chunk[]>();
  for (const [place, { event }] of events.entries()) {
    if (!isType(event, "output.streaming")) continue;
    const chunks = outputs.get(event.output_id);
    if (chunks === undefined) outputs.set(event.output_id, [{ place, event }]);
    else chunks.push({ place, event });
  }
  return [...outputs.values()];
}

/** Judges each output of the session. A session that was not heard from its beginning may lack its first chunks. */
function overOutputs(
  session: HeardSession,
  judge: (chunks: readonly Chunk[], isOver: boolean) => SessionFault | "not judged" | undefined,
): SessionFault | "not judged" | undefined {
  if (!session.isFromBeginning || session.isFiltered) return "not judged";
  const isOver = session.events.some(({ event }) => isType(event, "session.completed"));
  let judged = false;
  for (const chunks of outputsOf(session)) {
    const fault = judge(chunks, isOver);
    if (fault === "not judged") continue;
    judged = true;
    if (fault !== undefined) return fault;
  }
  return judged ? undefined : "not judged";
}

function completionFault(chunks: readonly Chunk[], isOver: boolean): SessionFault | "not judged" | undefined {
  const complete = chunks.filter(isComplete);
  const [first] = complete;
  if (complete.length > 1)
    return { seen: "An output was completed twice.", places: complete.map(({ place }) => place) };
  if (first === undefined) {
    if (!isOver) return "not judged";
    return { seen: "A session was completed, and an output of it was not.", places: [chunks.at(-1)?.place ?? 0] };
  }
  const after = chunks.find(({ place }) => place > first.place);
  return after === undefined
    ? undefined
    : { seen: "Text came after complete: true.", places: [first.place, after.place] };
}

/** Characters are counted as code points or as UTF-16 units: the chapter does not say which. */
const COUNTS: readonly ((text: string) => number)[] = [(text) => [...text].length, (text) => text.length];

function positionFault(chunks: readonly Chunk[]): SessionFault | "not judged" | undefined {
  let before = "";
  let judged = false;
  for (const {
    place,
    event: { chunk, position },
  } of chunks) {
    if (position !== undefined) {
      judged = true;
      const fits = COUNTS.map((count) => count(before));
      if (!fits.includes(Number(wordsOf(position))))
        return { seen: `A chunk has the position ${wordsOf(position)}, after ${fits[0]} characters.`, places: [place] };
    }
    before += wordsOf(chunk ?? "");
  }
  return judged ? undefined : "not judged";
}
