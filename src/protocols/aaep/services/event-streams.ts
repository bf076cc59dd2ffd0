// AAEP over Server-Sent Events and WebSocket: the addresses of a daemon, and the terms that outlive a stream (AAEP app. B.1, B.2, R22, R35).
import { Fault } from "../../../base/errors.js";
import { parseJsonDocument } from "../../../base/json-document.js";
import { soleValue, textsOf } from "../../../base/json-members.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Utf8 } from "../../../contracts/codec.js";
import type { StreamAddresses } from "../../../contracts/event-streams.js";
import { isReplyType } from "../json/claims.js";
import { createJsonCodec, createSseCodec } from "../json/json-codec.js";
import type { Message } from "../json/message.js";
import type { PlainServices } from "../sessions/plain-session.js";
import { anonymousRequest, requestOf } from "./listen.js";
import { readPosted, strayReply, TermsAddress } from "./stream-address.js";
import type { ServeStream } from "./subscriber-service.js";

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
