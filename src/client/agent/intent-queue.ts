// The calls of a session that no daemon has yet, in their order. Text merges, and the queue is bounded.
import { wholeEnd } from "../../base/whole-end.js";
import type { Intent, TextIntent } from "./intents.js";
import type { QueueLimits, QueueRoom } from "./queue-room.js";

export interface IntentQueue {
  /** Appends text; false if it was dropped, because the queue is full. */
  readonly text: (outputId: string, chunk: string) => boolean;
  /** Appends an intent; false if the queue is full. An essential one belongs to an earlier one, as an end to its beginning, and is always taken. */
  readonly add: (intent: Exclude<Intent, TextIntent>, isEssential?: boolean) => boolean;
  /** Takes intents from the front, up to the first question; a question alone. They take up room until `settled`. */
  readonly take: () => readonly Intent[];
  /** Everything taken has been dealt with. */
  readonly settled: () => void;
  readonly isEmpty: () => boolean;
  /** Whether nothing waits but one stretch of text, which further text may join. */
  readonly mayGrow: () => boolean;
  /** Takes everything out. */
  readonly clear: () => readonly Intent[];
}

/** Intents and characters that are sent together: well below the daemon's limits of one publish. */
const MOST_TOGETHER = 64;
const MOST_CHARACTERS_TOGETHER = 65_536;

export function createIntentQueue(
  { mostQueuedCharacters, mostQueuedEvents }: QueueLimits,
  room: QueueRoom,
): IntentQueue {
  let intents: Intent[] = [];
  let characters = 0;
  let underway: readonly Intent[] = [];
  let last: TextIntent | undefined;
  // Once text was dropped, all further text is, until half of the queue is free: one hole in place of many.
  let isFull = false;

  const isPast = (more: number): boolean => characters + more > mostQueuedCharacters || !room.has(more);
  /** Takes the first `count` intents out. */
  const shift = (count: number): Intent[] => {
    const first = intents.slice(0, count);
    intents = intents.slice(count);
    if (intents.length === 0) last = undefined;
    return first;
  };

  return {
    text: (outputId, chunk) => {
      if (isFull && intents.length > 0) return false;
      isFull = isPast(chunk.length);
      if (isFull) return false;
      if (last !== undefined && last.outputId === outputId) last.text += chunk;
      else {
        isFull = intents.length >= mostQueuedEvents;
        if (isFull) return false;
        last = { kind: "text", outputId, text: chunk };
        intents.push(last);
        room.fill(0, 1);
      }
      characters += chunk.length;
      room.fill(chunk.length, 0);
      return true;
    },
    add: (intent, isEssential = false) => {
      if (!isEssential && (intents.length >= mostQueuedEvents || !room.has(0))) return false;
      intents.push(intent);
      room.fill(0, 1);
      last = undefined;
      return true;
    },
    take: () => {
      let count = 0;
      let taken = 0;
      let head: Intent[] = [];
      for (const intent of intents.slice(0, MOST_TOGETHER)) {
        if (taken >= MOST_CHARACTERS_TOGETHER || (intent.kind === "question" && count > 0)) break;
        if (intent.kind === "text" && taken + intent.text.length > MOST_CHARACTERS_TOGETHER) {
          const end = wholeEnd(intent.text, MOST_CHARACTERS_TOGETHER - taken);
          head = [{ ...intent, text: intent.text.slice(0, end) }];
          intent.text = intent.text.slice(end);
          taken += end;
          break;
        }
        count += 1;
        if (intent.kind === "question") break;
        if (intent.kind === "text") taken += intent.text.length;
      }
      room.fill(0, head.length);
      underway = [...shift(count), ...head];
      characters -= taken;
      if (characters <= mostQueuedCharacters / 2 && intents.length <= mostQueuedEvents / 2) isFull = false;
      return underway;
    },
    settled: () => {
      room.fill(-charactersIn(underway), -underway.length);
      underway = [];
    },
    isEmpty: () => intents.length === 0,
    mayGrow: () => last !== undefined && intents.length === 1 && characters < MOST_CHARACTERS_TOGETHER,
    clear: () => {
      const all = shift(intents.length);
      room.fill(-characters, -all.length);
      characters = 0;
      isFull = false;
      return all;
    },
  };
}

/** Characters of text among intents. */
export function charactersIn(intents: readonly Intent[]): number {
  return intents.reduce((sum, intent) => sum + (intent.kind === "text" ? intent.text.length : 0), 0);
}

/** Calls among intents that are no text. */
export function eventsIn(intents: readonly Intent[]): number {
  return intents.filter(({ kind }) => kind !== "text").length;
}
