// Producers that break streamed text (chapter 4).
import type { Deviations } from "./deviation.js";
import { eventsAdded, leaving, told } from "./forms.js";
import { type Change, emptied, freshEventId, isChunk, type Message, text, without } from "./messages.js";

const isComplete = (event: Message): boolean => isChunk(event) && event.complete === true;
const again: Change = (event) => ({ ...emptied(event), event_id: freshEventId() });

export const OUTPUT: Deviations = {
  // AAEP §4.3.3: chunks carry the output without loss up to the next position; white space at their end is cut off.
  "last-space-trimmed": told(isChunk, (event) => ({ ...event, chunk: text(event.chunk).trimEnd() })),
  // AAEP §4.5.4: no chunk of an output after complete: true; an empty open one follows.
  "chunk-after-complete": eventsAdded(isComplete, (event) => ({
    ...without(again(event), "coalesce_hint"),
    complete: false,
  })),
  // AAEP §4.3.3: the final chunk of an output MUST have complete: true; it has false.
  "output-never-complete": told(isChunk, (event) => ({ ...event, complete: false })),
  // AAEP §9.3.1(6): coalesce_hint is set on output at granular boundaries; it is left out.
  "coalesce-hint-missing": told(isChunk, leaving("coalesce_hint")),
  // AAEP §4.3.3: coalesce_hint is one of five words; it is `line`.
  "coalesce-hint-invented": told(isChunk, (event) => ({ ...event, coalesce_hint: "line" })),
};
