// The calls of a session that no daemon has yet, in their order. Text merges, and the queue is bounded.
import type { Intent, TextIntent } from "./intents.js";

export interface IntentQueue {
  /** Appends text; false if it was dropped, because the queue is full. */
  readonly text: (outputId: string, chunk: string) => boolean;
  /** Appends an intent; false if the queue is full. An essential one belongs to an earlier one, as an end to its beginning, and is always taken. */
  readonly add: (intent: Exclude<Intent, TextIntent>, isEssential?: boolean) => boolean;
  /** Takes intents from the front, up to the first question; a question alone. */
  readonly take: () => readonly Intent[];
  readonly isEmpty: () => boolean;
  /** Whether nothing waits but one stretch of text, which further text may join. */
  readonly mayGrow: () => boolean;
  /** Takes everything out. */
  readonly clear: () => readonly Intent[];
}

export interface QueueLimits {
  readonly mostQueuedCharacters: number;
  readonly mostQueuedEvents: number;
}

/** Intents and characters that are sent together: well below the daemon's limits of one publish. */
const MOST_TOGETHER = 64;
const MOST_CHARACTERS_TOGETHER = 65_536;

export function createIntentQueue({ mostQueuedCharacters, mostQueuedEvents }: QueueLimits): IntentQueue {
  let intents: Intent[] = [];
  let characters = 0;
  let last: TextIntent | undefined;
  // Once text was dropped, all further text is, until half of the queue is free: one hole in place of many.
  let isFull = false;

  return {
    text: (outputId, chunk) => {
      if (isFull) return false;
      isFull = characters + chunk.length > mostQueuedCharacters;
      if (isFull) return false;
      if (last !== undefined && last.outputId === outputId) last.text += chunk;
      else {
        isFull = intents.length >= mostQueuedEvents;
        if (isFull) return false;
        last = { kind: "text", outputId, text: chunk };
        intents.push(last);
      }
      characters += chunk.length;
      return true;
    },
    add: (intent, isEssential = false) => {
      if (!isEssential && intents.length >= mostQueuedEvents) return false;
      intents.push(intent);
      last = undefined;
      return true;
    },
    take: () => {
      let count = 0;
      let taken = 0;
      for (const intent of intents.slice(0, MOST_TOGETHER)) {
        if (intent.kind === "question" && count > 0) break;
        count += 1;
        if (intent.kind === "question") break;
        if (intent.kind === "text") taken += intent.text.length;
        if (taken >= MOST_CHARACTERS_TOGETHER) break;
      }
      const together = intents.slice(0, count);
      intents = intents.slice(count);
      characters -= taken;
      if (intents.length === 0) last = undefined;
      if (characters <= mostQueuedCharacters / 2 && intents.length <= mostQueuedEvents / 2) isFull = false;
      return together;
    },
    isEmpty: () => intents.length === 0,
    mayGrow: () => last !== undefined && intents.length === 1 && characters < MOST_CHARACTERS_TOGETHER,
    clear: () => {
      const all = intents;
      intents = [];
      characters = 0;
      last = undefined;
      isFull = false;
      return all;
    },
  };
}

/** Characters of text among intents. */
export function charactersIn(intents: readonly Intent[]): number {
  return intents.reduce((sum, intent) => sum + (intent.kind === "text" ? intent.text.length : 0), 0);
}
