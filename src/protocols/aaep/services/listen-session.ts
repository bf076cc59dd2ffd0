// The stream of a listener that sends only its request on it; everything else comes by calls of its own (R19, R22).
import type { MessageProtocol, ProtocolSession } from "../../../contracts/protocol.js";
import type { Message } from "../json/message.js";
import type { PlainServices } from "../sessions/plain-session.js";
import { AAEP_VERSION } from "../subscriber/negotiate.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";
import { NOTHING_PENDING, SubscriptionHandler } from "../subscriber/subscription-handler.js";
import type { KeyedSubscriptions } from "./keyed-calls.js";

/**
 * The protocol of one such stream. An undefined message requests ch. 5's defaults. The subscription is in `subscriptions` while it lasts. `end`
 * closes the stream in order.
 */
export function createListenProtocol(
  services: PlainServices,
  subscriptions: KeyedSubscriptions,
  end: () => void,
): Pick<MessageProtocol<unknown>, "open"> {
  return {
    open: (peer, { stream, tell }): ProtocolSession<unknown> => {
      const access = services.access.of(peer);
      const source = new SubscriptionHandler(services, { stream, access, tell, peer });
      let hasEnded = false;
      const endInOrder = (): void => {
        hasEnded = true;
        end();
      };
      return {
        receive: (message) => {
          const { id, key } = source;
          const outcome = source.request(message ?? defaultRequest(services.ids.hex(8)));
          const isAccepted = outcome.kind === "accepted";
          if (isAccepted) {
            subscriptions.remove({ id, key });
            subscriptions.add({ handler: source, end: endInOrder });
          }
          // A stream without a subscription permits no second attempt.
          return { answers: [outcome.message], closes: !isAccepted && !source.isOpen() };
        },
        refuse: (fault) => ({ answers: [errorMessage(fault)], closes: false, fault }),
        isOpen: () => source.isOpen(),
        finish: (reason) =>
          hasEnded ? { pendingDeliveries: NOTHING_PENDING, messages: () => [] } : source.lastWords(reason),
        ended: (reason) => {
          subscriptions.remove(source);
          source.subscription?.close(reason);
        },
      };
    },
  };
}

/** The request of a listener that names nothing, not even itself (R22). */
function defaultRequest(random: string): Message {
  const subscriber_id = `listener-${random}`;
  return { type: "subscription.request", aaep_version: AAEP_VERSION, subscriber_id, capabilities: {} };
}
