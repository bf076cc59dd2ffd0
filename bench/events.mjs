// The event of every row: output.streaming of 471 bytes, with an id that ends in the event's number, so that receivers can check the order.
import { randomBytes } from "node:crypto";

export const EVENT_BYTES = 471;
export const CORE = "aaep:agent.";
const DIGITS = 10;
export const CONTEXT = "https://aaep-protocol.org/context/v1";
const WORDS = "The daemon carries what the agent says to everybody who listens, each on the terms that were agreed. ";

/** The number at the end of an event's id. */
export function numberOf(event) {
  return Number(event.event_id.slice(-DIGITS));
}

/** Index of the last digit of the number in the JSON text of a chunk event, for `writeNumber`. */
export function numberEnd(text) {
  return text.indexOf('","session_id"') - 1;
}

/** Writes a number into an event's bytes, where its last digit stands. */
export function writeNumber(bytes, last, number) {
  let rest = number;
  for (let digit = 0; digit < DIGITS; digit += 1) {
    bytes[last - digit] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/** Throws if a number does not follow the last one. The first may be any. */
export function createOrderCheck() {
  let expected;
  return (number) => {
    if (expected !== undefined && number !== expected) throw new Error(`Event ${number} came in place of ${expected}.`);
    expected = number + 1;
  };
}

/** The language of an event, at its end. */
const HINTS = ',"localization_hints":{"primary_language":"en-US"}';

/**
 * Texts of one session's events. `renew` sets the time of the events that follow. With `chunkCharacters`, the agent's name takes the bytes that its
 * text leaves; an event with more than 42 characters is longer.
 */
export function createEventTexts({ chunkCharacters } = {}) {
  const session = `sess_${randomBytes(8).toString("hex")}`;
  // The salt does not end in 0, which would be taken for the first digit of the number.
  const salt = `${randomBytes(11).toString("hex").slice(0, -1)}x`;
  let head = "";
  let middle = "";
  let beforeChunk = "";
  let tail = "";
  let chunkLength = 0;
  let stamp = "";
  let name = "";
  const envelope = (type, number, timestamp) =>
    `{"@context":"${CONTEXT}","type":"${type}","event_id":"evt_${salt}${String(number).padStart(DIGITS, "0")}","session_id":"${session}","timestamp":"${timestamp}","producer":{"agent_id":"bench-agent","agent_version":"1.0.0"${name}},"urgency":`;
  const renew = () => {
    stamp = new Date().toISOString();
    const [before, after] = envelope(`${CORE}output.streaming`, 0, stamp).split("0".repeat(DIGITS));
    head = before;
    const fixed = `${after}"normal","chunk":"","position":1234567,"complete":false,"output_id":"out_1"${HINTS}}`;
    const room = EVENT_BYTES - head.length - DIGITS - fixed.length;
    const nameLength = chunkCharacters === undefined ? 0 : room - chunkCharacters - ',"agent_name":""'.length;
    if (nameLength > 0 && name === "") {
      name = `,"agent_name":"${"Bench ".repeat(20).slice(0, nameLength)}"`;
      renew();
      return;
    }
    chunkLength = chunkCharacters ?? room;
    const chunk = WORDS.repeat(3).slice(0, chunkLength);
    beforeChunk = `${after}"normal","chunk":"`;
    middle = `${beforeChunk}${chunk}","position":`;
    tail = `,"complete":false,"output_id":"out_1"${HINTS}}`;
  };
  renew();
  /** Short chunks are cut from running text, so that it has sentences. */
  const middleOf = (number) => {
    if (chunkCharacters === undefined) return middle;
    const from = (number * chunkCharacters) % WORDS.length;
    return `${beforeChunk}${`${WORDS}${WORDS}`.slice(from, from + chunkCharacters)}","position":`;
  };
  return {
    session,
    renew,
    started: () =>
      `${envelope(`${CORE}session.started`, 9_999_999_999, stamp)}"normal","summary_normal":"The benchmark begins."${HINTS}}`,
    /** Chunk number `number`, of an output that began with number 0. */
    chunk: (number) =>
      `${head}${String(number).padStart(DIGITS, "0")}${middleOf(number)}${number * chunkLength}${tail}`,
    /** A critical event of an extension's type, which no rule of order concerns. */
    alarm: (number) =>
      `${envelope("https://bench.example/types/alarm", 5_000_000_000 + number, new Date().toISOString())}"critical"}`,
  };
}

/** The terms of a debugging tool: everything that the filter passes, as published. */
export function passThrough(include = [`${CORE}output.streaming`]) {
  return { coalesce_boundaries: ["none"], event_filters: { include } };
}

export function subscriptionRequest(subscriberId, capabilities) {
  return {
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: subscriberId,
    capabilities,
  };
}

/** One message in the framing with a 4-byte length. */
export function framed(text) {
  const bytes = Buffer.from(text);
  const frame = Buffer.allocUnsafe(4 + bytes.length);
  frame.writeUInt32BE(bytes.length, 0);
  bytes.copy(frame, 4);
  return frame;
}

/**
 * Cuts such messages, as cheaply as a receiver can: calls `handle` with the bytes and the extent of each, and `taken` behind all that came at once.
 */
export function cutFrames(source, handle, taken) {
  let rest = Buffer.alloc(0);
  source.on("data", (chunk) => {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (at + 4 <= data.length) {
      const end = at + 4 + data.readUInt32BE(at);
      if (end > data.length) break;
      handle(data, at + 4, end);
      at = end;
    }
    rest = at === data.length ? Buffer.alloc(0) : data.subarray(at);
    taken?.();
  });
}
