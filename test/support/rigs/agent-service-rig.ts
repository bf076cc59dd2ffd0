// aaep.v1.AgentService over an engine with a virtual clock, called as a transport would: documents in and out, bytes in between.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DescMessage } from "@bufbuild/protobuf";
import { AgentService, PublishRequestSchema, PublishResponseSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { Fault } from "../../../src/base/errors.js";
import type { Conversation } from "../../../src/contracts/protocol.js";
import type { ServiceMethod } from "../../../src/contracts/service.js";
import { Turns } from "../../../src/engine/time/turns.js";
import { decodeDocument } from "../../../src/protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../../src/protocols/aaep/protobuf/encode.js";
import { agentMethods } from "../../../src/protocols/aaep/services/agent-service.js";
import { createSpokenLanguages } from "../../../src/protocols/aaep/subscriber/spoken-languages.js";
import { FrameLoop } from "../../../src/runtime/frame-loop.js";
import { statusOf } from "../../../src/runtime/run-conversation.js";
import { SAME_USER_MAY_ALL } from "../../../src/security/access.js";
import { CallSignal } from "../../../transports/json-rpc/call-signal.js";
import { openStream, type StreamClient } from "../peers/service-calls.js";
import { createEngineRig, type EngineRig, type RigOptions, SILENT_LOG } from "./engine-rig.js";

export type Document = Readonly<Record<string, unknown>>;
export type MethodName = Exclude<keyof typeof AgentService.method, "publish">;

export const AGENT_IDLE_MS = 60_000;
export const HANDSHAKE_TIMEOUT_MS = 10_000;

export interface PublishStream extends Omit<StreamClient<Uint8Array>, "send"> {
  readonly send: (...requests: readonly Document[]) => void;
  readonly sendBytes: (bytes: Uint8Array) => void;
  readonly heard: () => readonly Document[];
  /** The daemon's end of it. */
  readonly served: Conversation;
}

export interface AgentServiceRig {
  readonly rig: EngineRig;
  readonly service: ReturnType<typeof agentMethods>;
  readonly stream: () => PublishStream;
  /** A call that is answered once. Rejects with what it was refused with. */
  readonly call: (name: MethodName, request: Document, signal?: CallSignal) => Promise<Document>;
  readonly callBytes: (name: MethodName, bytes: Uint8Array, signal?: CallSignal) => Promise<Document>;
  /** The code and the pointer of what a call is refused with. */
  readonly refusalOf: (name: MethodName, request: Document) => Promise<Document>;
  /** Lets everything happen that can happen without time going by. */
  readonly settle: () => Promise<void>;
  readonly advance: (ms: number) => Promise<void>;
}

/** A journal whose appended events are safe when that promise says so, or as ever where there is none. */
export const durableBy = (promise: () => Promise<void> | undefined): Pick<RigOptions, "around"> => ({
  around: (journal) => ({
    append: (events) => {
      const appended = journal.append(events);
      const durable = promise();
      return durable === undefined ? appended : { ...appended, durable };
    },
  }),
});

/** Turns in which whatever one message leads to has come about. */
const ENOUGH_TURNS = 8;

export function createAgentServiceRig(
  options: RigOptions & { readonly agentIdleMs?: () => number } = {},
): AgentServiceRig {
  const rig = createEngineRig(options);
  const streams: Conversation[] = [];
  let keys = 0;
  const readingTurns = new Turns(rig.clock, { most: 256 });
  const service = agentMethods({
    engine: rig.engine,
    access: options.access ?? SAME_USER_MAY_ALL,
    ids: { hex: (bytes) => `${++keys}`.padStart(bytes * 2, "k") },
    clock: rig.clock,
    log: SILENT_LOG,
    agentIdleMs: options.agentIdleMs ?? (() => AGENT_IDLE_MS),
    languages: createSpokenLanguages("en-US"),
    handshakeTimeoutMs: () => HANDSHAKE_TIMEOUT_MS,
    readFrames: (connection, taker) => void new FrameLoop(connection, taker, readingTurns),
    statusOf,
    served: (stream) => void streams.push(stream),
  });

  const methodOf = (name: keyof typeof AgentService.method): ServiceMethod => {
    const found = service.methods.find(({ descriptor }) => descriptor === AgentService.method[name]);
    if (found === undefined) throw new Error(`there is no method ${name}`);
    return found;
  };

  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < ENOUGH_TURNS; turn += 1) {
      await nextTurn();
      rig.clock.settle();
    }
  };

  const callBytes = async (name: MethodName, bytes: Uint8Array, signal = new CallSignal()): Promise<Document> => {
    const method = methodOf(name);
    if (method.kind !== "unary") throw new Error(`${name} is a stream`);
    const answer = await method.answer(bytes, { peer: { label: "caller", trust: "same-user" }, signal });
    const output: DescMessage = AgentService.method[name].output;
    return decodeDocument(output, answer);
  };

  const call = (name: MethodName, request: Document, signal?: CallSignal): Promise<Document> =>
    callBytes(name, encodeDocument(AgentService.method[name].input, request), signal);

  return {
    rig,
    service,
    call,
    callBytes,
    settle,
    advance: async (ms) => {
      rig.advance(ms);
      await settle();
    },
    refusalOf: async (name, request) => {
      try {
        await call(name, request);
      } catch (caught) {
        if (!(caught instanceof Fault)) throw caught;
        return { code: caught.code, pointer: caught.pointer, sentence: caught.sentence };
      }
      throw new Error("it was not refused");
    },
    stream: () => {
      const method = methodOf("publish");
      if (method.kind !== "stream") throw new Error("Publish is a stream");
      const client = openStream<Uint8Array>(method.accept, undefined);
      const served = streams.at(-1);
      if (served === undefined) throw new Error("nobody was told of the stream");
      return {
        ...client,
        served,
        send: (...requests) => {
          for (const request of requests) client.send(encodeDocument(PublishRequestSchema, request));
        },
        sendBytes: client.send,
        heard: () => client.received.map((frame) => decodeDocument(PublishResponseSchema, frame as Uint8Array)),
      };
    },
  };
}
