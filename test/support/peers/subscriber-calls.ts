// Clients of aaep.v1.SubscriberService and aaep.v1.AaepService in this process, which speak in documents.
import { create, type DescMethod, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AaepMessageSchema, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { faultFrom } from "../../../src/base/errors.js";
import type { ServiceMethod } from "../../../src/contracts/service.js";
import { decodeDocument } from "../../../src/protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../../src/protocols/aaep/protobuf/encode.js";
import { subscriberMethods } from "../../../src/protocols/aaep/services/subscriber-service.js";
import { CallSignal } from "../../../transports/json-rpc/call-signal.js";
import type { RigOptions } from "../rigs/engine-rig.js";
import { createStreamRig, type StreamRig, utf8 } from "../rigs/stream-rig.js";
import { openStream, type StreamClient } from "./service-calls.js";

export type Document = Readonly<Record<string, unknown>>;

interface SubscriberStream extends StreamClient<Uint8Array> {
  /** A request of the method, as a document. */
  readonly say: (request: Document) => void;
  /** Each message that came, as it came. */
  readonly responses: () => readonly Document[];
  /** Everything that came, one by one: events, and the other messages with their type. */
  readonly heard: () => readonly Document[];
  readonly types: () => readonly unknown[];
}

export interface SubscriberRig extends Omit<StreamRig, "listen"> {
  readonly methods: readonly ServiceMethod[];
  readonly subscribe: () => SubscriberStream;
  /** Opens the stream, and says no more than this. */
  readonly listen: (request?: Document) => SubscriberStream;
  readonly subscribeJson: () => SubscriberStream;
  /** Calls a method that is answered once. Answers its response, or `{fault}` with code, pointer and rule. */
  readonly call: (method: DescMethod, request: Document) => Promise<Document>;
}

const { method: typed } = SubscriberService;
const { method: json } = AaepService;

export function requestOf(capabilities: Document = {}, others: Document = {}): Document {
  return { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "reader", capabilities, ...others };
}

export function createSubscriberRig(options: RigOptions & { readonly heartbeatMs?: () => number } = {}): SubscriberRig {
  const { heartbeatMs = () => 15_000 } = options;
  const rig = createStreamRig(options);
  const methods = subscriberMethods({
    ...rig.services,
    utf8,
    manifest: () => ({ type: "aaep:producer.manifest", agent_id: "test-agent", agent_name: "Test" }),
    serve: rig.serve,
    heartbeatMs,
  });

  const methodOf = <Kind extends ServiceMethod["kind"]>(descriptor: DescMethod, kind: Kind) => {
    const found = methods.find((one) => one.descriptor === descriptor);
    if (found?.kind !== kind) throw new Error(`there is no ${kind} method ${descriptor}`);
    // Just looked at.
    return found as Extract<ServiceMethod, { kind: Kind }>;
  };
  const frameOf = ({ input }: DescMethod, request: Document): Uint8Array => encodeDocument(input, request);

  const open = (descriptor: DescMethod): StreamClient<Uint8Array> => {
    const { accept, joinsBatches } = methodOf(descriptor, "stream");
    return openStream<Uint8Array>(accept, joinsBatches ? joined : undefined);
  };

  const openTyped = (descriptor: DescMethod): SubscriberStream => {
    const stream = open(descriptor);
    const responses = () => stream.received.map((frame) => decodeDocument(descriptor.output, frame as Uint8Array));
    const heard = () => responses().flatMap(messagesIn);
    const say = (request: Document): void => stream.send(frameOf(descriptor, request));
    return { ...stream, say, responses, heard, types: () => heard().map(({ type }) => type) };
  };

  const call: SubscriberRig["call"] = async (descriptor, request) => {
    const { answer } = methodOf(descriptor, "unary");
    const peer = { label: "call", trust: "token-holder" } as const;
    try {
      const answered = await answer(frameOf(descriptor, request), { peer, signal: new CallSignal() });
      return decodeDocument(descriptor.output, answered);
    } catch (caught) {
      const { code, pointer, rule } = faultFrom(caught);
      return { fault: { code, pointer, rule } };
    }
  };

  return {
    ...rig,
    methods,
    subscribe: () => openTyped(typed.subscribe),
    listen: (request = {}) => {
      const stream = openTyped(typed.listen);
      stream.say(request);
      stream.halfClose();
      return stream;
    },
    subscribeJson: () => {
      const stream = open(json.subscribe);
      const responses = () => stream.received.map(carried);
      const heard = () => responses().map(({ document }) => document as Document);
      const say = (message: Document): void => {
        const fields = { json: utf8.encode(JSON.stringify(message)), messageType: String(message.type) };
        stream.send(toBinary(AaepMessageSchema, create(AaepMessageSchema, fields)));
      };
      return { ...stream, say, responses, heard, types: () => heard().map(({ type }) => type) };
    },
    call: async (descriptor, request) => {
      const answered = call(descriptor, request);
      await rig.settle();
      return answered;
    },
  };
}

function joined(frames: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(frames as readonly Uint8Array[]);
}

/** The messages in a response of Subscribe or Listen. */
function messagesIn({ events, ...others }: Document): readonly Document[] {
  return [...((events as readonly Document[] | undefined) ?? []), ...(Object.values(others) as readonly Document[])];
}

/** What an AaepMessage carries, with the type that stands beside it. */
function carried(frame: Uint8Array): Document {
  const { json: bytes, messageType } = fromBinary(AaepMessageSchema, frame as Uint8Array);
  return { document: JSON.parse(utf8.decode(bytes)), messageType };
}
