// What happens to a request, in order: who may call at all, then web pages of other origins, then pages, then methods.
import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { Fault, publicFault } from "../../src/base/errors.js";
import { allowOrigin, isPreflight, preflightHeaders } from "./cors.js";
import type { Exchange } from "./exchange.js";
import { faultOfInput } from "./faults.js";
import type { Handler } from "./handlers.js";
import type { HttpPage, ResolvedConnectOptions } from "./options.js";
import { refuse } from "./refusals.js";
import { endResponse, respond } from "./respond.js";
import { hostsOf } from "./target.js";

/** The beginning of a path tells what was wanted; a client may send 16 KiB of it. */
const MOST_LOGGED_PATH = 200;

/** Serves one exchange. Never rejects. */
export type FrontDoor = (exchange: Exchange) => Promise<void>;

export function createFrontDoor(handlers: ReadonlyMap<string, Handler>, options: ResolvedConnectOptions): FrontDoor {
  const pages = new Map<string, HttpPage>(options.pages.map((page) => [page.path, page]));

  async function serve(exchange: Exchange): Promise<void> {
    const { response, path } = exchange;
    response.setHeader("cache-control", "no-store");
    response.setHeader("x-content-type-options", "nosniff");
    const hosts = hostsOf(exchange.request);
    if (hosts === undefined)
      return refuse(exchange, new Fault("invalid_message", "Send one header Host, and no other."), options, 400);
    const refused = admitted(exchange, hosts, options);
    // A wrong host is answered alike whatever was asked for, and before anything of other origins (C8).
    if (refused !== undefined && refused.code !== "unauthenticated") return turnAway(exchange, refused, 403);
    const isAllowed = allowOrigin(exchange, options.corsOrigins());
    if (isPreflight(exchange)) return answerPreflight(exchange, isAllowed);
    if (refused !== undefined) return turnAway(exchange, refused);
    const page = pages.get(path);
    if (page !== undefined) return servePage(exchange, page);
    const handler = handlers.get(path);
    if (handler === undefined) return refuse(exchange, notFound(), options, notFoundStatus(exchange));
    if (exchange.stream === undefined && handler.method.descriptor.methodKind === "bidi_streaming")
      return refuse(exchange, needsHttp2(handler, options), options, httpVersionStatus(exchange));
    await serveCall(exchange, handler);
  }

  function turnAway(exchange: Exchange, fault: Fault, httpStatus?: number): void {
    const path = exchange.path.slice(0, MOST_LOGGED_PATH);
    options.log.debug({ peer: exchange.peer.label, path, code: fault.code }, "a call was refused");
    refuse(exchange, fault, options, httpStatus);
  }

  function answerPreflight(exchange: Exchange, isAllowed: boolean): void {
    if (isAllowed) {
      exchange.response.writeHead(204, preflightHeaders(exchange));
      endResponse(exchange, options.after);
    } else {
      const sentence = "Pages of this origin may not call this daemon. Name it in corsOrigins if it should.";
      refuse(exchange, new Fault("permission_denied", sentence, { rule: "AAEP §8.2.7" }), options, 403);
    }
  }

  async function servePage(exchange: Exchange, page: HttpPage): Promise<void> {
    const { request, response } = exchange;
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return refuse(exchange, new Fault("unsupported", `${page.path} can only be read: use GET.`), options, 405);
    }
    const { status, contentType, body } = await page.answer();
    if (exchange.signal.aborted) return;
    const bytes = Buffer.from(body);
    response.writeHead(status, { "content-type": contentType, "content-length": bytes.length });
    endResponse(exchange, options.after, request.method === "HEAD" ? undefined : bytes);
  }

  async function serveCall(exchange: Exchange, handler: Handler): Promise<void> {
    const cancel = handler.method.kind === "unary" ? refuseLater(exchange) : () => {};
    try {
      const answer = await handler.handle(exchange);
      const fault = exchange.isServed() ? undefined : await unreadable(exchange, answer);
      if (fault === undefined) await respond(exchange, answer, options.after);
      else refuse(exchange, fault.fault, options, fault.status);
    } finally {
      cancel();
    }
  }

  /** A single call whose message never comes would be waited for as long as its connection lives. Streams are their owners'. */
  function refuseLater(exchange: Exchange): () => void {
    return options.after(options.silentConnectionMs(), () => {
      if (exchange.isServed()) return;
      const sentence = "The message of this call did not come in time. Call again, and send it at once.";
      refuse(exchange, new Fault("timed_out", sentence), options);
    });
  }

  return async (exchange) => {
    try {
      await serve(exchange);
    } catch (caught) {
      if (exchange.signal.aborted) return;
      const fault = publicFault(caught, options.log);
      if (exchange.response.headersSent) exchange.cutOff();
      else refuse(exchange, fault, options);
    }
  };
}

/** Every host that the request names must be one that is served here. */
function admitted(
  { request, path, connection }: Exchange,
  hosts: ReadonlySet<string | undefined>,
  { admit }: ResolvedConnectOptions,
): Fault | undefined {
  const { authorization } = request.headers;
  for (const host of hosts) {
    const fault = connection.admit({ host, authorization, path }, admit);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function notFound(): Fault {
  return new Fault("unknown_method", "There is nothing at this path. Look at the services in proto/aaep/v1.");
}

/** In protocols that have a status of their own, that says it. */
function notFoundStatus({ contentType }: Exchange): number | undefined {
  return speaksStreams(contentType) ? undefined : 404;
}

function httpVersionStatus({ contentType }: Exchange): number | undefined {
  return speaksStreams(contentType) ? undefined : 505;
}

function speaksStreams(contentType: string): boolean {
  return contentType.startsWith("application/grpc") || contentType.startsWith("application/connect+");
}

/** C2: a stream both ways would hang. */
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
  /** Where HTTP says more than the fault. */
  readonly status?: number;
}

/** What the library refused by itself, before a method heard of it, in words of ours and with the detail that every refusal has (C4). */
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
