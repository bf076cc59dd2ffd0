// A client by Connect's own library, in each protocol that it speaks.
import { Agent, type RequestOptions } from "node:http";
import { connect, type Socket } from "node:net";
import type { DescMessage, DescMethodStreaming, MessageShape } from "@bufbuild/protobuf";
import { ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { createSentMessages } from "../../../src/conformance/wire/sent-messages.js";
import {
  type CallOptions,
  type ServiceClient,
  type ServiceEnd,
  ServiceRefusal,
  type ServiceStream,
  statusName,
} from "./service-client.js";

export interface ConnectClientOptions {
  /** "unix:/path" or "host:port". */
  readonly address: string;
  readonly protocol: "connect" | "grpc" | "grpc-web";
  readonly httpVersion: "1.1" | "2";
  readonly useBinaryFormat?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Connections of one client. */
export interface Wire {
  readonly transport: Transport;
  /** Breaks its connections. */
  readonly destroy: () => void;
}

export function createConnectClient(options: ConnectClientOptions): ServiceClient {
  const { transport, destroy } = openWire(options);
  const calls = new Set<AbortController>();
  const close = async (): Promise<void> => {
    for (const call of calls) call.abort();
    destroy();
  };
  return {
    unary: async (method, request, call = {}) => {
      try {
        const answer = await transport.unary(method, call.signal, call.timeoutMs, call.headers, request as never);
        return answer.message;
      } catch (caught) {
        throw new ServiceRefusal(endOf(caught));
      }
    },
    stream: (method, take, call = {}) => {
      const controller = new AbortController();
      calls.add(controller);
      call.signal?.addEventListener("abort", () => controller.abort(), { once: true });
      const stream = openStream(transport, method, take, call, controller);
      void stream.ended.then(() => calls.delete(controller));
      return stream;
    },
    abandon: destroy,
    close,
  };
}

export function openWire(options: ConnectClientOptions): Wire {
  return options.httpVersion === "1.1" ? overHttp1(options) : overHttp2(options);
}

function openStream<Input extends DescMessage, Output extends DescMessage>(
  transport: Transport,
  method: DescMethodStreaming<Input, Output>,
  take: (message: MessageShape<Output>) => void,
  call: CallOptions,
  controller: AbortController,
): ServiceStream<MessageShape<Input>> {
  const outgoing = createSentMessages<MessageShape<Input>>();
  let gate: Promise<void> | undefined;
  let open: () => void = () => {};
  const run = async (): Promise<ServiceEnd> => {
    try {
      const { signal } = controller;
      // Messages are initializers of themselves.
      const input = outgoing.messages as AsyncIterable<never>;
      const answer = await transport.stream(method, signal, call.timeoutMs, call.headers, input);
      for await (const message of answer.message) {
        take(message);
        if (gate !== undefined) await gate;
      }
      return { status: "OK", message: "", detail: undefined };
    } catch (caught) {
      return endOf(caught);
    } finally {
      outgoing.end();
    }
  };
  return {
    send: outgoing.push,
    halfClose: outgoing.end,
    cancel: () => controller.abort(),
    ended: run(),
    stopReading: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    readOn: () => {
      gate = undefined;
      open();
    },
  };
}

function overHttp1(options: ConnectClientOptions): Wire {
  const agent = new Agent({ keepAlive: true });
  const socketPath = unixPath(options.address);
  return {
    transport: transportOf(options, {
      httpVersion: "1.1",
      nodeOptions: { agent, ...(socketPath === undefined ? {} : { socketPath }) },
    }),
    destroy: () => agent.destroy(),
  };
}

function overHttp2(options: ConnectClientOptions): Wire {
  const socketPath = unixPath(options.address);
  const sockets = new Set<Socket>();
  const createConnection = (): Socket => {
    const [host, port] = options.address.split(":");
    const socket = socketPath === undefined ? connect(Number(port), host) : connect(socketPath);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const sessionManager = new Http2SessionManager(baseUrlOf(options), undefined, { createConnection });
  return {
    transport: transportOf(options, { httpVersion: "2", sessionManager }),
    destroy: () => {
      for (const socket of sockets) socket.destroy();
      sessionManager.abort();
    },
  };
}

function transportOf(options: ConnectClientOptions, platform: NodeTransportOptions): Transport {
  const withHeaders: Interceptor = (next) => (request) => {
    for (const [name, value] of Object.entries(options.headers ?? {})) request.header.set(name, value);
    return next(request);
  };
  const { useBinaryFormat = true } = options;
  const given = { ...platform, baseUrl: baseUrlOf(options), useBinaryFormat, interceptors: [withHeaders] };
  switch (options.protocol) {
    case "connect":
      return createConnectTransport(given);
    case "grpc":
      if (given.httpVersion !== "2") throw new Error("gRPC is for HTTP/2");
      return createGrpcTransport(given);
    case "grpc-web":
      return createGrpcWebTransport(given);
  }
}

type NodeTransportOptions =
  | { readonly httpVersion: "1.1"; readonly nodeOptions: RequestOptions }
  | { readonly httpVersion: "2"; readonly sessionManager: Http2SessionManager };

function baseUrlOf({ address }: ConnectClientOptions): string {
  return unixPath(address) === undefined ? `http://${address}` : "http://localhost";
}

function unixPath(address: string): string | undefined {
  return address.startsWith("unix:") ? address.slice("unix:".length) : undefined;
}

function endOf(caught: unknown): ServiceEnd {
  const error = ConnectError.from(caught);
  return {
    status: statusName(error.code),
    message: error.rawMessage,
    detail: error.findDetails(AaepdErrorSchema)[0],
  };
}
