// The requests that one provider has: each under an id of the daemon's own, because two agents may use the same one. A provider that takes only so
// many at a time gets the others in order, as it answers.
import type { A2eMessage } from "../messages/message.js";
import { withMembers } from "../messages/message-text.js";
import type { Announced, ForwardedRequest, RequestNews } from "./provider.js";

export interface ForwardingOptions {
  /** Sends a text to the provider. Returns false if the provider takes nothing and too much waits for it. */
  readonly send: (text: string) => boolean;
  readonly newId: () => string;
  /** Most requests that the provider takes at a time. */
  readonly maxParallel: number;
  /** The session of the daemon at the provider, in place of the agent's; undefined keeps the agent's. */
  readonly sessionId?: string | undefined;
  readonly announced: Announced;
  /** As `Clock.afterTurn`. */
  readonly afterTurn: (run: () => void) => void;
}

export interface Forwarding {
  readonly request: (text: string, news: RequestNews) => ForwardedRequest;
  readonly passOn: (text: string) => void;
  /** Takes a message of the provider that concerns requests. Messages of requests that have ended are dropped. */
  readonly receive: (message: A2eMessage, text: string) => void;
  /** The provider is gone: every request is lost, the first at once and thousands over several turns (R34). */
  readonly ended: (sentence: string) => void;
  /** Requests that were sent, or wait to be. */
  readonly count: () => number;
}

interface Pending {
  readonly id: string;
  readonly text: string;
  readonly news: RequestNews;
}

/** Requests that are lost in one turn of the event loop (R34). */
const LOST_PER_TURN = 64;

const TAKES_NOTHING = "The provider takes no messages at present. Try again later.";

export function createForwarding(options: ForwardingOptions): Forwarding {
  const { send, newId, maxParallel, sessionId, announced, afterTurn } = options;
  const sent = new Map<string, RequestNews>();
  /** In order of arrival. A map, so that one that is forgotten leaves at once. */
  const waiting = new Map<string, Pending>();
  /** Requests of a provider that is gone, until their agents know. */
  const lost = new Map<string, RequestNews>();
  let whyEnded: string | undefined;
  let isSending = false;

  const loseNext = (sentence: string): void => {
    let left = LOST_PER_TURN;
    for (const [id, news] of lost) {
      if (left === 0) break;
      left -= 1;
      lost.delete(id);
      news.lost(sentence);
    }
    if (lost.size > 0) afterTurn(() => loseNext(sentence));
  };

  /** Sends what may be sent. Losing one request makes room for the next, so this is a loop and no recursion. */
  const sendNext = (): void => {
    if (isSending) return;
    isSending = true;
    for (const one of waiting.values()) {
      if (sent.size >= maxParallel) break;
      waiting.delete(one.id);
      sent.set(one.id, one.news);
      if (send(one.text)) continue;
      sent.delete(one.id);
      one.news.lost(TAKES_NOTHING);
    }
    isSending = false;
  };

  const finish = (id: string): RequestNews | undefined => {
    const news = sent.get(id);
    sent.delete(id);
    return news;
  };

  return {
    request: (text, news) => {
      if (whyEnded !== undefined) {
        news.lost(whyEnded);
        return { forget: () => {} };
      }
      const id = newId();
      const session = sessionId === undefined ? {} : { session_id: sessionId };
      waiting.set(id, { id, text: withMembers(text, { id, ...session }), news });
      sendNext();
      return {
        forget: () => {
          const wasSent = sent.delete(id);
          waiting.delete(id);
          lost.delete(id);
          if (wasSent) sendNext();
        },
      };
    },
    passOn: (text) => {
      if (whyEnded === undefined) send(sessionId === undefined ? text : withMembers(text, { session_id: sessionId }));
    },
    receive: (message, text) => {
      const { req_id: id, type } = message;
      if (typeof id !== "string") {
        announced(message, text);
        return;
      }
      const news = sent.get(id);
      if (news === undefined) return;
      if (type !== "error" && !String(type).endsWith("/resp")) {
        news.event(message, text);
        return;
      }
      finish(id);
      if (type === "error") news.refused(message, text);
      else news.answered(message, text);
      sendNext();
    },
    ended: (sentence) => {
      whyEnded = sentence;
      for (const [id, news] of sent) lost.set(id, news);
      for (const { id, news } of waiting.values()) lost.set(id, news);
      sent.clear();
      waiting.clear();
      loseNext(sentence);
    },
    count: () => sent.size + waiting.size + lost.size,
  };
}
