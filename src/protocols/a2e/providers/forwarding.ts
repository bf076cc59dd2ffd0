// The requests that one provider has: each under an id of the daemon's own, because two agents may use the same one. A provider that takes only so
// many at a time gets the others in order, as it answers.
import { textOf } from "../../../base/members.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { A2eMessage } from "../messages/message.js";
import { withMembers } from "../messages/message-text.js";
import type { ForwardedRequest, RequestNews } from "./provider.js";

export interface ForwardingOptions {
  /** Sends a text to the provider. Returns false if the provider takes nothing and too much waits for it. */
  readonly send: (text: string) => boolean;
  readonly newId: () => string;
  /** Most requests that the provider takes at a time. Read at each use. */
  readonly maxParallel: () => number;
  /** The session of the daemon at the provider, in place of the agent's; undefined keeps the agent's. */
  readonly sessionId?: string | undefined;
  /** Told of the text of a message for no request that agents may want: one that is neither an answer nor a message between two ends. */
  readonly announced: (text: string) => void;
  readonly clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">;
}

export interface Forwarding {
  readonly request: (text: string, news: RequestNews) => ForwardedRequest;
  readonly passOn: (text: string) => void;
  /** Takes a message of the provider that concerns requests. Messages of requests that have ended are dropped. */
  readonly receive: (message: A2eMessage, text: string) => void;
  /** The provider's message about this request could not be read. */
  readonly unreadable: (id: string) => void;
  /** The provider is gone: every request is lost, the first at once and thousands over several turns (R34). */
  readonly ended: (sentence: string) => void;
  /** Requests that the provider has or that wait for it. */
  readonly count: () => number;
}

interface Pending {
  readonly id: string;
  readonly text: string;
  readonly news: RequestNews;
}

/** Requests of all agents that wait for a provider, and their UTF-16 units. */
const MOST_WAITING_COUNT = 4096;
const MOST_WAITING_UNITS = 32 * 1024 * 1024;

/** How long a provider may still work on a request that nobody waits for any more. The request has its slot as long. */
const ABANDONED_MS: Millis = 60_000;

/** Requests that are lost in one turn of the event loop (R34). */
const LOST_PER_TURN = 64;

const TOO_MANY = "Too many requests wait for the provider. Try again later.";
const TAKES_NOTHING = "The provider takes no messages at present. Try again later.";

export function createForwarding(options: ForwardingOptions): Forwarding {
  const { send, newId, maxParallel, sessionId, announced, clock } = options;
  const sent = new Map<string, RequestNews>();
  /** Requests that the provider has and nobody waits for, with the cancellation of their time limit. */
  const abandoned = new Map<string, () => void>();
  /** In order of arrival. A map, so that one that is forgotten leaves at once. */
  const waiting = new Map<string, Pending>();
  /** Requests of a provider that is gone, until their agents know. */
  const lost = new Map<string, RequestNews>();
  let whyEnded: string | undefined;
  let isSending = false;
  let waitingUnits = 0;

  const loseNext = (sentence: string): void => {
    let left = LOST_PER_TURN;
    for (const [id, news] of lost) {
      if (left === 0) break;
      left -= 1;
      lost.delete(id);
      news.lost(sentence);
    }
    if (lost.size > 0) clock.afterTurn(() => loseNext(sentence));
  };

  /** Sends what may be sent. Losing one request makes room for the next, so this is a loop and no recursion. */
  const sendNext = (): void => {
    if (isSending) return;
    isSending = true;
    try {
      for (const one of waiting.values()) {
        if (sent.size + abandoned.size >= maxParallel()) break;
        removeWaiting(one);
        sent.set(one.id, one.news);
        if (send(one.text)) continue;
        sent.delete(one.id);
        one.news.lost(TAKES_NOTHING);
      }
    } finally {
      isSending = false;
    }
  };

  const removeWaiting = (one: Pending): void => {
    if (waiting.delete(one.id)) waitingUnits -= one.text.length;
  };

  /** The provider has no such request any more. */
  const release = (id: string): void => {
    abandoned.get(id)?.();
    abandoned.delete(id);
    sent.delete(id);
    sendNext();
  };

  /** A2E has no message that takes a request back, so the provider goes on with it. */
  const abandon = (id: string): void => {
    if (sent.delete(id))
      abandoned.set(
        id,
        clock.wakeAt(clock.now() + ABANDONED_MS, () => release(id)),
      );
  };

  return {
    request: (text, news) => {
      if (whyEnded !== undefined) {
        news.lost(whyEnded);
        return { forget: () => {} };
      }
      if (waiting.size >= MOST_WAITING_COUNT || waitingUnits + text.length > MOST_WAITING_UNITS) {
        news.lost(TOO_MANY);
        return { forget: () => {} };
      }
      const id = newId();
      const session = sessionId === undefined ? {} : { session_id: sessionId };
      const one: Pending = { id, text: withMembers(text, { id, ...session }), news };
      waiting.set(id, one);
      waitingUnits += one.text.length;
      sendNext();
      return {
        forget: () => {
          abandon(id);
          removeWaiting(one);
          lost.delete(id);
        },
      };
    },
    passOn: (text) => {
      if (whyEnded === undefined) send(sessionId === undefined ? text : withMembers(text, { session_id: sessionId }));
    },
    receive: (message, text) => {
      const { req_id: id, type } = message;
      if (typeof id !== "string") {
        if (!isBetweenTwo(textOf(type))) announced(text);
        return;
      }
      const isLast = type === "error" || textOf(type).endsWith("/resp");
      const news = sent.get(id);
      if (!isLast) {
        news?.event(message, text);
        return;
      }
      sent.delete(id);
      if (type === "error") news?.refused(message, text);
      else news?.answered(message, text);
      release(id);
    },
    unreadable: (id) => {
      const news = sent.get(id);
      sent.delete(id);
      news?.unreadable();
      release(id);
    },
    ended: (sentence) => {
      whyEnded = sentence;
      for (const [id, news] of sent) lost.set(id, news);
      for (const { id, news } of waiting.values()) lost.set(id, news);
      for (const cancel of abandoned.values()) cancel();
      abandoned.clear();
      sent.clear();
      waiting.clear();
      waitingUnits = 0;
      loseNext(sentence);
    },
    count: () => sent.size + abandoned.size + waiting.size + lost.size,
  };
}

/** Whether a type is for the other end of a connection alone, so that no agent behind it gets the message. */
function isBetweenTwo(type: string): boolean {
  return BETWEEN_TWO.has(type) || type.endsWith("/req") || type.endsWith("/resp");
}

const BETWEEN_TWO = new Set(["error", "ping", "pong", "shutdown"]);
