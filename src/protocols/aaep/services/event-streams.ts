// AAEP over Server-Sent Events and WebSocket: the addresses of a daemon with their terms, the streams that are open under them, and the terms that
// outlive a stream (AAEP app. B.1, B.2, R19, R22, R35).
import { Fault, faultFrom } from "../../../base/errors.js";
import { parseJsonDocument } from "../../../base/json-document.js";
import { soleValue, textsOf } from "../../../base/json-members.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Codec, Utf8 } from "../../../contracts/codec.js";
import type { PostedConnection, StreamAddress, StreamAddresses } from "../../../contracts/event-streams.js";
import type { Connection } from "../../../contracts/transport.js";
import type { Engine } from "../../../engine/engine.js";
import { type Claims, claimsOfMessage, isClose, isReplyType, NO_CLAIMS } from "../json/claims.js";
import { createJsonCodec, createSseCodec } from "../json/json-codec.js";
import type { Message } from "../json/message.js";
import { type AddressTerms, OpenedSession } from "../sessions/opened-session.js";
import type { PlainServices } from "../sessions/plain-session.js";
import { type RequestOutcome, refuseStrayReply } from "../subscriber/subscription-handler.js";
import { anonymousRequest, requestOf, type ServeStream } from "./subscriber-service.js";

/** An address of a listener's own, as long as it is valid. */
export interface OwnAddress {
  readonly name: string;
  readonly capabilities: Message;
  /** Takes what a person says to an agent, unasked. Undefined: nobody may say anything here. */
  readonly userInput: ((text: string) => void) | undefined;
  /** Calls `run` once the address is revoked. */
  readonly whenRevoked: (run: () => void) => void;
}

export interface EventStreamServices extends PlainServices {
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  readonly utf8: Utf8;
  readonly serve: ServeStream;
  /** The same object for the same address. */
  readonly ownAddress: (secret: string) => OwnAddress | undefined;
  readonly converse: StreamAddresses["converse"];
}

/** How long the terms of a subscription are kept behind the end of its stream (R35). */
const KEPT_MS: Millis = 60_000;
/** Most subscriptions whose terms are kept. */
const MOST_KEPT = 1024;

/** Makes the addresses of a daemon. Call it once, because their encodings are shared (R14). */
export function createEventStreams(services: EventStreamServices): StreamAddresses {
  const { utf8, clock } = services;
  const plain = { ...services, json: createJsonCodec(utf8) };
  // The chapter's own paths name their events. A base address does not: a page's `onmessage` gets only events without a name.
  const named = { ...plain, sse: createSseCodec(utf8, "aaep.event") };
  const unnamed = { ...plain, sse: createSseCodec(utf8, undefined) };
  const own = new WeakMap<OwnAddress, TermsAddress>();
  const subscribed = new Map<string, TermsAddress>();

  const ownAddress = (found: OwnAddress): TermsAddress => {
    const known = own.get(found);
    if (known !== undefined) return known;
    const request = requestOf(found.name, found.capabilities);
    const made = new TermsAddress(unnamed, { request, userInput: found.userInput, isLimited: true });
    own.set(found, made);
    found.whenRevoked(() => made.end());
    return made;
  };

  const keep = (id: string, address: TermsAddress): void => {
    subscribed.set(id, address);
    let cancel = (): void => {};
    address.whenEmpty = (isClosed) => {
      cancel();
      if (isClosed) subscribed.delete(id);
      else
        cancel = clock.wakeAt(clock.now() + KEPT_MS, () => {
          if (address.isEmpty) subscribed.delete(id);
        });
    };
  };

  /** The id of the oldest terms without a stream, which go where no others have room. Throws where each has one. */
  const whoseRoom = (): string | undefined => {
    if (subscribed.size < MOST_KEPT) return undefined;
    for (const [id, { isEmpty }] of subscribed) if (isEmpty) return id;
    const sentence = `There are ${MOST_KEPT} subscriptions of this kind already. End one, or try again later.`;
    throw new Fault("rate_limit", sentence, { rule: "R34" });
  };

  return {
    bySecret: (secret) => {
      const found = services.ownAddress(secret);
      return found && ownAddress(found);
    },
    byId: (id) => subscribed.get(id),
    plain: new TermsAddress(named, { request: anonymousRequest(services) }),
    subscribe: (connection, text) => {
      const address = new TermsAddress(named, { request: parseJsonDocument(text) as Message });
      const oldest = whoseRoom();
      const { opening, openingCursor, id, key } = address.begin(connection, named.sse, undefined);
      const answer = JSON.stringify(opening.message);
      if (opening.kind === "rejected") return { id: undefined, answer };
      // A request that is refused takes nobody's room.
      if (oldest !== undefined) subscribed.delete(oldest);
      connection.send(named.sse.checkpoint(openingCursor));
      address.first = { id, key };
      keep(id, address);
      return { id, answer };
    },
    post: (text, key) => {
      const posted = readPosted(text);
      const { message, fault, claims } = posted;
      const id = fault === undefined ? message.subscription_id : soleValue(textsOf(text, "subscription_id"));
      // A later request has given a stream the terms and the id of another subscription.
      const address = [subscribed.get(String(id)), ...subscribed.values()].find((one) => one?.isMeant(id, key));
      if (address !== undefined) {
        address.take(posted, text);
        return;
      }
      const isReply = claims.types.some(isReplyType);
      if (isReply) strayReply(services.engine, posted, text);
      if (fault !== undefined && !isReply) throw fault;
      const sentence =
        "There is no such subscription. Give the subscription_id of an acceptance, and over a Unix socket its key as the bearer.";
      throw new Fault("unknown_subscription", sentence, { pointer: "/subscription_id", rule: "R19" });
    },
    converse: services.converse,
  };
}

interface StreamAddressServices extends Pick<EventStreamServices, keyof PlainServices | "serve" | "utf8"> {
  readonly json: Codec<Uint8Array, unknown>;
  /** Server-Sent Events, in the form that the address's listeners know. */
  readonly sse: Codec<Uint8Array, unknown>;
}

/** A posted text. Without a fault it is a message, and claims what that is. */
interface Posted {
  readonly message: Message;
  readonly fault: Fault | undefined;
  readonly claims: Claims;
}

/** Reads a posted text. Never throws. */
function readPosted(text: string): Posted {
  try {
    const message = (parseJsonDocument(text) ?? {}) as Message;
    return { message, fault: undefined, claims: { types: [message.type], replyToken: "" } };
  } catch (caught) {
    const fault = faultFrom(caught);
    // A text that is no JSON claims nothing.
    return { message: {}, fault, claims: fault.code === "invalid_json" ? NO_CLAIMS : claimsOfMessage(text) };
  }
}

/** Records a reply for which there is no stream. */
function strayReply(engine: Pick<Engine, "strayReply">, { message, fault, claims }: Posted, text: string): void {
  if (fault === undefined) refuseStrayReply(engine, message, text);
  else engine.strayReply("malformed", claims.replyToken, { text });
}

interface OpenStream {
  readonly session: OpenedSession;
  readonly connection: Connection<Uint8Array> | PostedConnection;
}

/** Streams of one address at a time: the daemon's subscriptions are for others, too. */
const MOST_STREAMS = 16;

class TermsAddress implements StreamAddress {
  /** The subscription for which the address was made. */
  first: Pick<OpenedSession, "id" | "key"> | undefined;
  /** Called when the last stream has ended. `isClosed`: in order, as its listener wanted it. */
  whenEmpty: (isClosed: boolean) => void = () => {};
  private readonly services: StreamAddressServices;
  private readonly terms: AddressTerms;
  /** The newest is the last. */
  private readonly streams = new Set<OpenStream>();

  constructor(services: StreamAddressServices, terms: AddressTerms) {
    this.services = services;
    this.terms = terms;
  }

  private isFull(): boolean {
    return this.terms.isLimited === true && this.streams.size >= MOST_STREAMS;
  }

  get isEmpty(): boolean {
    return this.streams.size === 0;
  }

  /** Whether a stream of the address has this subscription, or `first` is it. With `key`, that is its key. */
  isMeant(id: unknown, key: string | undefined): boolean {
    const all = [this.first, ...[...this.streams].map(({ session }) => session)];
    return all.some((one) => one !== undefined && one.id === id && (key === undefined || one.key === key));
  }

  open(connection: PostedConnection, resumeAfter: string | undefined): Fault | undefined {
    if (this.isFull()) return tooMany();
    const { opening, openingCursor } = this.begin(connection, this.services.sse, resumeAfter);
    if (opening.kind === "rejected") return refusedBy(opening);
    // The place before everything that follows (R35).
    connection.send(this.services.sse.checkpoint(openingCursor));
    // The listener has come back: what it left behind asks nobody any more.
    for (const { connection: other } of this.streams) if (other !== connection && "giveUp" in other) other.giveUp();
    return undefined;
  }

  converse(connection: Connection<Uint8Array>): Fault | undefined {
    if (this.isFull()) return tooMany();
    const { opening } = this.begin(connection, this.services.json, undefined);
    return opening.kind === "rejected" ? refusedBy(opening) : undefined;
  }

  /** Serves a connection under the terms of the address. A rejected one is closed. */
  begin(
    connection: Connection<Uint8Array> | PostedConnection,
    codec: Codec<Uint8Array, unknown>,
    resumeAfter: string | undefined,
  ): OpenedSession {
    const { terms } = this;
    // Places are part of Server-Sent Events. Elsewhere only listeners that ask get them (R17).
    const services = { ...this.services, givesCheckpoints: codec === this.services.sse };
    const request = resumeAfter === undefined ? terms.request : resuming(terms.request, resumeAfter);
    let session: OpenedSession | undefined;
    const open = (...[peer, { stream, tell }]: Parameters<Parameters<ServeStream>[2]["open"]>): OpenedSession => {
      const events = { stream, access: services.access.of(peer), tell, peer };
      session = new OpenedSession(services, events, { ...terms, request });
      return session;
    };
    services.serve(connection, codec, { open }, undefined);
    if (session === undefined) throw new Error("The stream has no session.");
    const { opening } = session;
    if (opening.kind === "rejected") void connection.close(refusedBy(opening));
    else {
      const one: OpenStream = { session, connection };
      this.streams.add(one);
      void connection.closed.then(({ kind, fault }) => {
        this.streams.delete(one);
        if (this.isEmpty) this.whenEmpty(kind === "local" && fault === undefined);
      });
    }
    return session;
  }

  post(text: string): void {
    this.take(readPosted(text), text);
  }

  /** As `post`, with what the text is. A reply that cannot be read is silently none, and a clear close closes (R19, R33). */
  take(posted: Posted, text: string): void {
    const { message, fault, claims } = posted;
    if (!claims.types.some(isReplyType)) {
      if (fault !== undefined && !isClose(claims)) throw fault;
      this.push(text);
      return;
    }
    const newest = [...this.streams].reverse().map(({ session }) => session);
    if (newest.length === 0) {
      strayReply(this.services.engine, posted, text);
      throw noStream();
    }
    // The stream that was asked takes it.
    if (fault === undefined) newest.some((session) => session.reply(message, text));
    else newest[0]?.refuse(fault, () => text);
  }

  private push(text: string): void {
    if (this.isEmpty) throw noStream();
    const posted = [...this.streams].reverse().map((one) => one.connection);
    const takers = posted.filter((one) => "push" in one);
    if (takers.length === 0) {
      const sentence = "Send this message over the WebSocket itself.";
      throw new Fault("unsupported", sentence, { pointer: "", rule: "AAEP app. B" });
    }
    const connection = takers.find((one) => one.isTaking);
    if (connection === undefined) throw noStream();
    if (connection.isFull) {
      const sentence = "Messages that came before still wait. Send this one again, later.";
      throw new Fault("rate_limit", sentence, { rule: "R34", retryAfterSeconds: 1 });
    }
    connection.push(this.services.utf8.encode(text));
  }

  /** Ends every stream: the address is no more. */
  end(): void {
    const sentence = "This address has been revoked. Make another one: aaepd address create";
    for (const { connection } of this.streams) void connection.close(new Fault("unauthenticated", sentence));
  }
}

function resuming(request: Message, resumeAfter: string): Message {
  const extensions = (request.extensions ?? {}) as Message;
  const aaepd = { ...(extensions.aaepd as Message | undefined), resume_after: resumeAfter };
  return { ...request, extensions: { ...extensions, aaepd } };
}

/** A rejection as a fault, for a listener that has not asked for anything and so is sent none. */
function refusedBy({ message }: RequestOutcome): Fault {
  const code = message.reason_code === "rate_limit" ? "rate_limit" : "capabilities_incompatible";
  return new Fault(code, String(message.reason_message), { rule: "AAEP §5.5" });
}

function noStream(): Fault {
  const sentence = "No stream is open at this address. Open it first, and send the message again.";
  return new Fault("handshake_required", sentence, { pointer: "", rule: "AAEP §5.1" });
}

function tooMany(): Fault {
  return new Fault("rate_limit", `End a stream first: ${MOST_STREAMS} are open at this address.`, { rule: "R34" });
}
