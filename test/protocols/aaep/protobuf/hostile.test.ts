// Bytes that no library writes: each is refused before it costs much, and none can be read in two ways (R20, AAEP §3.7).
import { describe, expect, it } from "vitest";
import { PublishRequestSchema, ResumeSessionResultSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import { CapabilitiesSchema, ConfirmationReplySchema, SubscriptionRequestSchema } from "#gen/aaep/v1/handshake_pb.js";
import { ReplyRequestSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import { MAX_MESSAGE_VALUES } from "../../../../src/base/json-document.js";
import { decodeDocument } from "../../../../src/protocols/aaep/protobuf/decode.js";
import { agentDocument } from "../../../../src/protocols/aaep/services/service-messages.js";
import { faultOf } from "../../../support/fault-of.js";

type Bytes = readonly number[];

function varint(value: bigint | number): Bytes {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

const part = (number: number, bytes: Bytes): Bytes => [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
const whole = (number: number, value: bigint | number): Bytes => [...varint(number * 8), ...varint(value)];
const text = (number: number, value: string): Bytes => part(number, [...Buffer.from(value)]);
const times = (count: number, bytes: Bytes): Uint8Array => Buffer.alloc(count * bytes.length, Uint8Array.from(bytes));
const bytesOf = (...parts: readonly (Bytes | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((one) => Uint8Array.from(one)));
const within = (number: number, bytes: Uint8Array): Uint8Array =>
  bytesOf([...varint(number * 8 + 2), ...varint(bytes.length)], bytes);

const { additional } = CapabilitiesSchema.field;
const levels = CapabilitiesSchema.field.supportedConformanceLevels.number;
const NULL: Bytes = part(2, [8, 0]);
const CUT_SHORT: Bytes = [0x12, 0x05];

describe("what is too much is refused before all of it is decoded", () => {
  // What stands last is no protobuf at all: whoever came to it would say so.
  const names = Array.from({ length: MAX_MESSAGE_VALUES + 1 }, (_, index) =>
    part(1, [...text(1, `${index}`), ...NULL]),
  );
  it.each<[string, Uint8Array]>([
    ["numbers", bytesOf(within(levels, times(MAX_MESSAGE_VALUES + 1, [1])), CUT_SHORT)],
    ["numbers that are not packed", bytesOf(times(MAX_MESSAGE_VALUES + 1, whole(levels, 1)), CUT_SHORT)],
    ["members", bytesOf(within(additional.number, bytesOf(...names)), CUT_SHORT)],
    [
      "values",
      bytesOf(
        within(
          additional.number,
          within(1, bytesOf(text(1, "a"), within(2, within(6, times(MAX_MESSAGE_VALUES + 1, part(1, [8, 0])))))),
        ),
        CUT_SHORT,
      ),
    ],
    [
      "entries of several lists together",
      bytesOf(
        within(levels, times(MAX_MESSAGE_VALUES / 2, [1])),
        times(MAX_MESSAGE_VALUES / 2 + 1, text(CapabilitiesSchema.field.languages.number, "")),
        CUT_SHORT,
      ),
    ],
  ])("%s", (_, bytes) => {
    expect(faultOf(() => decodeDocument(CapabilitiesSchema, bytes))).toMatchObject({
      code: "message_too_large",
      rule: "AAEP §3.7",
    });
  });

  it("messages in a list", () => {
    const agents = times(MAX_MESSAGE_VALUES + 1, part(ResumeSessionResultSchema.field.agents.number, []));
    expect(faultOf(() => decodeDocument(ResumeSessionResultSchema, bytesOf(agents, CUT_SHORT)))).toMatchObject({
      code: "message_too_large",
    });
  });

  it("and exactly so many pass", () => {
    const document = decodeDocument(CapabilitiesSchema, within(levels, times(MAX_MESSAGE_VALUES, [1])));
    expect(document.supported_conformance_levels).toHaveLength(MAX_MESSAGE_VALUES);
  });
});

describe("a number that its field cannot hold is refused, not cut", () => {
  const { number: started } = EventSchema.fields.find(({ name }) => name === "session_started") ?? { number: 0 };
  const urgency = EventSchema.field.urgency.number;
  it.each<[string, Uint8Array, string]>([
    ["a number", bytesOf(part(started, whole(4, 2n ** 32n + 7n))), "expected_duration_ms"],
    ["an enum", bytesOf(whole(urgency, 2n ** 32n + 3n)), "urgency"],
    ["an enum that would be unspecified", bytesOf(whole(urgency, 2n ** 32n)), "urgency"],
    ["a length", bytesOf([3 * 8 + 2, ...varint(2n ** 32n + 1n), 0x61]), "event_id"],
  ])("%s", (_, bytes, place) => {
    const fault = faultOf(() => decodeDocument(EventSchema, bytes));
    expect(fault.sentence).toMatch(/32 bits/);
    expect(fault.pointer).toBe(`/${place}`);
  });

  it("the tag of a field", () => {
    const bytes = bytesOf([...varint(2n ** 32n + BigInt(urgency * 8)), 2]);
    expect(faultOf(() => decodeDocument(EventSchema, bytes))).toMatchObject({ code: "invalid_message", pointer: "" });
  });

  it("a truth value", () => {
    const bytes = bytesOf(whole(CapabilitiesSchema.field.supportsConfirmationReply.number, 2n ** 32n));
    expect(faultOf(() => decodeDocument(CapabilitiesSchema, bytes)).sentence).toMatch(/32 bits/);
  });

  it("beyond what JSON carries (R41)", () => {
    const tooBig = bytesOf([levels * 8], times(8, [0xff]), [0x01]);
    expect(faultOf(() => decodeDocument(CapabilitiesSchema, tooBig)).sentence).toMatch(/2\^53/);
    const below = bytesOf([levels * 8], times(9, [0xff]), [0x01]);
    expect(decodeDocument(CapabilitiesSchema, below)).toEqual({ supported_conformance_levels: [-1] });
  });

  it("one that is written longer than it needs to be passes", () => {
    const bytes = bytesOf([urgency * 8, 0x83, 0x80, 0x80, 0x80, 0x80, 0x00]);
    expect(decodeDocument(EventSchema, bytes)).toEqual({ urgency: "critical" });
  });
});

describe("what two readers could read in two ways is refused", () => {
  const extensions = SubscriptionRequestSchema.field.extensions.number;
  const entry = (...members: readonly Bytes[]): Bytes => part(1, members.flat());
  const one: Bytes = part(2, text(3, "1"));
  it.each<[string, Bytes, RegExp]>([
    ["a member twice", [...entry(text(1, "a"), one), ...entry(text(1, "a"), one)], /twice/],
    ["a member of no name twice", [...entry(one), ...entry(text(1, ""), one)], /twice/],
    ["an entry with two values", entry(text(1, "a"), one, one), /one value/],
    ["an entry with two names", entry(text(1, "a"), text(1, "b"), one), /one key/],
  ])("%s", (_, struct, sentence) => {
    const fault = faultOf(() => decodeDocument(SubscriptionRequestSchema, bytesOf(part(extensions, struct))));
    expect(fault.code).toBe("invalid_message");
    expect(fault.sentence).toMatch(sentence);
    expect(fault.pointer).toMatch(/^\/extensions/);
  });

  it("__proto__ twice, and a member called as one of every object once", () => {
    const twice = bytesOf(part(extensions, [...entry(text(1, "__proto__"), one), ...entry(text(1, "__proto__"), one)]));
    expect(faultOf(() => decodeDocument(SubscriptionRequestSchema, twice)).sentence).toMatch(/twice/);
    const once = bytesOf(part(extensions, entry(text(1, "toString"), one)));
    expect(decodeDocument(SubscriptionRequestSchema, once).extensions).toEqual({ toString: "1" });
  });

  it("two members of which there is one", () => {
    const { confirmationReply, clarificationReply } = ReplyRequestSchema.field;
    const reply = text(ConfirmationReplySchema.field.replyToken.number, "rpl_1");
    const both = bytesOf(part(confirmationReply.number, reply), part(clarificationReply.number, reply));
    expect(faultOf(() => decodeDocument(ReplyRequestSchema, both))).toMatchObject({
      code: "invalid_message",
      sentence: expect.stringMatching(/`confirmation_reply` and `clarification_reply`/),
      pointer: "",
    });
    const { publish, resume } = PublishRequestSchema.field;
    const two = bytesOf(part(publish.number, []), part(resume.number, []));
    expect(faultOf(() => agentDocument(PublishRequestSchema, two)).sentence).toMatch(/`publish` and `resume`/);
  });
});
