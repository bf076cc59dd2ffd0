// Serves methods as handlers of the library, which negotiates the protocol, reads requests and ends calls.
import type { DescMethodBiDiStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
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
import type { ServiceMessage, ServiceMethod } from "../../src/contracts/service.js";
import type { Exchange } from "../http/exchange.js";
import { createTurnstile, type Turnstile } from "../service-calls/turnstile.js";
import { createEnvelopes } from "./envelopes.js";
import { connectErrorOf, faultOfInput } from "./faults.js";
import { webHeaders } from "./headers.js";
import { AS_BYTES, AS_JSON, type Passage, TEXT_AS_MESSAGE } from "./messages.js";
import type { ResolvedConnectOptions } from "./options.js";
import { countedBehind, readBody } from "./read-body.js";
import { createStreamCall, type StreamCall } from "./stream-connection.js";
import { answerUnary, type UnaryMethod } from "./unary-call.js";

export interface Handler {
  readonly method: ServiceMethod;
  /** Rejects only by an internal error. */
  readonly handle: (exchange: Exchange) => Promise<UniversalServerResponse>;
}

interface HandlerOptions extends ResolvedConnectOptions {
  /** The turns in which the messages of unary calls are read and answered. */
  readonly bodies: Turnstile;
}

/** Handlers by path. `onStream` receives each stream call before its method does. */
export function createHandlers(
  connectOptions: ResolvedConnectOptions,
  onStream: (call: StreamCall) => void,
): ReadonlyMap<string, Handler> {
  // Streams that may be open limit the calls that wait.
  const options = { ...connectOptions, bodies: createTurnstile({ mostWaiting: Number.POSITIVE_INFINITY }) };
  const handlers = new Map<string, UniversalHandler>();
  for (const protocol of ["connect", "grpc"] as const)
    for (const passage of [AS_BYTES, AS_JSON])
      for (const handler of routerFor(protocol, passage, options, onStream).handlers)
        handlers.set(keyOf(protocol, passage, handler.requestPath), handler);
  return new Map(
    options.methods.map((method): [string, Handler] => {
      const path = `/${method.descriptor.parent.typeName}/${method.descriptor.name}`;
      const handle = async (exchange: Exchange) => {
        const { contentType } = exchange;
        const protocol = contentType.startsWith("application/grpc") ? "grpc" : "connect";
        const handler = handlers.get(keyOf(protocol, contentType.includes("json") ? AS_JSON : AS_BYTES, path));
        if (handler === undefined) throw new Error(`no handler for ${path}`);
        return handler(requestOf(exchange, readBody(exchange)));
      };
      return [path, { method, handle }];
    }),
  );
}

function keyOf(protocol: keyof typeof PROTOCOLS, passage: Passage, path: string): string {
  return `${protocol} ${passage === AS_JSON ? "json" : "bytes"} ${path}`;
}

/** The library's options for one protocol. "grpc" is gRPC-Web as well. */
const PROTOCOLS = { connect: { grpc: false, grpcWeb: false }, grpc: { connect: false } } as const;

function routerFor(
  protocol: keyof typeof PROTOCOLS,
  passage: Passage,
  options: HandlerOptions,
  onStream: (call: StreamCall) => void,
): ConnectRouter {
  const gzip = passage === AS_JSON ? compressionGzip : countedBehind(compressionGzip);
  const router = createConnectRouter({
    readMaxBytes: options.maxMessageBytes,
    jsonOptions: JSON_OPTIONS,
    acceptCompression: options.compression ? [gzip] : [],
    ...PROTOCOLS[protocol],
  });
  for (const method of options.methods) {
    if (method.kind === "stream")
      duplex(router, method, passage, (requests, context) =>
        converse(method, passage, requests, context, options, onStream),
      );
    // The protocol of Connect has a form of its own for unary calls.
    else if (protocol === "connect")
      router.rpc(typedFor(method.descriptor as DescMethodUnary, passage), (request, context) =>
        answer(method, passage, request, context, options),
      );
    else
      duplex(router, method, passage, (requests, context) => answerOnce(method, passage, requests, context, options));
  }
  return router;
}

/** The library reads `textDecoder` from these options, although its types do not declare it. */
const JSON_OPTIONS = { textDecoder: TEXT_AS_MESSAGE, ignoreUnknownFields: false };

/** The method with the message types that the library is told. */
function typedFor<Method extends ServiceMethod["descriptor"]>(descriptor: Method, { input, output }: Passage): Method {
  return { ...descriptor, input: input(descriptor.input), output: output(descriptor.output) };
}

const EXCHANGE = createContextKey<Exchange | undefined>(undefined);

function exchangeOf(context: HandlerContext): Exchange {
  const exchange = context.values.get(EXCHANGE);
  if (exchange === undefined) throw new Error("a call without its exchange");
  return exchange;
}

/**
 * Registers a method as a stream in both directions, whatever its kind is. The library then passes on requests as they are read, with their faults,
 * instead of judging them itself; `serve` checks the real kind of the method.
 */
function duplex(
  router: ConnectRouter,
  { descriptor }: ServiceMethod,
  passage: Passage,
  serve: (requests: AsyncIterable<Message>, context: HandlerContext) => AsyncIterable<Message>,
): void {
  const method: DescMethodBiDiStreaming = { ...typedFor(descriptor, passage), methodKind: "bidi_streaming" };
  router.rpc(method, serve);
}

function requestOf(exchange: Exchange, body: AsyncIterable<Uint8Array>): UniversalServerRequest {
  const { request, signal } = exchange;
  return {
    // Methods that HTTP/1.1 cannot serve were refused before; with "1.1" the library would refuse every duplex method.
    httpVersion: "2.0",
    method: request.method ?? "",
    // Host names of Unix sockets are not valid in URLs. Only the query matters.
    url: `http://localhost${request.url ?? ""}`,
    header: webHeaders(request.headers),
    body,
    signal,
    contextValues: createContextValues().set(EXCHANGE, exchange),
  };
}

async function answer(
  method: UnaryMethod,
  passage: Passage,
  request: Message,
  context: HandlerContext,
  options: HandlerOptions,
): Promise<Message> {
  const exchange = exchangeOf(context);
  exchange.served();
  try {
    if (exchange.response.headersSent) throw new Fault("timed_out", "This call was refused before its message came.");
    const { input, output } = method.descriptor;
    const answered = await inTurn(options.bodies, exchange, async () => {
      const message = passage.bytesOf(input, request);
      if (message.fault !== undefined) throw message.fault;
      return answerUnary(method, message, exchange, context);
    });
    return passage.messageOf(output, answered);
  } catch (caught) {
    throw connectErrorOf(publicFault(caught, options.log), options.describeFault);
  }
}

/** Begins the work on a message that is whole, in this turn or a later one. */
function inTurn<Answer>(turns: Turnstile, from: object, work: () => Promise<Answer>): Promise<Answer> {
  return new Promise((resolve) => void turns.pass(from, () => resolve(work())));
}

async function* answerOnce(
  method: UnaryMethod,
  passage: Passage,
  requests: AsyncIterable<Message>,
  context: HandlerContext,
  options: HandlerOptions,
): AsyncGenerator<Message> {
  let request: Message;
  try {
    request = await onlyOne(requests);
  } catch (caught) {
    throw connectErrorOf(faultOfInput(caught), options.describeFault);
  }
  yield await answer(method, passage, request, context, options);
}

async function onlyOne(requests: AsyncIterable<Message>): Promise<Message> {
  const messages = requests[Symbol.asyncIterator]();
  const first = await messages.next();
  if (first.done === true) throw new Fault("invalid_message", "This method takes one message. Send one.");
  const second = await messages.next();
  if (second.done !== true) throw new Fault("invalid_message", "This method takes one message. Send no more.");
  return first.value;
}

/** Serves a stream. The library gets no messages, only the end. */
function converse(
  method: Extract<ServiceMethod, { readonly kind: "stream" }>,
  passage: Passage,
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
      messages: bytesIn(requests[Symbol.asyncIterator](), (message) => passage.bytesOf(descriptor.input, message)),
      envelopes: createEnvelopes({
        type: descriptor.output,
        isJson: passage === AS_JSON,
        isGzip: isGzip(context),
        joinsBatches: method.joinsBatches,
      }),
      takesOne: descriptor.methodKind === "server_streaming" || descriptor.methodKind === "unary",
      deadline: context.signal,
    },
    options,
  );
  // The head is sent at once, so that the client knows that the stream is open, however long there is no event.
  exchange.response.writeHead(200, Object.fromEntries(context.responseHeader));
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

/** Messages as they are read, one by one. */
function bytesIn(
  messages: AsyncIterator<Message>,
  bytesOf: (message: Message) => ServiceMessage,
): AsyncIterator<ServiceMessage> {
  return {
    next: async () => {
      const result = await messages.next();
      return result.done === true ? { done: true, value: undefined } : { done: false, value: bytesOf(result.value) };
    },
  };
}

function isGzip(context: HandlerContext): boolean {
  const { responseHeader } = context;
  return [responseHeader.get("grpc-encoding"), responseHeader.get("connect-content-encoding")].includes("gzip");
}
