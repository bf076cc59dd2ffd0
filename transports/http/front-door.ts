// The path of a request, in order: admission, then web pages of other origins, then pages, then services.
import { Fault, publicFault } from "../../src/base/errors.js";
import { answerWhole, endResponse, refuse as writeRefusal } from "./answers.js";
import { allowOrigin, corsHeaders, isPreflight, preflightHeaders } from "./cors.js";
import type { Exchange } from "./exchange.js";
import type { HttpHandler, HttpService, RefusalForm } from "./http-service.js";
import type { HttpPage, ResolvedHttpOptions } from "./options.js";
import { hostsOf } from "./target.js";

/** Longest logged path, UTF-16 units: the beginning of a path is enough, and a client may send 16 KiB. */
const MOST_LOGGED_PATH = 200;

/** Serves one exchange. Never rejects. */
export type FrontDoor = (exchange: Exchange) => Promise<void>;

export function createFrontDoor(services: readonly HttpService[], options: ResolvedHttpOptions): FrontDoor {
  const pages = new Map<string, HttpPage>(options.pages.map((page) => [page.path, page]));
  const cors = corsHeaders(services.map((service) => service.cors));

  async function serve(exchange: Exchange): Promise<void> {
    const { response, path } = exchange;
    response.setHeader("cache-control", "no-store");
    response.setHeader("x-content-type-options", "nosniff");
    const hosts = hostsOf(exchange.request);
    if (hosts === undefined)
      return refuse(exchange, new Fault("invalid_message", "Send one header Host, and no other."), 400);
    const refused = admitted(exchange, hosts, options);
    // A wrong host gets the same answer for every request, and before anything about other origins.
    if (refused !== undefined && refused.code !== "unauthenticated")
      return turnAway(exchange, refused, refused.code === "not_found" ? 404 : 403);
    const isAllowed = allowOrigin(exchange, options.corsOrigins(), cors);
    if (isPreflight(exchange)) return answerPreflight(exchange, isAllowed);
    if (refused !== undefined) return turnAway(exchange, refused);
    const page = pages.get(path);
    if (page !== undefined && !(page.needsToken && exchange.secret !== undefined)) return servePage(exchange, page);
    const handler = handlerAt(exchange);
    if (handler === undefined) {
      // A protocol with a status of its own reports the fault by that.
      const hasOwnStatus = formOf(exchange)?.hasOwnStatus === true;
      return refuse(exchange, notFound(), hasOwnStatus ? undefined : 404);
    }
    await handler(exchange, (fault, httpStatus) => refuse(exchange, fault, httpStatus));
  }

  function handlerAt({ path, secret }: Exchange): HttpHandler | undefined {
    for (const service of services) {
      const handler = secret === undefined ? service.handlerAt(path) : service.ownHandlerAt?.(path);
      if (handler !== undefined) return handler;
    }
    return undefined;
  }

  function formOf({ contentType }: Exchange): RefusalForm | undefined {
    for (const service of services) {
      const form = service.refusalForm(contentType);
      if (form !== undefined) return form;
    }
    return undefined;
  }

  function refuse(exchange: Exchange, fault: Fault, httpStatus?: number): void {
    writeRefusal(exchange, fault, formOf(exchange), options.after, httpStatus);
  }

  function turnAway(exchange: Exchange, fault: Fault, httpStatus?: number): void {
    const path = exchange.path.slice(0, MOST_LOGGED_PATH);
    options.log.debug({ peer: exchange.peer.label, path, code: fault.code }, "a call was refused");
    refuse(exchange, fault, httpStatus);
  }

  function answerPreflight(exchange: Exchange, isAllowed: boolean): void {
    if (isAllowed) {
      exchange.response.writeHead(204, preflightHeaders(exchange, cors));
      endResponse(exchange, options.after);
    } else {
      const sentence = "Pages of this origin may not call this daemon. Name it in corsOrigins if it should.";
      refuse(exchange, new Fault("permission_denied", sentence, { rule: "AAEP §8.2.7" }), 403);
    }
  }

  async function servePage(exchange: Exchange, page: HttpPage): Promise<void> {
    const { request, response } = exchange;
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return refuse(exchange, new Fault("unsupported", `${page.path} can only be read: use GET.`), 405);
    }
    const { status, contentType, body } = await page.answer();
    if (exchange.signal.aborted) return;
    answerWhole(exchange, options.after, { status, contentType, body: Buffer.from(body) });
  }

  return async (exchange) => {
    try {
      await serve(exchange);
    } catch (caught) {
      if (exchange.signal.aborted) return;
      const fault = publicFault(caught, options.log);
      if (exchange.response.headersSent) exchange.cutOff();
      else refuse(exchange, fault);
    }
  };
}

/** Every host that the request names must be served here. */
function admitted(
  { request, path, secret, connection }: Exchange,
  hosts: ReadonlySet<string | undefined>,
  { admit }: ResolvedHttpOptions,
): Fault | undefined {
  const { authorization } = request.headers;
  for (const host of hosts) {
    const fault = connection.admit({ host, authorization, path, secret }, admit);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function notFound(): Fault {
  return new Fault("unknown_method", "There is nothing at this path. Look at the services in proto/aaep/v1.");
}
