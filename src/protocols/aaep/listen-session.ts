// The stream of a listener that says one thing on it, its request; the rest comes by calls of its own (R19, R22).
import { Fault } from "../../base/errors.js";
import type { Protocol, ProtocolSession } from "../../contracts/protocol.js";
import type { KeyedSubscriptions } from "./keyed-subscriptions.js";
import { AAEP_VERSION } from "./negotiate.js";
import { lastWordsOf } from "./plain-session.js";
import {
  createSubscriptionDesk,
  type DeskServices,
  errorMessage,
  NOTHING_OWED,
  type OpenSubscription,
} from "./subscription-desk.js";

/**
 * The protocol of one such stream; undefined as its message asks for ch. 5's defaults. While it lasts its subscription is among `subscriptions`.
 * `end` closes the stream in order.
 */
export function createListenProtocol(
  services: DeskServices,
  subscriptions: KeyedSubscriptions,
  end: () => void,
): Protocol<unknown> {
  const desk = createSubscriptionDesk(services);
  return {
    name: "aaep-listen",
    open: (wake, expel, tell): ProtocolSession<unknown> => {
      let open: OpenSubscription | undefined;
      let hasEnded = false;
      const endInOrder = (): void => {
        hasEnded = true;
        end();
      };
      return {
        receive: (message) => {
          if (open !== undefined) {
            const fault = new Fault("already_subscribed", "A stream of Listen takes one request and nothing else.", {
              pointer: "",
              rule: "R19",
            });
            return { answers: [errorMessage(fault)], closes: false, fault };
          }
          const request = message ?? defaultRequest(services.ids.hex(8));
          const outcome = desk.request(request, { wake, isRemembered: message !== undefined, expelled: expel, tell });
          // Nothing else can be tried on this stream.
          if (outcome.kind === "rejected") return { answers: [outcome.message], closes: true };
          open = outcome.open;
          subscriptions.add({ open, wake, end: endInOrder });
          wake();
          return { answers: [outcome.message], closes: false };
        },
        refuse: (fault) => ({ answers: [errorMessage(fault)], closes: false, fault }),
        source: {
          take: (only) => open?.engine.take(only) ?? { kind: "idle" },
          setBlocked: (blocked) => open?.engine.setBlocked(blocked),
        },
        isOpen: () => open !== undefined,
        finish: (reason) => (hasEnded ? { owed: NOTHING_OWED, messages: () => [] } : lastWordsOf(open, reason)),
        resumeAfter: () => open?.engine.resumeAfter(),
        ended: (reason) => {
          if (open === undefined) return;
          subscriptions.remove(open.id);
          open.engine.close(reason);
        },
      };
    },
  };
}

/** Of a listener that names nothing, not even itself (R22): nothing can be kept for its return (R17). */
function defaultRequest(random: string): unknown {
  return {
    type: "subscription.request",
    aaep_version: AAEP_VERSION,
    subscriber_id: `listener-${random}`,
    capabilities: {},
  };
}
