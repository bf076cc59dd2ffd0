// Counts the values of a message before a library builds it: no other peer is served meanwhile, and each value costs many times its bytes (R34).
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { Fault } from "../../../base/errors.js";
import { MAX_MESSAGE_VALUES } from "../../../base/json-document.js";
import { DELIMITED } from "./byte-writer.js";
import { endOfPart, type Reading, readingOf } from "./reading.js";

/** Levels of messages within messages. A level of a Struct is three. The library refuses deeper ones before it builds anything of them. */
const DEEPEST = 100;

/** The messages that a level may have within it, by the number of their field. */
type Level = ReadonlyMap<number, Pick<DescField, "fieldKind"> & { readonly message: DescMessage }>;

/**
 * Counts every field of a message, at all levels together. Bytes that are no message are counted as far as they can be read: the library refuses
 * them.
 * @throws Fault "message_too_large" for more than 32,768
 */
export function assertFewFields(descriptor: DescMessage, bytes: Uint8Array): void {
  let count = 0;
  const reading = readingOf(bytes);

  function walk(level: Level, end: number, depth: number): void {
    const { reader } = reading;
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      count += 1;
      if (count > MAX_MESSAGE_VALUES) throw tooMany();
      const within = wireType === DELIMITED ? levelIn(level, number) : undefined;
      if (within === undefined || depth > DEEPEST) skip(reading, number, wireType, end);
      else walk(within, endOfPart(reading, end), depth + 1);
    }
  }

  try {
    walk(levelOf(descriptor), bytes.length, 1);
  } catch (caught) {
    if (caught instanceof Fault && caught.code === "message_too_large") throw caught;
  }
}

function levelIn(level: Level, number: number): Level | undefined {
  const field = level.get(number);
  if (field === undefined) return undefined;
  const { fieldKind, message } = field;
  // An entry of a map is a message of its own, which the descriptor does not have.
  return fieldKind === "map" ? new Map([[2, { fieldKind: "message", message }]]) : levelOf(message);
}

const LEVELS = new WeakMap<DescMessage, Level>();

function levelOf(descriptor: DescMessage): Level {
  const known = LEVELS.get(descriptor);
  if (known !== undefined) return known;
  const messages = descriptor.fields.flatMap(({ number, message, fieldKind }) =>
    message === undefined ? [] : [[number, { fieldKind, message }] as const],
  );
  const level: Level = new Map(messages);
  LEVELS.set(descriptor, level);
  return level;
}

function skip(reading: Reading, number: number, wireType: number, end: number): void {
  if (wireType === DELIMITED) reading.reader.pos = endOfPart(reading, end);
  else reading.reader.skip(wireType, number);
}

function tooMany(): Fault {
  const sentence = `A message of this form may have at most ${MAX_MESSAGE_VALUES} fields, at all levels together; this one has more. Send less at a time, or as JSON.`;
  return new Fault("message_too_large", sentence, { pointer: "", rule: "AAEP §3.7" });
}
