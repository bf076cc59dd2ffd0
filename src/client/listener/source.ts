// One daemon of a subscription: its subscriber, its place, and the terms that it has not been told yet.
import type { AaepdError, Capabilities, SubscriptionAccepted } from "#gen/aaep/types.js";
import { Fault, faultFrom } from "../../base/errors.js";
import type { ReceivedEvent } from "../events.js";
import { Pause } from "../pause.js";
import { PLATFORM_TIMERS } from "../platform-clock.js";
import { createSubscriber, mergedCapabilities, type Subscriber } from "../subscriber.js";
import type { Arrival, SubscriberRequest } from "../subscriber-options.js";
import type { SubscriberEnd, SubscriberState } from "../subscriber-states.js";
import type { Source, SubscribeOptions, Target } from "./listener-types.js";

export interface LiveSource {
  readonly source: Source;
  readonly subscriber: Subscriber;
  readonly isConnected: () => boolean;
  /** Calls a function of the listener's. A promise of it that rejects fails as an error thrown does. */
  readonly tell: <Value>(call: ((value: Value, source: Source) => unknown) | undefined, value: Value) => void;
  /** Asks for other terms. Undefined if the daemon is not connected: it gets them when it is. */
  readonly renegotiate: (changes: Capabilities) => Promise<SubscriptionAccepted | undefined>;
  /** The open questions; none if the daemon vanishes before it has answered. */
  readonly listPending: () => Promise<readonly ReceivedEvent[]>;
  /** The daemon's address is gone, or is there again. A source without a connection waits for it. */
  readonly setPresent: (isPresent: boolean) => void;
  readonly close: (reason: string | undefined) => Promise<void>;
}

export interface SourceOptions {
  readonly target: Target;
  readonly request: SubscriberRequest;
  readonly options: Omit<SubscribeOptions, "id" | "name" | "cursor" | "onCritical">;
  /** The place to begin at. */
  readonly cursor: (source: Source) => string | undefined;
  /** Resolves when the source may read on. */
  readonly onEvent: (event: ReceivedEvent, arrival: Arrival) => Promise<void> | undefined;
  /** The daemon has accepted the terms. */
  readonly onAccepted: () => void;
  /** Runs the function when the loop has finished all events before it. */
  readonly afterEvents: (reached: () => void) => void;
  readonly onEnded: (end: SubscriberEnd) => void;
  /** An error of the listener's own functions. */
  readonly onFailure: (caught: unknown) => void;
}

export function createSource(given: SourceOptions): LiveSource {
  const { target, options } = given;
  let state: SubscriberState | undefined;
  let cursor: string | undefined;
  let owed: Capabilities | undefined;
  // While the daemon's address is gone: resolves when it is there again.
  let isThere: Promise<void> | undefined;
  let arrive = (): void => {};
  const source: Source = {
    name: target.name,
    label: target.label ?? target.name,
    state: () => state,
    cursor: () => cursor,
  };
  cursor = given.cursor(source);

  function oweTerms(changes: Capabilities): undefined {
    owed = mergedCapabilities(owed ?? {}, changes);
    subscriber.setTerms(changes);
  }

  /** As the daemon answers; undefined if it is lost before, or hangs: the others have answered. */
  async function answerOf<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
    const { timers = PLATFORM_TIMERS, handshakeTimeoutMs = 10_000 } = options;
    const patience = new Pause(timers);
    try {
      return (await Promise.race([asked, patience.take(handshakeTimeoutMs)])) ?? undefined;
    } catch (caught) {
      if (isLoss(caught)) return undefined;
      throw caught;
    } finally {
      patience.cutShort();
    }
  }

  /** Asks for terms that changed while the request was on its way. */
  function payTerms(): void {
    if (owed === undefined) return;
    const changes = owed;
    owed = undefined;
    // A later connection has the terms in its request.
    change(changes).catch(refused);
  }

  /** Tells a refusal that no caller waits for. */
  function refused(caught: unknown): void {
    if (!isLoss(caught)) tell(options.onError, errorOf(faultFrom(caught)));
  }

  async function change(changes: Capabilities): Promise<SubscriptionAccepted> {
    const accepted = await subscriber.renegotiate(changes);
    if (state?.kind === "active") state = { ...state, accepted };
    return accepted;
  }

  const tell: LiveSource["tell"] = (call, value) => {
    const called = call?.(value, source);
    if (called instanceof Promise) called.catch(given.onFailure);
  };
  const subscriber = createSubscriber({
    ...options,
    request: given.request,
    connect: async () => {
      await isThere;
      const connection = await target.connect();
      // The request that follows has them.
      owed = undefined;
      return connection;
    },
    ...(cursor === undefined ? undefined : { cursor }),
    onEvent: given.onEvent,
    onCursor: (place) =>
      given.afterEvents(() => {
        cursor = place;
        tell(options.onCursor, place);
      }),
    onState: (next) => {
      state = next;
      if (next.kind === "active") {
        given.onAccepted();
        payTerms();
      }
      tell(options.onState, next);
    },
    onError: (error) => tell(options.onError, error),
    onReplyNotTaken: (token) => tell(options.onReplyNotTaken, token),
  });
  subscriber.ended.then(given.onEnded, given.onFailure);

  return {
    source,
    subscriber,
    tell,
    isConnected: () => state?.kind === "active",
    renegotiate: async (changes) => {
      if (state?.kind !== "active") return oweTerms(changes);
      const asked = change(changes);
      const accepted = await answerOf(asked);
      if (accepted !== undefined) return accepted;
      // Of a daemon that hung and refuses after all.
      asked.catch(refused);
      return oweTerms(changes);
    },
    listPending: async () => (await answerOf(subscriber.listPending())) ?? [],
    setPresent: (isPresent) => {
      if (isPresent) {
        arrive();
        isThere = undefined;
      } else {
        isThere ??= new Promise((resolve) => {
          arrive = resolve;
        });
      }
    },
    close: subscriber.close,
  };
}

/** The refusal of terms that no caller waits for, as the daemon sends it (R33). */
function errorOf({ code, sentence, pointer = "", rule = "" }: Fault): AaepdError {
  return { type: "aaepd.error", code, message: sentence, pointer, rule, answers: "subscription.renegotiate" };
}

/** Whether the connection was lost before the answer, which is no refusal of the daemon's. */
function isLoss(caught: unknown): boolean {
  return caught instanceof Fault && caught.origin === "local";
}
