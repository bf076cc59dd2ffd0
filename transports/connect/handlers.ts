// Methods as handlers of the library. It negotiates the protocol, reads requests and ends calls.
import { type DescMethodBiDiStreaming, type DescMethodUnary, fromBinary, type Message } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { compressionGzip } from "@connectrpc/connect-node";
import { Fault, publicFault } from "../../src/base/errors.js";
import type { ServiceMethod } from "../../src/contracts/service.js";
import { createEnvelopes } from "./envelopes.js";
import type { Exchange } from "./exchange.js";
import { connectErrorOf, faultOfInput } from "./faults.js";
import { nodeHeaders, webHeaders } from "./headers.js";
import { opaqueMessage } from "./messages.js";
import type { ResolvedConnectOptions } from "./options.js";
import { createStreamCall, type StreamCall } from "./stream-connection.js";
import { answerUnary, type UnaryMethod } from "./unary-call.js";

export interface Handler {
  readonly method: ServiceMethod;
  /** Rejects only by an accident. */
  readonly handle: (exchange: Exchange) => Promise<UniversalServerResponse>;
}

/** By path. `onStream` hears of each stream call before its method does. */
export function createHandlers(
  options: ResolvedConnectOptions,
  onStream: (call: StreamCall) => void,
): ReadonlyMap<string, Handler> {
  const shared = {
    readMaxBytes: options.maxMessageBytes,
    acceptCompression: options.compression ? [compressionGzip] : [],
  };
  const grpc = createConnectRouter({ ...shared, connect: false });
  const connect = createConnectRouter({ ...shared, grpc: false, grpcWeb: false });
  const byPath = new Map<string, Handler>();
  for (const method of options.methods) {
    if (method.kind === "unary") {
      duplex(grpc, method, (requests, context) => answerOnce(method, requests, context, options));
      // The protocol of Connect has a form of its own for calls that are answered once.
      connect.rpc(method.descriptor as DescMethodUnary, (request, context) =>
        answer(method, request, context, options),
      );
    } else {
      for (const router of [grpc, connect])
        duplex(router, method, (requests, context) => converse(method, requests, context, options, onStream));
    }
  }
  for (const method of options.methods) {
    const path = `/${method.descriptor.parent.typeName}/${method.descriptor.name}`;
    const grpcHandler = handlerOf(grpc, path);
    const connectHandler = handlerOf(connect, path);
    byPath.set(path, {
      method,
      handle: (exchange) =>
        (exchange.contentType.startsWith("application/grpc") ? grpcHandler : connectHandler)(requestOf(exchange)),
    });
  }
  return byPath;
}

const EXCHANGE = createContextKey<Exchange | undefined>(undefined);

function exchangeOf(context: HandlerContext): Exchange {
  const exchange = context.values.get(EXCHANGE);
  if (exchange === undefined) throw new Error("a call without its exchange");
  return exchange;
}

/**
 * Every method is a stream both ways to the library: it then hands over requests as they are read, and whatever is wrong with them, instead of
 * judging them by itself. What a method really takes is seen to here.
 */
function duplex(
  router: ConnectRouter,
  { descriptor }: ServiceMethod,
  serve: (requests: AsyncIterable<Message>, context: HandlerContext) => AsyncIterable<Message>,
): void {
  const method: DescMethodBiDiStreaming = { ...descriptor, methodKind: "bidi_streaming" };
  router.rpc(method, serve);
}

function handlerOf(router: ConnectRouter, path: string): UniversalHandler {
  const handler = router.handlers.find(({ requestPath }) => requestPath === path);
  if (handler === undefined) throw new Error(`no handler for ${path}`);
  return handler;
}

function requestOf(exchange: Exchange): UniversalServerRequest {
  const { request, signal } = exchange;
  return {
    // What HTTP/1.1 cannot do was refused before; the library would refuse every duplex method.
    httpVersion: "2.0",
    method: request.method ?? "",
    // Hosts of Unix sockets are no hosts of URLs (G7). Only the query counts.
    url: `http://localhost${request.url ?? ""}`,
    header: webHeaders(request.headers),
    // The response goes on when nobody reads the request any more.
    body: { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) },
    signal,
    contextValues: createContextValues().set(EXCHANGE, exchange),
  };
}

async function answer(
  method: UnaryMethod,
  request: Message,
  context: HandlerContext,
  options: ResolvedConnectOptions,
): Promise<Message> {
  const exchange = exchangeOf(context);
  exchange.served();
  try {
    if (exchange.response.headersSent) throw new Fault("timed_out", "This call was refused before its message came.");
    const bytes = await answerUnary(method, request, exchange, context);
    const { output } = method.descriptor;
    return isJson(context) ? fromBinary(output, bytes) : opaqueMessage(output, bytes);
  } catch (caught) {
    throw connectErrorOf(publicFault(caught, options.log), options.describeFault);
  }
}

async function* answerOnce(
  method: UnaryMethod,
  requests: AsyncIterable<Message>,
  context: HandlerContext,
  options: ResolvedConnectOptions,
): AsyncGenerator<Message> {
  let request: Message;
  try {
    request = await onlyOne(requests);
  } catch (caught) {
    throw connectErrorOf(faultOfInput(caught), options.describeFault);
  }
  yield await answer(method, request, context, options);
}

async function onlyOne(requests: AsyncIterable<Message>): Promise<Message> {
  const messages = requests[Symbol.asyncIterator]();
  const first = await messages.next();
  if (first.done === true) throw new Fault("invalid_message", "This method takes one message. Send one.");
  const second = await messages.next();
  if (second.done !== true) throw new Fault("invalid_message", "This method takes one message. Send no more.");
  return first.value;
}

/** Serves a stream. The library is given no message, only the end. */
function converse(
  method: Extract<ServiceMethod, { readonly kind: "stream" }>,
  requests: AsyncIterable<Message>,
  context: HandlerContext,
  options: ResolvedConnectOptions,
  onStream: (call: StreamCall) => void,
): AsyncIterable<Message> {
  const exchange = exchangeOf(context);
  exchange.served();
  const { descriptor } = method;
  const call = createStreamCall(
    {
      exchange,
      messages: requests[Symbol.asyncIterator](),
      envelopes: createEnvelopes({
        type: descriptor.output,
        isJson: isJson(context),
        isGzip: isGzip(context),
        joinsRuns: method.joinsRuns,
      }),
      takesOne: descriptor.methodKind === "server_streaming" || descriptor.methodKind === "unary",
      deadline: context.signal,
    },
    options,
  );
  // Whoever opened the stream knows at once that it is open, however long there is nothing to say.
  exchange.response.writeHead(200, nodeHeaders(context.responseHeader));
  exchange.response.flushHeaders();
  onStream(call);
  try {
    method.accept(call.connection);
  } catch (caught) {
    void call.connection.close(publicFault(caught, options.log));
  }
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const fault = await call.ending;
        if (fault !== undefined) throw connectErrorOf(publicFault(fault, options.log), options.describeFault);
        return { done: true, value: undefined };
      },
    }),
  };
}

function isJson(context: HandlerContext): boolean {
  return context.responseHeader.get("content-type")?.includes("json") === true;
}

function isGzip(context: HandlerContext): boolean {
  const { responseHeader } = context;
  return [responseHeader.get("grpc-encoding"), responseHeader.get("connect-content-encoding")].includes("gzip");
}
