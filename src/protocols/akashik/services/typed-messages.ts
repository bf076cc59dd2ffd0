// The frames of a stream of Akashik: typed where nothing would be lost, else JSON in bytes.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConverseRequestSchema, ConverseResponseSchema } from "#gen/akashik/v1/akashik_service_pb.js";
import { Fault } from "../../../base/errors.js";
import { envelopeOf, textOfEnvelope } from "./typed-envelope.js";

/** UTF-8 of the platform. */
export interface Utf8 {
  readonly encode: (text: string) => Uint8Array;
  /** Throws on malformed bytes. */
  readonly decode: (bytes: Uint8Array) => string;
}

/** Frames of one stream. It answers in the form of the peer's last message. */
export interface MessageFrames {
  /** The text of a message. Throws a Fault "invalid_message" or "invalid_json". */
  readonly textOf: (frame: Uint8Array) => string;
  readonly frameOf: (text: string) => Uint8Array;
}

export function createMessageFrames(utf8: Utf8): MessageFrames {
  let isTyped = true;
  return {
    textOf: (frame) => {
      const { message } = requestIn(frame);
      const value = message?.message;
      if (value?.case === undefined) throw malformed("Set one member of `message`.");
      isTyped = value.case === "envelope";
      return value.case === "envelope" ? textOfEnvelope(value.value) : decoded(value.value, utf8);
    },
    frameOf: (text) => {
      const envelope = isTyped ? envelopeOf(text) : undefined;
      const message =
        envelope === undefined
          ? ({ case: "json", value: utf8.encode(text) } as const)
          : ({ case: "envelope", value: envelope } as const);
      return toBinary(ConverseResponseSchema, create(ConverseResponseSchema, { message: { message } }));
    },
  };
}

function requestIn(frame: Uint8Array) {
  try {
    return fromBinary(ConverseRequestSchema, frame);
  } catch (cause) {
    throw malformed("The bytes are no ConverseRequest.", cause);
  }
}

function decoded(bytes: Uint8Array, { decode }: Utf8): string {
  try {
    return decode(bytes);
  } catch (cause) {
    throw new Fault("invalid_json", "Send `json` in UTF-8; this one is not.", { pointer: "/message/json", cause });
  }
}

function malformed(sentence: string, cause?: unknown): Fault {
  return new Fault("invalid_message", sentence, { pointer: "/message", cause });
}
