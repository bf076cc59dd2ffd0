// Counts the fields of a message in its bytes, before a library builds the message (R34).
import type { DescMessage } from "@bufbuild/protobuf";
import { Fault } from "../../../base/errors.js";
import { MAX_MESSAGE_VALUES } from "../../../base/json-document.js";
import { DELIMITED } from "./plan.js";
import { Reading } from "./reading.js";

/** Levels of messages within messages. A level of a Struct is three. The library refuses deeper ones before it builds anything of them. */
const DEEPEST = 100;

/** Returns the level within the field of that number; undefined if it has no messages. */
type Level = (number: number) => Level | undefined;

/**
 * Counts every field of a message, at all levels together, before a library builds it: no other peer is served meanwhile, and each value costs many
 * times its bytes (R34). Bytes that are no message are counted as far as they can be read: the library refuses them.
 * @throws Fault "message_too_large" for more than 32,768
 */
export function assertFewFields(descriptor: DescMessage, bytes: Uint8Array): void {
  const reading = new Reading(bytes);
  let count = 0;
  const walk = (level: Level, end: number, depth: number): void => {
    for (let number = reading.next(end); number !== 0; number = reading.next(end)) {
      count += 1;
      if (count > MAX_MESSAGE_VALUES) throw tooMany();
      const within = reading.wireType === DELIMITED && depth <= DEEPEST ? level(number) : undefined;
      if (within === undefined) reading.skipUnknown(number, end);
      else walk(within, reading.part(end), depth + 1);
    }
  };
  try {
    walk(levelOf(descriptor), bytes.length, 1);
  } catch (caught) {
    if (caught instanceof Fault && caught.code === "message_too_large") throw caught;
  }
}

function levelOf(descriptor: DescMessage): Level {
  return (number) => {
    const field = descriptor.fields.find((one) => one.number === number);
    if (field?.message === undefined) return undefined;
    const within = levelOf(field.message);
    // An entry of a map is a message of its own, which the descriptor does not have.
    return field.fieldKind === "map" ? (member) => (member === 2 ? within : undefined) : within;
  };
}

function tooMany(): Fault {
  const sentence = `A message of this form may have at most ${MAX_MESSAGE_VALUES} fields, at all levels together; this one has more. Send less at a time, or as JSON.`;
  return new Fault("message_too_large", sentence, { pointer: "", rule: "AAEP §3.7" });
}
