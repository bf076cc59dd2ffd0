// One address of Server-Sent Events or WebSocket: its terms, and the streams that are open under them (AAEP app. B.1, R19, R22, R35).
import { Fault, faultFrom } from "../../../base/errors.js";
import { parseJsonDocument } from "../../../base/json-document.js";
import type { Codec, Utf8 } from "../../../contracts/codec.js";
import type { PostedConnection, StreamAddress } from "../../../contracts/event-streams.js";
import type { Connection } from "../../../contracts/transport.js";
import type { Engine } from "../../../engine/engine.js";
import { type Claims, claimsOfMessage, isClose, isReplyType, NO_CLAIMS } from "../json/claims.js";
import type { Message } from "../json/message.js";
import { type AddressTerms, OpenedSession } from "../sessions/opened-session.js";
import type { PlainServices } from "../sessions/plain-session.js";
import { type RequestOutcome, refuseStrayReply } from "../subscriber/subscription-handler.js";
import type { ServeStream } from "./subscriber-service.js";

export interface StreamAddressServices extends PlainServices {
  readonly serve: ServeStream;
  readonly utf8: Utf8;
  readonly json: Codec<Uint8Array, unknown>;
  /** Server-Sent Events, in the form that the address's listeners know. */
  readonly sse: Codec<Uint8Array, unknown>;
}

/** A posted text. Without a fault it is a message, and claims what that is. */
export interface Posted {
  readonly message: Message;
  readonly fault: Fault | undefined;
  readonly claims: Claims;
}

/** Reads a posted text. Never throws. */
export function readPosted(text: string): Posted {
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
export function strayReply(engine: Pick<Engine, "strayReply">, { message, fault, claims }: Posted, text: string): void {
  if (fault === undefined) refuseStrayReply(engine, message, text);
  else engine.strayReply("malformed", claims.replyToken, { text });
}

interface OpenStream {
  readonly session: OpenedSession;
  readonly connection: Connection<Uint8Array> | PostedConnection;
}

/** Streams of one address at a time: the daemon's subscriptions are for others, too. */
const MOST_STREAMS = 16;

export class TermsAddress implements StreamAddress {
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
