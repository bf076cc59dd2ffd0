// Compares the text of an event with that of an earlier publish of the same id (R3).
import type { JournaledEvent } from "../event/event.js";

/** An event as its agent sent it. */
export interface PublishedEvent {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The JSON text of exactly these fields, if there is one. */
  readonly source?: string | undefined;
  /** The publisher does not use `fields` again, so the daemon may fill them in without a copy. Default false. */
  readonly isHandedOver?: boolean;
}

/** The JSON text of an event as it was sent. Call it before the daemon fills anything in. */
export function sentText({ fields, source }: PublishedEvent): string {
  return source ?? JSON.stringify(fields);
}

/** The end of a text to which the daemon added the language (R2). */
const LANGUAGE_ADDED = /^,"localization_hints":\{[^{}]*\}\}$/;

/** Whether `later` is `sent`, or `sent` with the language that the daemon filled in behind its last member (R2). */
export function isSameText(sent: string, later: string): boolean {
  if (sent === later) return true;
  const end = sent.lastIndexOf("}");
  return end > 0 && later.startsWith(sent.slice(0, end)) && LANGUAGE_ADDED.test(later.slice(end));
}

/** Whether a journaled event was published with this text, or is delivered with it. `hash` is SHA-256. */
export function wasSentAs(
  text: string,
  { event, source, sent }: JournaledEvent,
  hash: (text: string) => string,
): boolean {
  if (sent !== undefined && sent === sentHash(text, hash)) return true;
  return isSameText(text, source ?? JSON.stringify(event));
}

/** 128 bits of the hash of a text as it was sent, in hex (R3). */
export function sentHash(text: string, hash: (text: string) => string): string {
  return hash(text).slice(0, 32);
}
