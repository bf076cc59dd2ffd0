// One subscription over one connection, from the request to the end of the connection.
import type { AaepdError, Capabilities, Envelope, SubscriptionAccepted, SubscriptionRequest } from "#gen/aaep/types.js";
import { Fault, faultFrom } from "../base/errors.js";
import { unreachable } from "../base/exhaustive.js";
import type { Connection } from "../contracts/transport.js";
import { cursorIn, encodeMessage, faultFromError, readIncoming } from "./messages.js";
import type { Timers } from "./platform-clock.js";
import type { Interruption } from "./subscriber-states.js";

export interface RunOptions {
  readonly connect: () => Promise<Connection<Uint8Array>>;
  /** Called once the connection is there: the terms may have changed while it was awaited. */
  readonly request: () => SubscriptionRequest;
  readonly handshakeTimeoutMs: number;
  readonly timers: Timers;
  readonly opened: (run: SubscriptionRun) => void;
  /** The request was accepted. */
  readonly active: (accepted: SubscriptionAccepted) => void;
  readonly event: (event: Envelope) => Promise<void>;
  /** Reports the place that everything before leads to (R17). */
  readonly reached: (cursor: string) => void;
  /** Receives an error that answers no caller. */
  readonly error: ((error: AaepdError) => void) | undefined;
  readonly replyNotTaken: ((replyToken: string) => void) | undefined;
  readonly message: ((message: Readonly<Record<string, unknown>>) => void) | undefined;
}

export interface SubscriptionRun {
  /** Hands a message over. False if the subscription is not active. */
  readonly send: (message: object) => boolean;
  readonly renegotiate: (capabilities: Capabilities) => Promise<SubscriptionAccepted>;
  readonly listPending: () => Promise<readonly Envelope[]>;
  /** Sends `subscription.close` if there is a subscription, and closes the connection. */
  readonly close: (reasonMessage: string | undefined) => Promise<void>;
}

/** A page of the open questions. */
interface Page {
  readonly questions: readonly Envelope[];
  readonly next: string | undefined;
}

/** More pages than a daemon can have, so that a broken one is not asked for ever. */
const MOST_PAGES = 4096;

/** A caller that waits for an answer. Answers come in the order of the requests. */
interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: Fault) => void;
}

/**
 * Resolves with the interruption that ended the subscription. Rejects only with an error thrown by a callback of `options`, after the connection is
 * closed.
 */
export async function openSubscription(options: RunOptions): Promise<Interruption> {
  let connection: Connection<Uint8Array>;
  try {
    connection = await options.connect();
  } catch (caught) {
    return { kind: "fault", fault: faultFrom(caught) };
  }
  const renegotiations: Waiting<SubscriptionAccepted>[] = [];
  const listings: Waiting<Page>[] = [];
  let subscriptionId: string | undefined;
  let timedOut: Fault | undefined;
  let failure: { readonly caught: unknown } | undefined;
  const cancelTimeout = options.timers.wakeAt(options.timers.now() + options.handshakeTimeoutMs, () => {
    timedOut = new Fault("timed_out", "The producer did not answer the subscription request in time. Try again.");
    void connection.close(timedOut);
  });

  function send(message: object): boolean {
    if (subscriptionId === undefined) return false;
    connection.send(encodeMessage({ ...message, subscription_id: subscriptionId }));
    return true;
  }

  function ask<Answer>(message: object, waiting: Waiting<Answer>[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (send(message)) waiting.push({ resolve, reject });
      else reject(notSubscribed());
    });
  }

  async function listPending(): Promise<readonly Envelope[]> {
    const questions: Envelope[] = [];
    let after: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { questions: more, next } = await ask(
        { type: "aaepd.list_pending", ...(after === undefined ? {} : { after }) },
        listings,
      );
      questions.push(...more);
      if (next === undefined) break;
      after = next;
    }
    return questions;
  }

  options.opened({
    send,
    renegotiate: (capabilities) => ask({ type: "subscription.renegotiate", capabilities }, renegotiations),
    listPending,
    close: async (reasonMessage) => {
      send({
        type: "subscription.close",
        reason_code: "subscriber_shutdown",
        reason_message: reasonMessage,
      });
      await connection.close();
    },
  });

  /** Calls the owner, whose error is no fault of the connection. */
  async function tell(call: () => Promise<void> | void): Promise<void> {
    try {
      await call();
    } catch (caught) {
      failure = { caught };
      throw caught;
    }
  }

  async function reached(cursor: string | undefined): Promise<void> {
    if (cursor !== undefined) await tell(() => options.reached(cursor));
  }

  /** Hands the error to the caller that it answers; false if there is none. An error without `answers` can only mean the terms. */
  function isAwaited(error: AaepdError): boolean {
    const { answers = "subscription.renegotiate" } = error;
    const waiting =
      answers === "subscription.renegotiate"
        ? renegotiations.shift()
        : answers === "aaepd.list_pending"
          ? listings.shift()
          : undefined;
    waiting?.reject(faultFromError(error));
    return waiting !== undefined;
  }

  /** Returns the end of the subscription if this frame is one. */
  async function take(frame: Uint8Array): Promise<Interruption | undefined> {
    const incoming = readIncoming(frame);
    switch (incoming.kind) {
      case "event":
        await tell(() => options.event(incoming.event));
        return undefined;
      case "accepted": {
        const { accepted } = incoming;
        const isFirst = subscriptionId === undefined;
        subscriptionId = accepted.subscription_id;
        cancelTimeout();
        if (isFirst) await tell(() => options.active(accepted));
        await reached(cursorIn(accepted.honored_capabilities.aaepd));
        // Last, so that its place is known by then.
        if (!isFirst) renegotiations.shift()?.resolve(accepted);
        return undefined;
      }
      case "rejected":
        return { kind: "rejected", rejected: incoming.rejected };
      case "checkpoint":
        await reached(incoming.cursor);
        return undefined;
      case "close":
        await reached(cursorIn(incoming.close.extensions?.aaepd));
        return { kind: "closed", close: incoming.close };
      case "error":
        if (!isAwaited(incoming.error)) await tell(() => options.error?.(incoming.error));
        return undefined;
      case "pending":
        listings.shift()?.resolve(incoming);
        return undefined;
      case "reply not taken":
        await tell(() => options.replyNotTaken?.(incoming.replyToken));
        return undefined;
      case "other":
        await tell(() => options.message?.(incoming.message));
        return undefined;
      default:
        return unreachable(incoming);
    }
  }

  async function read(): Promise<Interruption> {
    try {
      for await (const frames of connection.frames) {
        for (const frame of frames) {
          const end = await take(frame);
          if (end !== undefined) return end;
        }
      }
      return { kind: "fault", fault: timedOut ?? goneFault(connection) };
    } catch (caught) {
      return { kind: "fault", fault: timedOut ?? faultFrom(caught) };
    }
  }

  connection.send(encodeMessage(options.request()));
  const end = await read();
  cancelTimeout();
  // From here on nobody reads an answer.
  subscriptionId = undefined;
  const fault = lossFault(end, connection);
  for (const waiting of [...renegotiations.splice(0), ...listings.splice(0)]) waiting.reject(fault);
  await connection.close();
  if (failure !== undefined) throw failure.caught;
  return end;
}

/** Why a call is not answered. Of origin "local", unless the producer refused what was asked for. */
function lossFault(end: Interruption, connection: Connection<Uint8Array>): Fault {
  switch (end.kind) {
    case "fault":
      return end.fault.with({ origin: "local" });
    case "rejected":
      return new Fault("capabilities_incompatible", end.rejected.reason_message);
    case "closed":
      return goneFault(connection).with({ origin: "local" });
  }
}

function goneFault({ peer }: Connection<Uint8Array>): Fault {
  return new Fault("peer_gone", `The daemon at ${peer.label.replace(/^(?:unix|pipe):/, "")} has ended the connection.`);
}

export function notSubscribed(): Fault {
  return new Fault("unknown_subscription", "There is no subscription at the moment. Try again when one is active.", {
    origin: "local",
  });
}
