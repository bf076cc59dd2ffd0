// The calls of a session that no daemon has yet, in their order. Text merges, and the queue is bounded.
import { wholeEnd } from "../../base/whole-end.js";
import type { Intent, TextIntent } from "./voice.js";

export interface QueueLimits {
  readonly mostQueuedCharacters: number;
  readonly mostQueuedEvents: number;
}

/** All sessions of an agent together may have as much as so many full ones. */
const FULL_SESSIONS = 16;

/** The room for everything that waits in the sessions of an agent: many that wait for a lost daemon need no more memory than some. */
export class QueueRoom {
  readonly #limits: QueueLimits;
  #characters = 0;
  #events = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Whether an event, and so many characters more, may wait. */
  has(characters: number): boolean {
    const { mostQueuedCharacters, mostQueuedEvents } = this.#limits;
    return (
      this.#characters + characters <= mostQueuedCharacters * FULL_SESSIONS &&
      this.#events < mostQueuedEvents * FULL_SESSIONS
    );
  }

  /** Adds what waits from now on; negative: what waits no more. */
  fill(characters: number, events: number): void {
    this.#characters += characters;
    this.#events += events;
  }
}

/** Intents and characters that are sent together: well below the daemon's limits of one publish. */
const MOST_TOGETHER = 64;
const MOST_CHARACTERS_TOGETHER = 65_536;

export class IntentQueue {
  readonly #limits: QueueLimits;
  readonly #room: QueueRoom;
  #intents: Intent[] = [];
  #characters = 0;
  #underway: readonly Intent[] = [];
  #last: TextIntent | undefined;
  // Once text was dropped, all further text is, until half of the queue is free: one hole in place of many.
  #isFull = false;

  constructor(limits: QueueLimits, room: QueueRoom) {
    this.#limits = limits;
    this.#room = room;
  }

  get isEmpty(): boolean {
    return this.#intents.length === 0;
  }

  /** Whether nothing waits but one stretch of text, which further text may join. */
  get mayGrow(): boolean {
    return this.#last !== undefined && this.#intents.length === 1 && this.#characters < MOST_CHARACTERS_TOGETHER;
  }

  /** Appends text; false if it was dropped, because the queue is full. */
  text(outputId: string, chunk: string): boolean {
    if (this.#isFull && !this.isEmpty) return false;
    const { mostQueuedCharacters, mostQueuedEvents } = this.#limits;
    this.#isFull = this.#characters + chunk.length > mostQueuedCharacters || !this.#room.has(chunk.length);
    if (this.#isFull) return false;
    if (this.#last?.outputId === outputId) this.#last.text += chunk;
    else {
      this.#isFull = this.#intents.length >= mostQueuedEvents;
      if (this.#isFull) return false;
      this.#last = { kind: "text", outputId, text: chunk };
      this.#intents.push(this.#last);
      this.#room.fill(0, 1);
    }
    this.#characters += chunk.length;
    this.#room.fill(chunk.length, 0);
    return true;
  }

  /** Appends an intent; false if the queue is full. An essential one belongs to an earlier one, as an end to its beginning, and is always taken. */
  add(intent: Exclude<Intent, TextIntent>, isEssential = false): boolean {
    if (!isEssential && (this.#intents.length >= this.#limits.mostQueuedEvents || !this.#room.has(0))) return false;
    this.#intents.push(intent);
    this.#room.fill(0, 1);
    this.#last = undefined;
    return true;
  }

  /** Takes intents from the front, up to the first question; a question alone. They take up room until `settled`. */
  take(): readonly Intent[] {
    let count = 0;
    let taken = 0;
    let head: Intent[] = [];
    for (const intent of this.#intents.slice(0, MOST_TOGETHER)) {
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
    this.#room.fill(0, head.length);
    this.#underway = [...this.#shift(count), ...head];
    this.#characters -= taken;
    const { mostQueuedCharacters, mostQueuedEvents } = this.#limits;
    if (this.#characters <= mostQueuedCharacters / 2 && this.#intents.length <= mostQueuedEvents / 2)
      this.#isFull = false;
    return this.#underway;
  }

  /** Everything taken has been dealt with. */
  settled(): void {
    this.#room.fill(-charactersIn(this.#underway), -this.#underway.length);
    this.#underway = [];
  }

  /** Takes everything out. */
  clear(): readonly Intent[] {
    const all = this.#shift(this.#intents.length);
    this.#room.fill(-this.#characters, -all.length);
    this.#characters = 0;
    this.#isFull = false;
    return all;
  }

  #shift(count: number): readonly Intent[] {
    const first = this.#intents.slice(0, count);
    this.#intents = this.#intents.slice(count);
    if (this.isEmpty) this.#last = undefined;
    return first;
  }
}

/** Characters of text among intents. */
export function charactersIn(intents: readonly Intent[]): number {
  return intents.reduce((sum, intent) => sum + (intent.kind === "text" ? intent.text.length : 0), 0);
}

/** Calls among intents that are no text. */
export function eventsIn(intents: readonly Intent[]): number {
  return intents.filter(({ kind }) => kind !== "text").length;
}
