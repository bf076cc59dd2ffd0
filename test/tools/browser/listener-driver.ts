// What a test has in a page: a listener over HTTP as a browser runs it, driven from Node.
import {
  httpConnector,
  type ReceivedEvent,
  type SubscribeOptions,
  type SubscriberReply,
  type Subscription,
  subscribe,
} from "../../../src/client/index.js";
import type { Terms } from "../../../src/client/listener/terms.js";

export interface PageListener {
  readonly start: (address: string, token: string, terms: Terms, options?: SubscribeOptions) => void;
  readonly events: ReceivedEvent[];
  /** The kinds of its states. */
  readonly states: string[];
  readonly cursors: string[];
  readonly notTaken: string[];
  /** How the loop ended: "over", or the code and the sentence of what was thrown. */
  end: string | undefined;
  /** Calls of the subscription; events are named by their place in `events`. */
  readonly call: {
    readonly reply: (reply: SubscriberReply) => boolean;
    readonly renegotiate: Subscription["renegotiate"];
    readonly listPending: Subscription["listPending"];
    readonly skip: (index?: number) => boolean;
    readonly repeat: (index: number) => boolean;
    readonly close: (reason?: string) => Promise<void>;
  };
}

let subscription: Subscription | undefined;
const events: ReceivedEvent[] = [];

function current(): Subscription {
  if (subscription === undefined) throw new Error("not started");
  return subscription;
}

function eventAt(index: number): ReceivedEvent {
  const event = events.at(index);
  if (event === undefined) throw new Error(`no event ${index}`);
  return event;
}

const listener: PageListener = {
  events,
  states: [],
  cursors: [],
  notTaken: [],
  end: undefined,
  start: (address, token, terms, options = {}) => {
    const opened = subscribe(httpConnector(address, { token }), terms, {
      ...options,
      onState: ({ kind }) => void listener.states.push(kind),
      onCursor: (cursor) => void listener.cursors.push(cursor),
      onReplyNotTaken: (replyToken) => void listener.notTaken.push(replyToken),
    });
    subscription = opened;
    void (async () => {
      try {
        for await (const event of opened) events.push(event);
        listener.end = "over";
      } catch (caught) {
        listener.end = caught instanceof Error ? caught.message : String(caught);
      }
    })();
  },
  call: {
    reply: (reply) => current().reply(reply),
    renegotiate: (changes) => current().renegotiate(changes),
    listPending: () => current().listPending(),
    skip: (index) => (index === undefined ? current().skip() : current().skip(eventAt(index))),
    repeat: (index) => current().repeat(eventAt(index)),
    close: (reason) => current().close(reason),
  },
};

Object.assign(globalThis, { listener });
