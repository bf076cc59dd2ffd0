import type { Millis } from "../../contracts/clock.js";
import type { Evidence } from "../findings/finding.js";
import type { Link } from "./link.js";
import { outsideStrings } from "./message-text.js";

export type Message = Readonly<Record<string, unknown>>;

/** A message that was sent or received. */
export interface Recorded {
  readonly way: "sent" | "received";
  /** ms on a clock of no particular beginning. */
  readonly at: Millis;
  readonly text: string;
  /** Undefined: the text is no JSON object. */
  readonly message: Message | undefined;
  /** Its place among all messages of the conversation. */
  readonly place: number;
}

/** A JSON object that came. */
export type Arrived = Recorded & { readonly message: Message };

export interface SeekBounds {
  readonly from?: number | undefined;
  readonly withinMs?: Millis | undefined;
}

export type Conversation = ReturnType<typeof converse>;

/** The most that a conversation keeps of what comes. A whole run of the suite stays far below. */
const MOST_MESSAGES = 20_000;
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** `patienceMs`: how long something that must come may take. */
export function converse(link: Link, patienceMs: Millis) {
  const { record, repeats, note } = createRecord();
  const waiting: (() => void)[] = [];
  let isOver = false;
  let isFlooded = false;
  let hasRunOut = false;
  let accident: Error | undefined;
  let charactersLeft = MOST_CHARACTERS;

  const tell = (): void => {
    for (const one of waiting.splice(0)) one();
  };
  const read = async (): Promise<void> => {
    try {
      for await (const text of link.incoming) {
        charactersLeft -= text.length;
        isFlooded = charactersLeft < 0 || record.length + repeats.length >= MOST_MESSAGES;
        if (isFlooded) break;
        note("received", text);
        tell();
      }
    } catch (caught) {
      accident = caught instanceof Error ? caught : new Error(String(caught));
    }
    isOver = true;
    if (isFlooded) {
      accident = new Error(
        `More came than ${MOST_MESSAGES} messages or ${MOST_CHARACTERS / 1024 / 1024} MiB on one connection.`,
      );
      void link.vanish();
    }
    tell();
  };
  const reading = read();
  const sayText = (text: string): void => {
    note("sent", text);
    link.send(text);
  };
  return {
    /** Its beginning on both clocks. `wallTime`: ms since 1970. */
    startedAt: { at: performance.now(), wallTime: Date.now() },
    /** Everything but what came again. Grows while the conversation lasts. */
    record,
    /** Events that came again byte for byte. A transport may repeat them (AAEP §8.2.4), so no other case judges them. */
    repeats,
    say: (message: Message): void => sayText(JSON.stringify(message)),
    sayText,
    /**
     * Resolves with the first received message at or after `from` that is wanted, as soon as it is there; undefined: `withinMs` have passed, or the
     * connection has ended, without one. Default `from`: the beginning. Default `withinMs`: the patience of the run.
     */
    seek: async (
      isWanted: (message: Message) => boolean,
      { withinMs = patienceMs, from = 0 }: SeekBounds = {},
    ): Promise<Arrived | undefined> => {
      const until = performance.now() + withinMs;
      for (let next = from; ; ) {
        for (; next < record.length; next += 1) {
          const one = record[next];
          if (one !== undefined && hasArrived(one) && isWanted(one.message)) return one;
        }
        if (isOver) return undefined;
        if (performance.now() >= until) {
          hasRunOut ||= withinMs >= patienceMs;
          return undefined;
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, until - performance.now());
          waiting.push(() => {
            clearTimeout(timer);
            resolve();
          });
        });
      }
    },
    /** Whether something was waited for as long as the patience of the run, and did not come. */
    hasRunOut: () => hasRunOut,
    /** Whether the other side has ended the connection. */
    isOver: () => isOver,
    /** Whether the suite ended the connection because more came than it keeps. */
    isFlooded: () => isFlooded,
    /** The error that ended the connection. Its message is a sentence. Undefined: the connection ended in order, or lasts. */
    accident: () => accident,
    close: async () => {
      await link.close();
      await reading;
    },
    vanish: async () => {
      await link.vanish();
      await reading;
    },
  };
}

function createRecord() {
  const record: Recorded[] = [];
  const repeats: Recorded[] = [];
  const eventTexts = new Map<string, string>();
  const note = (way: Recorded["way"], text: string): void => {
    const message = objectIn(text);
    const recorded = { way, at: performance.now(), text, message, place: record.length };
    const id = way === "received" ? message?.event_id : undefined;
    if (typeof id === "string" && eventTexts.get(id) === text) repeats.push(recorded);
    else record.push(recorded);
    if (typeof id === "string") eventTexts.set(id, text);
  };
  return { record: record as readonly Recorded[], repeats: repeats as readonly Recorded[], note };
}

/** The JSON objects that have come, in their order. */
export function arrivedIn({ record }: Pick<Conversation, "record">): readonly Arrived[] {
  return record.filter(hasArrived);
}

function hasArrived(one: Recorded): one is Arrived {
  return one.way === "received" && one.message !== undefined;
}

export function evidenceOf(recorded: Recorded | undefined): Evidence {
  return recorded === undefined ? { note: "nothing" } : noted(recorded.way, recorded.text);
}

/** Evidence: a text, or a message or a member of one as JSON. */
export function noted(note: string, shown: unknown): Evidence {
  return { note, text: typeof shown === "string" ? shown : JSON.stringify(shown) };
}

/** The deepest nesting that is read. No message comes near it, and functions that recurse with it, such as `JSON.stringify`, bear it. */
const DEEPEST = 1000;

function isTooDeep(json: string): boolean {
  let depth = 0;
  for (const [bracket] of outsideStrings(json).matchAll(/[[\]{}]/g)) {
    depth += bracket === "{" || bracket === "[" ? 1 : -1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** The JSON object that a text is; undefined: it is none, or one that is nested deeper than 1000 levels. */
export function objectIn(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && !isTooDeep(text) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
