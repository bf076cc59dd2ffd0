// A subscriber's memory of received events and text, by which it drops repeats after a return (R12). Knows no connection.
import type { Envelope } from "#gen/aaep/types.js";
import { QUESTION, STARTED, STREAMING } from "../event-types.js";
import { RecentMap } from "../recent-map.js";

/** Newest ids that are certainly remembered. */
const REMEMBERED_IDS = 10_000;
/** Newest outputs that are certainly remembered. */
const REMEMBERED_OUTPUTS = 256;
/** Fewest of the last characters of an output that are remembered: those of the longest event. At most twice as many are. */
const REMEMBERED_CHARACTERS = 16_384;

export class Received {
  /** The connection on which each id was heard last. */
  readonly #ids = new RecentMap<number>(REMEMBERED_IDS);
  readonly #outputs = new RecentMap<HeardText>(REMEMBERED_OUTPUTS);
  #connection = 0;

  /** Reports a new connection. Events and text may come again on it, also merged and cut in another way. */
  reconnected(): void {
    this.#connection += 1;
  }

  /**
   * Returns the event to show; undefined if it was shown before. Text is returned without the characters that were heard, at the position of the
   * first new one. A question that comes on a new connection is open, whatever was heard of it (R12).
   */
  accept(event: Envelope): Envelope | undefined {
    const { chunk, position } = event;
    // Not by its id: merged text has that of its place, where other text may stand after a crash.
    if (STREAMING.test(event.type) && typeof chunk === "string" && typeof position === "number")
      return this.#newText(event, chunk, position);
    const heardOn = this.#ids.get(event.event_id);
    this.#ids.set(event.event_id, this.#connection);
    if (heardOn === undefined && STARTED.test(event.type)) this.#forget(event.session_id);
    const isNews = heardOn === undefined || (heardOn !== this.#connection && QUESTION.test(event.type));
    return isNews ? event : undefined;
  }

  /** A session that begins under an id that was there before writes new text, however equal. */
  #forget(sessionId: string): void {
    this.#outputs.deleteAll((output) => output.sessionId === sessionId);
  }

  #newText(event: Envelope, chunk: string, position: number): Envelope | undefined {
    const key = `${event.session_id}\n${typeof event.output_id === "string" ? event.output_id : ""}`;
    const output = this.#outputs.get(key) ?? new HeardText(event.session_id);
    this.#outputs.set(key, output);
    const characters = [...chunk];
    const repeated = output.take(characters, position, event.complete === true);
    if (repeated === undefined || repeated === 0) return repeated === undefined ? undefined : event;
    return { ...event, chunk: characters.slice(repeated).join(""), position: position + repeated };
  }
}

/** One output, as far as it was heard. Positions are in code points (R13). */
class HeardText {
  readonly sessionId: string;
  #end = 0;
  #completeAt: number | undefined;
  /** The characters directly before the end. */
  #tail = "";
  #tailCount = 0;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  /** Returns how many of the characters, counted from the first, were heard before; undefined if nothing is new, the completion neither. */
  take(characters: readonly string[], position: number, completes: boolean): number | undefined {
    const end = position + characters.length;
    const known = this.#knownTo(characters, position);
    if (known === end && (!completes || this.#completeAt === end)) return undefined;
    if (known !== this.#end) this.#cutTo(known);
    this.#tail += characters.slice(known - position).join("");
    this.#tailCount += end - known;
    this.#end = end;
    this.#completeAt = completes ? end : undefined;
    if (this.#tailCount > 2 * REMEMBERED_CHARACTERS) this.#keepLast([...this.#tail].slice(-REMEMBERED_CHARACTERS));
    return known - position;
  }

  /** Where the news begin. Text before the tail is known by its position alone. */
  #knownTo(characters: readonly string[], position: number): number {
    if (position >= this.#end) return position;
    const tail = [...this.#tail];
    const tailStart = this.#end - tail.length;
    const to = Math.min(this.#end, position + characters.length);
    for (let at = Math.max(position, tailStart); at < to; at += 1)
      if (tail[at - tailStart] !== characters[at - position]) return at;
    return to;
  }

  /** A crash has taken back what stood behind. Or a gap lies before the new text, and nothing before it is compared. */
  #cutTo(position: number): void {
    const tail = [...this.#tail];
    this.#keepLast(position > this.#end ? [] : tail.slice(0, Math.max(0, tail.length - (this.#end - position))));
  }

  #keepLast(characters: readonly string[]): void {
    this.#tail = characters.join("");
    this.#tailCount = characters.length;
  }
}
