// Server-Sent Events and WebSocket as a service of an HTTP server (AAEP app. B.1, B.2): the paths of the chapter's appendix, and their short forms
// beneath the base address of a listener, which has a secret in its path.
import { Fault, publicFault } from "../../src/base/errors.js";
import type { StreamAddress, StreamAddresses } from "../../src/contracts/event-streams.js";
import type { Log } from "../../src/contracts/log.js";
import { type After, platformAfter } from "../framing/options.js";
import { endResponse, httpStatusOf } from "../http/answers.js";
import type { Exchange } from "../http/exchange.js";
import type { HttpHandler, HttpService, Refuse } from "../http/http-service.js";
import { bodyOf, createBodyRoom } from "../http/json-posts.js";
import { SseConnection } from "./sse-connection.js";
import { WebSockets } from "./websockets.js";

export interface EventStreamOptions {
  readonly addresses: StreamAddresses;
  readonly log: Log;
  /** Longest wait for the document of a request, ms. Read each time. */
  readonly silentConnectionMs: () => number;
  /** Longest delay of the end by a peer that does not read, ms. */
  readonly closeTimeoutMs: number;
  /** Origins of web pages that may call. Read for each request. */
  readonly corsOrigins: () => readonly string[];
  /** Default: the platform's. */
  readonly after?: After;
}

type ResolvedOptions = Required<EventStreamOptions>;

/** The largest message: as large as an event. */
const MOST_MESSAGE_BYTES = 64 * 1024;

const EVENTS = "/aaep/v1/events";

export function createEventStreamService(options: EventStreamOptions): HttpService {
  return new EventStreamService({ ...options, after: options.after ?? platformAfter });
}

/** The key of a subscription. The header of a caller over TCP has the daemon's token, with which it may do what its user may (R19). */
function keyOf({ request, peer }: Exchange): string | undefined {
  if (peer.trust === "token-holder") return undefined;
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
}

/** A handler of an address beneath a secret. */
type AddressHandler = (exchange: Exchange, refuse: Refuse, address: StreamAddress) => void | Promise<void>;

class EventStreamService implements HttpService {
  readonly cors: HttpService["cors"] = {
    methods: ["GET", "POST"],
    allowedHeaders: ["Content-Type", "Last-Event-ID", "Cache-Control"],
    exposedHeaders: ["Location"],
  };
  private readonly options: ResolvedOptions;
  private readonly sockets: WebSockets;
  private readonly bodies = createBodyRoom();
  private readonly streams = new Set<SseConnection>();
  /** Subscriptions made by POST, whose stream nobody has opened yet. */
  private readonly awaited = new Map<string, SseConnection>();
  private readonly handlers: ReadonlyMap<string, HttpHandler>;
  private readonly ownHandlers: ReadonlyMap<string, HttpHandler>;

  constructor(options: ResolvedOptions) {
    const { addresses, after, closeTimeoutMs } = options;
    this.options = options;
    this.sockets = new WebSockets({
      maxMessageBytes: MOST_MESSAGE_BYTES,
      closeTimeoutMs,
      after,
    });
    this.handlers = new Map([
      [EVENTS, this.only("GET", (exchange, refuse) => this.openNamed(exchange, refuse))],
      ["/aaep/v1/subscriptions", this.only("POST", (exchange, refuse) => this.subscribe(exchange, refuse))],
      [
        "/aaep/v1/replies",
        this.only("POST", (exchange, refuse) =>
          this.post(exchange, refuse, (text) => addresses.post(text, keyOf(exchange))),
        ),
      ],
      [
        "/aaep/v1/ws",
        this.only("GET", async (exchange, refuse) =>
          this.sockets.take(exchange, refuse, (one) => addresses.converse(one)),
        ),
      ],
    ]);
    const converse = this.own("GET", (exchange, refuse, address) =>
      this.sockets.take(exchange, refuse, (one) => address.converse(one)),
    );
    this.ownHandlers = new Map([
      ["/events", this.own("GET", (exchange, refuse, address) => this.open(exchange, refuse, address))],
      [
        "/messages",
        this.own("POST", (exchange, refuse, address) => this.post(exchange, refuse, (text) => address.post(text))),
      ],
      ["/", converse],
      ["/ws", converse],
    ]);
  }

  handlerAt(path: string): HttpHandler | undefined {
    return this.handlers.get(path);
  }

  ownHandlerAt(path: string): HttpHandler | undefined {
    return this.ownHandlers.get(path);
  }

  refusalForm(): undefined {
    return undefined;
  }

  endStreams(fault: Fault, withinMs: number): void {
    for (const stream of this.streams) void stream.close(fault, withinMs);
    this.sockets.end(fault, withinMs);
  }

  private only(method: "GET" | "POST", handler: HttpHandler): HttpHandler {
    return async (exchange, refuse) => {
      const page = foreignPage(exchange, this.options.corsOrigins());
      if (page !== undefined) return refuse(page, 403);
      if (exchange.request.method === method) return handler(exchange, refuse);
      exchange.response.setHeader("allow", method);
      refuse(new Fault("unsupported", `Use ${method} here.`), 405);
    };
  }

  private own(method: "GET" | "POST", handler: AddressHandler): HttpHandler {
    return this.only(method, async (exchange, refuse) => {
      const address = this.options.addresses.bySecret(exchange.secret ?? "");
      if (address !== undefined) return handler(exchange, refuse, address);
      refuse(new Fault("unauthenticated", "No listener has this address, or it was revoked."), 404);
    });
  }

  /** Opens a stream. Its subscription stands before the head goes out: a listener may speak without waiting for that. */
  private open(exchange: Exchange, refuse: Refuse, address: StreamAddress): void {
    const stream = this.made(exchange);
    const place = exchange.request.headers["last-event-id"];
    const fault = address.open(stream, typeof place === "string" && place !== "" ? place : undefined);
    if (fault === undefined) stream.attach(exchange);
    else {
      refuse(fault);
      void stream.close(fault);
    }
  }

  private async openNamed(exchange: Exchange, refuse: Refuse): Promise<void> {
    const { addresses } = this.options;
    const id = new URLSearchParams(exchange.query).get("subscription_id");
    if (id === null) {
      this.open(exchange, refuse, addresses.plain);
      return;
    }
    const stream = this.awaited.get(id);
    this.awaited.delete(id);
    if (stream !== undefined) {
      stream.attach(exchange);
      return;
    }
    const address = addresses.byId(id);
    if (address !== undefined) return this.open(exchange, refuse, address);
    // A browser would connect again for ever.
    this.answer(exchange, 204);
  }

  private async subscribe(exchange: Exchange, refuse: Refuse): Promise<void> {
    const text = await bodyOf(exchange, refuse, this.limits);
    if (text === undefined) return;
    const stream = this.made(exchange);
    const subscribe = (): void => {
      const { id, answer } = this.options.addresses.subscribe(stream, text);
      if (id === undefined) {
        this.answer(exchange, 400, answer);
        return;
      }
      this.awaited.set(id, stream);
      void stream.closed.then(() => this.awaited.delete(id));
      exchange.response.setHeader("location", `${EVENTS}?subscription_id=${id}`);
      this.answer(exchange, 201, answer);
    };
    this.answering(exchange, subscribe, (fault) => void stream.close(fault));
  }

  private async post(exchange: Exchange, refuse: Refuse, take: (text: string) => void): Promise<void> {
    const text = await bodyOf(exchange, refuse, this.limits);
    if (text === undefined) return;
    this.answering(exchange, () => {
      take(text);
      this.answer(exchange, 204);
    });
  }

  /** Answers with what `run` throws, in the form of the appendix (AAEP app. B.1.4). */
  private answering(exchange: Exchange, run: () => void, refused: (fault: Fault) => void = () => {}): void {
    try {
      run();
    } catch (caught) {
      const fault = publicFault(caught, this.options.log);
      const { code, sentence, pointer } = fault;
      refused(fault);
      this.answer(exchange, httpStatusOf(code), JSON.stringify({ error: code, message: sentence, pointer }));
    }
  }

  private answer(exchange: Exchange, status: number, body?: string): void {
    if (exchange.signal.aborted) return;
    exchange.response.writeHead(status, body === undefined ? {} : { "content-type": "application/json" });
    endResponse(exchange, this.options.after, body);
  }

  private get limits(): Parameters<typeof bodyOf>[2] {
    const { silentConnectionMs, after } = this.options;
    return { maxBodyBytes: MOST_MESSAGE_BYTES, room: this.bodies, silentConnectionMs, after };
  }

  private made(exchange: Exchange): SseConnection {
    const stream = new SseConnection(exchange.peer, this.options);
    this.streams.add(stream);
    void stream.closed.then(() => this.streams.delete(stream));
    return stream;
  }
}

/**
 * The fault of a request from a page of another origin that nobody has named. A browser lets every page open a WebSocket to this machine, and send
 * the requests of an EventSource; it only tells whose page it is. Programs that are no browsers tell no origin.
 */
function foreignPage({ request }: Exchange, origins: readonly string[]): Fault | undefined {
  const { origin, host, "sec-fetch-site": site } = request.headers;
  if (origin !== undefined && (origins.includes(origin) || origin === `http://${host}`)) return undefined;
  const isForeign = origin !== undefined || site === "cross-site" || site === "same-site";
  if (!isForeign) return undefined;
  const sentence = "Pages of this origin may not listen to this daemon. Name the origin in corsOrigins if they should.";
  return new Fault("permission_denied", sentence, { rule: "AAEP §8.2.7" });
}
