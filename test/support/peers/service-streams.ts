// Streams of services as connections of JSON texts: over gRPC with its own client, and over Connect; typed, or as JSON in bytes.
import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Transport } from "@connectrpc/connect";
import type { CloseInfo, Connection } from "../../../src/contracts/transport.js";
import { callConnection, createGrpcClient } from "./grpc-client.js";

export interface ServiceConnection extends Connection<Uint8Array> {
  /** Whether each message that came was typed. */
  readonly forms: readonly boolean[];
}

/** A service with one stream of messages in both directions, whose messages the client makes of texts of JSON. */
export interface StreamOfTexts<Request extends Message, Response extends Message> {
  /** The name of its service. */
  readonly typeName: string;
  readonly requestSchema: GenMessage<Request>;
  readonly responseSchema: GenMessage<Response>;
  readonly converse: (transport: Transport, requests: AsyncIterable<Request>) => AsyncIterable<Response>;
  readonly requestOf: (text: Uint8Array, isTyped: boolean) => Request;
  /** The text of a response, and whether it was typed. */
  readonly textOf: (response: Response) => { readonly text: string; readonly isTyped: boolean };
}

/** Over gRPC with its own client. */
export function streamOverGrpc<Request extends Message, Response extends Message>(
  { typeName, requestSchema, responseSchema, requestOf, textOf }: StreamOfTexts<Request, Response>,
  address: string,
  isTyped: boolean,
  headers: Readonly<Record<string, string>> = {},
): ServiceConnection {
  const inner = callConnection(createGrpcClient(address), `/${typeName}/Converse`, { headers });
  const forms: boolean[] = [];
  async function* frames(): AsyncGenerator<readonly Uint8Array[]> {
    for await (const some of inner.frames)
      yield some.map((frame) => {
        const { text, isTyped: wasTyped } = textOf(fromBinary(responseSchema, frame));
        forms.push(wasTyped);
        return Buffer.from(text);
      });
  }
  return {
    ...inner,
    forms,
    frames: { [Symbol.asyncIterator]: frames },
    send: (text) => inner.send(toBinary(requestSchema, requestOf(text, isTyped))),
  };
}

/** Over Connect, gRPC or gRPC-Web by the library's client. */
export function streamOverConnect<Request extends Message, Response extends Message>(
  { converse, requestOf, textOf }: StreamOfTexts<Request, Response>,
  transport: Transport,
  isTyped: boolean,
  hangUp: () => void,
): ServiceConnection {
  const waiting: Request[] = [];
  const forms: boolean[] = [];
  let isEnded = false;
  let wake = (): void => {};
  let tellClosed: (info: CloseInfo) => void = () => {};
  const closed = new Promise<CloseInfo>((resolve) => {
    tellClosed = resolve;
  });
  async function* requests(): AsyncGenerator<Request> {
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
  const responses = converse(transport, requests());
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
