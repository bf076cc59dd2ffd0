// The frames of a stream of Converse, as A2E and Akashik have them: a message is typed where its protocol has a form for it, else JSON in bytes.
import { create, type DescMethod, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Fault } from "../base/errors.js";
import type { TextCodec } from "../contracts/codec.js";

/** The one member of a message that is set. */
export interface Member {
  readonly case: string | undefined;
  readonly value?: unknown;
}

/** The typed messages of a protocol. */
export interface Forms {
  readonly textOf: (member: Member) => string;
  /** Undefined if the message has no form, or if a part of it has no place in its form. */
  readonly memberOf: (text: string) => Member | undefined;
}

/** Frames of one stream. It answers in the form of the peer's last message, and in types before the first. `json`: of a message as JSON. */
export function exchangeFrames(
  { input, output }: DescMethod,
  forms: Forms,
  json: TextCodec<Uint8Array>,
): TextCodec<Uint8Array> {
  let isTyped = true;
  const memberIn = (frame: Uint8Array): Member | undefined => {
    try {
      return (fromBinary(input, frame) as { readonly message?: { readonly message: Member } }).message?.message;
    } catch (cause) {
      throw malformed(`The bytes are no ${input.name}.`, cause);
    }
  };
  return {
    textOf: (frame) => {
      const member = memberIn(frame);
      if (member?.case === undefined) throw malformed("Set one member of `message`.");
      isTyped = member.case !== "json";
      return isTyped ? forms.textOf(member) : json.textOf(member.value as Uint8Array);
    },
    frameOf: (text) => {
      const message = (isTyped ? forms.memberOf(text) : undefined) ?? { case: "json", value: json.frameOf(text) };
      return toBinary(output, create(output, { message: { message } } as Record<string, unknown>));
    },
  };
}

function malformed(sentence: string, cause?: unknown): Fault {
  return new Fault("invalid_message", sentence, { pointer: "/message", cause });
}
