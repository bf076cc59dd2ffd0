// Producers that break streamed text (chapter 4).
import { emptied } from "./change-mutants.js";
import {
  type Change,
  codePoints,
  freshEventId,
  type Handlers,
  isChunk,
  outputKey,
  position,
  text,
  without,
} from "./messages.js";
import type { Message, Mutant, MutantLink } from "./mutant.js";
import { eventsAdded, eventsChanged, eventsFollowed, fieldLeftOut } from "./mutant-forms.js";

function perOutput<State>(initial: () => State): (event: Message) => State {
  const states = new Map<string, State>();
  return (event) => {
    const state = states.get(outputKey(event)) ?? initial();
    states.set(outputKey(event), state);
    return state;
  };
}

const GAP = 7;

function chunksSwapped({ toSubscriber, after }: MutantLink): Handlers {
  let held: Message | undefined;
  let turn = 0;
  const release = (): void => {
    if (held !== undefined) toSubscriber(held);
    held = undefined;
  };
  const swap = (first: Message, second: Message): void => {
    held = undefined;
    toSubscriber({ ...second, timestamp: first.timestamp });
    toSubscriber({ ...first, timestamp: second.timestamp });
  };
  const hold = (message: Message): void => {
    held = message;
    turn += 1;
    const mine = turn;
    after(1000, () => {
      if (mine === turn) release();
    });
  };
  const open = (message: Message): boolean => isChunk(message) && message.complete !== true;
  return {
    fromProducer: (message) => {
      if (held !== undefined && open(message) && outputKey(held) === outputKey(message)) return swap(held, message);
      release();
      if (open(message)) hold(message);
      else toSubscriber(message);
    },
  };
}

function overlapping(): Change {
  const last = new Map<string, string>();
  return (event) => {
    if (!isChunk(event)) return event;
    const before = last.get(outputKey(event));
    const own = codePoints(event.chunk).at(-1);
    if (own !== undefined) last.set(outputKey(event), own);
    if (before === undefined || position(event) === 0) return event;
    return { ...event, chunk: before + text(event.chunk), position: position(event) - 1 };
  };
}

export const OUTPUT: readonly Mutant[] = [
  eventsChanged(
    {
      name: "positions-with-a-gap",
      paragraph: "AAEP §4.3.3",
      breaks: "position MUST be the offset in the output; all but the first are 7 too high.",
    },
    (event) => (isChunk(event) && position(event) > 0 ? { ...event, position: position(event) + GAP } : event),
  ),
  eventsFollowed(
    {
      name: "chunks-overlap",
      paragraph: "AAEP §4.3.3",
      breaks: "position MUST be the total offset of the text so far; each chunk repeats the last character before it.",
    },
    overlapping,
  ),
  eventsChanged(
    {
      name: "positions-always-zero",
      paragraph: "AAEP §4.3.3",
      breaks: "position MUST be the offset since the start of the output; each chunk begins at 0.",
    },
    (event) => (isChunk(event) ? { ...event, position: 0 } : event),
  ),
  eventsFollowed(
    {
      name: "positions-in-bytes",
      paragraph: "AAEP §4.3.3",
      breaks: "position counts characters; it counts UTF-8 bytes.",
    },
    () => {
      const bytes = perOutput(() => ({ before: -1 }));
      return (event) => {
        if (!isChunk(event)) return event;
        const count = bytes(event);
        if (count.before < 0) count.before = position(event);
        const own = count.before;
        count.before += new TextEncoder().encode(text(event.chunk)).length;
        return { ...event, position: own };
      };
    },
  ),
  eventsChanged(
    {
      name: "last-space-trimmed",
      paragraph: "AAEP §4.3.3",
      breaks: "Chunks carry the output without loss up to the next position; white space at their end is cut off.",
    },
    (event) => (isChunk(event) ? { ...event, chunk: text(event.chunk).trimEnd() } : event),
  ),
  {
    name: "chunks-out-of-order",
    paragraph: "AAEP §8.2.3",
    breaks: "Order within a session is kept; two chunks change places.",
    link: chunksSwapped,
  },
  eventsFollowed(
    {
      name: "two-complete-chunks",
      paragraph: "AAEP §4.5.4",
      breaks: "Exactly one chunk of an output has complete: true; the first one has it already.",
    },
    () => {
      const first = perOutput(() => ({ seen: false }));
      return (event) => {
        if (!isChunk(event)) return event;
        const state = first(event);
        const changed = state.seen ? event : { ...event, complete: true };
        state.seen = true;
        return changed;
      };
    },
  ),
  eventsAdded(
    {
      name: "completion-announced-again",
      paragraph: "AAEP §4.5.4",
      breaks: "Exactly one chunk of an output has complete: true; an empty second one follows.",
    },
    () => (event) =>
      isChunk(event) && event.complete === true ? [{ ...emptied(event), event_id: freshEventId() }] : [],
  ),
  eventsAdded(
    {
      name: "chunk-after-complete",
      paragraph: "AAEP §4.5.4",
      breaks: "No chunk of an output after complete: true; an empty open one follows.",
    },
    () => (event) =>
      isChunk(event) && event.complete === true
        ? [{ ...without(emptied(event), "coalesce_hint"), event_id: freshEventId(), complete: false }]
        : [],
  ),
  eventsChanged(
    {
      name: "output-never-complete",
      paragraph: "AAEP §4.3.3",
      breaks: "The final chunk of an output MUST have complete: true; it has false.",
    },
    (event) => (isChunk(event) ? { ...event, complete: false } : event),
  ),
  fieldLeftOut(
    {
      name: "coalesce-hint-missing",
      paragraph: "AAEP §9.3.1(6)",
      breaks: "coalesce_hint is set on output at granular boundaries; it is left out.",
    },
    "coalesce_hint",
    isChunk,
  ),
  eventsChanged(
    {
      name: "coalesce-hint-invented",
      paragraph: "AAEP §4.3.3",
      breaks: "coalesce_hint is one of five words; it is `line`.",
    },
    (event) => (isChunk(event) ? { ...event, coalesce_hint: "line" } : event),
  ),
];
