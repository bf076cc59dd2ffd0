// AAEP without an envelope: one subscription a connection, each frame one message (AAEP §5.1, R23, R33).
import { Fault, publicFault } from "../../base/errors.js";
import type { EndReason, LastWords, Protocol, ProtocolSession, Reaction } from "../../contracts/protocol.js";
import { quoted } from "./capabilities.js";
import { isCostlyType } from "./costly-calls.js";
import {
  createSubscriptionDesk,
  type DeskServices,
  errorMessage,
  type Message,
  type OpenSubscription,
} from "./subscription-desk.js";

const NOTHING: Reaction<unknown> = { answers: [], closes: false };

/** The protocol of a peer whose first message is a `subscription.request`. */
export function createPlainProtocol(services: DeskServices): Protocol<unknown> {
  const desk = createSubscriptionDesk(services);
  return {
    name: "aaep",
    open: (wake, expel): ProtocolSession<unknown> => {
      let open: OpenSubscription | undefined;

      const request = (message: unknown): Reaction<unknown> => {
        if (open !== undefined) {
          throw new Fault(
            "already_subscribed",
            "One subscription a connection: close this one, renegotiate, or open another connection.",
            {
              pointer: "/type",
              rule: "R23",
            },
          );
        }
        const outcome = desk.request(message, { wake, expelled: expel });
        if (outcome.kind === "accepted") {
          open = outcome.open;
          wake();
        }
        return answer(outcome.message);
      };

      const needed = (): OpenSubscription => {
        if (open !== undefined) return open;
        throw new Fault("handshake_required", "Send a subscription.request first.", {
          pointer: "/type",
          rule: "AAEP §5.1",
        });
      };

      const receive = (message: unknown): Reaction<unknown> => {
        const type = typeOf(message);
        switch (type) {
          case "subscription.request":
            return request(message);
          case "subscription.renegotiate": {
            const renegotiated = needed().renegotiate(message);
            wake();
            return { answers: [renegotiated.message], closes: renegotiated.ended };
          }
          case "subscription.close":
            needed().close(message);
            return { answers: [], closes: true };
          case "confirmation.reply":
          case "clarification.reply":
            needed().reply(message);
            return NOTHING;
          case "aaepd.skip":
            needed().skip(message);
            return NOTHING;
          case "aaepd.list_pending":
            return answer({ type: "aaepd.pending", questions: needed().listPending(message) });
          case "aaepd.repeat":
            needed().repeat(message);
            return NOTHING;
          default:
            throw new Fault(
              "unknown_type",
              `There is no message of type ${quoted(type)}; the first is a subscription.request.`,
              {
                pointer: "/type",
                rule: "AAEP §5.1",
              },
            );
        }
      };

      return {
        receive: (message) => {
          const type = readableType(message);
          try {
            const reaction = receive(message);
            return isCostlyType(type) ? { ...reaction, wasCostly: true } : reaction;
          } catch (caught) {
            const fault = publicFault(caught, services.log);
            return { answers: [errorMessage(fault, type)], closes: false, wasCostly: isCostlyType(type), fault };
          }
        },
        refuse: (fault) => errorMessage(fault),
        source: {
          take: () => open?.engine.take() ?? { kind: "idle" },
          setBlocked: (blocked) => open?.engine.setBlocked(blocked),
        },
        isOpen: () => open !== undefined,
        finish: (reason) => lastWordsOf(open, reason),
        ended: () => open?.engine.close(),
      };
    },
  };
}

/** What a peer is still owed and told when this side ends its conversation, whether it had a subscription or not yet (R8a, R22). */
export function lastWordsOf(open: OpenSubscription | undefined, reason: EndReason): LastWords<unknown> {
  if (open === undefined) {
    const sentence =
      reason === "handshake_timeout"
        ? "No subscription.request came in time; connect again."
        : "The daemon is stopping.";
    const code = reason === "handshake_timeout" ? "timed_out" : "shutting_down";
    return { deliveries: [], messages: [errorMessage(new Fault(code, sentence, { rule: "R22" }))] };
  }
  const deliveries = reason === "producer_shutdown" ? open.engine.drain() : [];
  return { deliveries, messages: [open.closing(reason)] };
}

function answer(message: Message): Reaction<unknown> {
  return { answers: [message], closes: false };
}

function readableType(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !("type" in message)) return undefined;
  return typeof message.type === "string" ? message.type : undefined;
}

/** Throws for what is no message at all. */
function typeOf(message: unknown): string {
  const type = readableType(message);
  if (type !== undefined) return type;
  throw new Fault("invalid_message", "A message is a JSON object with a type.", {
    pointer: "/type",
    rule: "AAEP §5.1",
  });
}
