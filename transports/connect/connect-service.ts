// Connect, gRPC-Web and gRPC as a service of an HTTP server.
import { Code, ConnectError, cors } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { Fault } from "../../src/base/errors.js";
import type { Exchange } from "../http/exchange.js";
import type { HttpHandler, HttpService, Refuse } from "../http/http-service.js";
import { faultOfInput } from "./faults.js";
import { createHandlers, type Handler } from "./handlers.js";
import { type ConnectOptions, type ResolvedConnectOptions, resolveConnectOptions } from "./options.js";
import { refusalForms } from "./refusals.js";
import { respond } from "./respond.js";
import type { StreamCall } from "./stream-connection.js";

/** Serves `methods` at the paths of their services. */
export function createConnectService(options: ConnectOptions): HttpService {
  const resolved = resolveConnectOptions(options);
  const streams = new Set<StreamCall>();
  const handlers = createHandlers(resolved, (call) => {
    streams.add(call);
    void call.connection.closed.then(() => streams.delete(call));
  });
  const served = new Map<string, HttpHandler>();
  for (const [path, handler] of handlers)
    served.set(path, (exchange, refuse) => serve(exchange, handler, refuse, resolved));
  return {
    handlerAt: (path) => served.get(path),
    refusalForm: refusalForms(resolved),
    cors: { methods: cors.allowedMethods, allowedHeaders: cors.allowedHeaders, exposedHeaders: cors.exposedHeaders },
    endStreams: (fault, withinMs) => {
      for (const { connection } of streams) void connection.close(fault, withinMs);
    },
  };
}

async function serve(
  exchange: Exchange,
  handler: Handler,
  refuse: Refuse,
  options: ResolvedConnectOptions,
): Promise<void> {
  const { contentType } = exchange;
  if (exchange.stream === undefined && handler.method.descriptor.methodKind === "bidi_streaming") {
    const hasOwnStatus = contentType.startsWith("application/grpc") || contentType.startsWith("application/connect+");
    return refuse(needsHttp2(handler, options), hasOwnStatus ? undefined : 505);
  }
  const cancel = handler.method.kind === "unary" ? refuseLater(exchange, refuse, options) : () => {};
  try {
    const answer = await handler.handle(exchange);
    const fault = exchange.isServed() ? undefined : await unreadable(exchange, answer);
    if (fault === undefined) await respond(exchange, answer, options.after);
    else refuse(fault.fault, fault.status);
  } finally {
    cancel();
  }
}

/** Refuses a unary call whose message never comes: it would be awaited for the life of its connection. Streams are ended by their owners. */
function refuseLater(
  exchange: Exchange,
  refuse: Refuse,
  { after, silentConnectionMs }: ResolvedConnectOptions,
): () => void {
  return after(silentConnectionMs(), () => {
    if (exchange.isServed()) return;
    refuse(new Fault("timed_out", "The message of this call did not come in time. Call again, and send it at once."));
  });
}

/** A stream in both directions would hang over HTTP/1.1. */
function needsHttp2({ method }: Handler, { methods }: ResolvedConnectOptions): Fault {
  const { name, parent } = method.descriptor;
  const others = methods
    .map(({ descriptor }) => descriptor)
    .filter((one) => one.parent.typeName === parent.typeName && one.methodKind !== "bidi_streaming")
    .map((one) => one.name);
  const alternative = others.length === 0 ? "" : ` What ${parent.typeName} offers over HTTP/1.1: ${others.join(", ")}.`;
  return new Fault("unsupported", `${name} sends both ways at once and needs HTTP/2.${alternative}`);
}

interface Unreadable {
  readonly fault: Fault;
  /** The HTTP status, if HTTP has a more exact one than the fault's. */
  readonly status?: number;
}

/** Rewords a refusal of the library, made before a method saw the request, and adds the detail that every refusal has. */
async function unreadable(exchange: Exchange, answer: UniversalServerResponse): Promise<Unreadable | undefined> {
  switch (answer.status) {
    case 200:
      return undefined;
    case 405: {
      exchange.response.setHeader("allow", "POST");
      return { fault: new Fault("unsupported", "Methods are called with POST."), status: 405 };
    }
    case 415: {
      const sentence =
        "Send content-type application/json or application/proto, for streams application/connect+json or +proto, or that of gRPC or gRPC-Web.";
      return { fault: new Fault("unsupported", sentence), status: 415 };
    }
    default: {
      const fallback = new ConnectError(`HTTP ${answer.status}`, Code.Internal);
      let error = fallback;
      for await (const bytes of answer.body ?? []) error = errorFromJsonBytes(bytes, undefined, fallback);
      return { fault: faultOfInput(error) };
    }
  }
}
