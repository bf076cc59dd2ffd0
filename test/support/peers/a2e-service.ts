// A2E over the services, as a connection of JSON texts: over gRPC with its own client, and over Connect; typed, or as JSON in bytes.
import { create, fromBinary, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  A2EService,
  type ConverseRequest,
  ConverseRequestSchema,
  type ConverseResponse,
  ConverseResponseSchema,
  MessageSchema,
} from "#gen/a2e/v1/a2e_service_pb.js";
import type { CloseInfo, Connection } from "../../../src/contracts/transport.js";
import { callConnection, createGrpcClient } from "./grpc-client.js";

/** Types by the names of their members in JSON. */
const MEMBER_OF: Readonly<Record<string, string>> = {
  "handshake/req": "handshakeRequest",
  "handshake/resp": "handshakeResponse",
  ping: "ping",
  pong: "pong",
  shutdown: "shutdown",
  error: "error",
  "invoke/event": "invokeEvent",
  "tool/event": "toolEvent",
  "tool/list/req": "toolListRequest",
  "tool/list/resp": "toolListResponse",
  "tool/call/req": "toolCallRequest",
  "tool/call/resp": "toolCallResponse",
  "aaepd.a2e.register": "register",
  "aaepd.a2e.registered": "registered",
};

function requestOf(text: Uint8Array, isTyped: boolean): ConverseRequest {
  if (!isTyped)
    return create(ConverseRequestSchema, { message: { message: { case: "json", value: new Uint8Array(text) } } });
  const { type, ...fields } = JSON.parse(Buffer.from(text).toString()) as { readonly type: string } & JsonObject;
  const member = MEMBER_OF[type];
  if (member === undefined) return requestOf(text, false);
  return create(ConverseRequestSchema, { message: fromJson(MessageSchema, { [member]: fields }) });
}

/** The text of a response, and whether it was typed. */
function textOf({ message }: ConverseResponse): { readonly text: string; readonly isTyped: boolean } {
  const value = message?.message;
  if (message === undefined || value?.case === undefined) throw new Error("a response without message");
  if (value.case === "json") return { text: Buffer.from(value.value).toString(), isTyped: false };
  const document = toJson(MessageSchema, message, { useProtoFieldName: true }) as Readonly<Record<string, JsonObject>>;
  const [fields = {}] = Object.values(document);
  const type = Object.keys(MEMBER_OF).find((one) => MEMBER_OF[one] === value.case);
  return { text: JSON.stringify({ type, ...fields }), isTyped: true };
}

export interface ServiceConnection extends Connection<Uint8Array> {
  /** Whether each message that came was typed. */
  readonly forms: readonly boolean[];
}

/** Over gRPC. */
export function a2eOverGrpc(
  address: string,
  isTyped: boolean,
  headers: Readonly<Record<string, string>> = {},
): ServiceConnection {
  const inner = callConnection(createGrpcClient(address), `/${A2EService.typeName}/Converse`, { headers });
  const forms: boolean[] = [];
  async function* frames(): AsyncGenerator<readonly Uint8Array[]> {
    for await (const some of inner.frames)
      yield some.map((frame) => {
        const { text, isTyped: wasTyped } = textOf(fromBinary(ConverseResponseSchema, frame));
        forms.push(wasTyped);
        return Buffer.from(text);
      });
  }
  return {
    ...inner,
    forms,
    frames: { [Symbol.asyncIterator]: frames },
    send: (text) => inner.send(toBinary(ConverseRequestSchema, requestOf(text, isTyped))),
  };
}

/** Over Connect, gRPC or gRPC-Web by the library's client. */
export function a2eOverConnect(transport: Transport, isTyped: boolean, hangUp: () => void): ServiceConnection {
  const waiting: ConverseRequest[] = [];
  const forms: boolean[] = [];
  let isEnded = false;
  let wake = (): void => {};
  let tellClosed: (info: CloseInfo) => void = () => {};
  const closed = new Promise<CloseInfo>((resolve) => {
    tellClosed = resolve;
  });
  async function* requests(): AsyncGenerator<ConverseRequest> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (isEnded) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const responses = createClient(A2EService, transport).converse(requests());
  async function* frames(): AsyncGenerator<readonly Uint8Array[]> {
    try {
      for await (const response of responses) {
        const { text, isTyped: wasTyped } = textOf(response);
        forms.push(wasTyped);
        yield [Buffer.from(text)];
      }
    } finally {
      isEnded = true;
      wake();
      tellClosed({ kind: "remote" });
      hangUp();
    }
  }
  return {
    peer: { label: "client", trust: "same-user" },
    forms,
    frames: { [Symbol.asyncIterator]: frames },
    send: (text) => {
      waiting.push(requestOf(text, isTyped));
      wake();
      return true;
    },
    sendBatch: () => false,
    writable: () => Promise.resolve(),
    close: async () => {
      isEnded = true;
      wake();
      await closed;
    },
    closed,
  };
}
