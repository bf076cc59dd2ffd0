// Producers that break streamed text (chapter 4).
import type { Deviation, Deviations } from "./deviation.js";
import { eventsAdded, eventsFollowed, leaving, told } from "./forms.js";
import {
  type Change,
  codePoints,
  emptied,
  freshEventId,
  isChunk,
  type Message,
  outputKey,
  position,
  text,
  without,
} from "./messages.js";

/** Rewrites chunks by what went before them in their output. */
function chunksFollowed<State>(begin: () => State, change: (chunk: Message, state: State) => Message): Deviation {
  return eventsFollowed(() => {
    const states = new Map<string, State>();
    return (event) => {
      if (!isChunk(event)) return event;
      const state = states.get(outputKey(event)) ?? begin();
      states.set(outputKey(event), state);
      return change(event, state);
    };
  });
}

const isComplete = (event: Message): boolean => isChunk(event) && event.complete === true;
const isOpen = (event: Message): boolean => isChunk(event) && event.complete !== true;

const chunksSwapped: Deviation = ({ toSubscriber, after }) => {
  let held: Message | undefined;
  let turn = 0;
  const released = (): readonly Message[] => {
    const all = held === undefined ? [] : [held];
    held = undefined;
    return all;
  };
  return {
    down: (message) => {
      const [first] = released();
      if (first !== undefined && isOpen(message) && outputKey(first) === outputKey(message))
        return [
          { ...message, timestamp: first.timestamp },
          { ...first, timestamp: message.timestamp },
        ];
      const before = first === undefined ? [] : [first];
      if (!isOpen(message)) return [...before, message];
      held = message;
      turn += 1;
      const mine = turn;
      after(1000, () => {
        if (mine === turn) released().forEach(toSubscriber);
      });
      return before;
    },
  };
};

const again: Change = (event) => ({ ...emptied(event), event_id: freshEventId() });

export const OUTPUT: Deviations = {
  // AAEP §4.3.3: position MUST be the total offset of the text so far; each chunk repeats the last character before it.
  "chunks-overlap": chunksFollowed<{ last?: string }>(
    () => ({}),
    (event, state) => {
      const before = state.last;
      const own = codePoints(event.chunk).at(-1);
      if (own !== undefined) state.last = own;
      if (before === undefined || position(event) === 0) return event;
      return { ...event, chunk: before + text(event.chunk), position: position(event) - 1 };
    },
  ),
  // AAEP §4.3.3: chunks carry the output without loss up to the next position; white space at their end is cut off.
  "last-space-trimmed": told(isChunk, (event) => ({ ...event, chunk: text(event.chunk).trimEnd() })),
  // AAEP §8.2.3: order within a session is kept; two chunks change places.
  "chunks-out-of-order": chunksSwapped,
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
