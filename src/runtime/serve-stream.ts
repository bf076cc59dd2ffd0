// Serves the streams of the services: conversations with a status at their end. The daemon finishes them like those of connections.
import { Fault } from "../base/errors.js";
import type { Codec } from "../contracts/codec.js";
import type { Conversation, EndReason, Heartbeat, MessageProtocol } from "../contracts/protocol.js";
import type { Connection, PeerIdentity } from "../contracts/transport.js";
import type { ConversationServices } from "./conversation.js";
import { runConversation } from "./run-conversation.js";

export interface StreamServices extends ConversationServices {
  /** Receives each stream when it is served; the receiver calls `finish`. */
  readonly served: (stream: Conversation, peer: PeerIdentity) => void;
}

/** Returns a function that serves a stream from its first frame to its end. A client's half-close does not end its subscription. */
export function createStreamServer(
  services: StreamServices,
): <Frame, Message>(
  connection: Connection<Frame>,
  codec: Codec<Frame, Message>,
  protocol: Pick<MessageProtocol<Message>, "open">,
  heartbeat: Heartbeat<Message> | undefined,
) => void {
  return (connection, codec, protocol, heartbeat) => {
    const conversation = runConversation(connection, codec, protocol, services, {
      heartbeat,
      keepsOutput: true,
      statusOf,
    });
    services.served(conversation, connection.peer);
  };
}

/**
 * The fault that gives the status of a stream ended by the daemon. A recording that has ended is no fault, and neither is the subscriber's own
 * close.
 */
function statusOf(reason: EndReason): Fault | undefined {
  switch (reason) {
    case "recording_ended":
      return undefined;
    case "producer_shutdown":
      return new Fault("shutting_down", "The daemon is stopping. Subscribe again when it is back.", { rule: "R8a" });
    case "lagging":
      return new Fault("lagging", "This stream took too little for too long. Subscribe again with resume_after.", {
        rule: "R18",
      });
    case "handshake_timeout":
      return new Fault("timed_out", "No subscription.request came in time. Open another stream.", { rule: "R22" });
    case "producer_error":
      return new Fault("internal", "Something went wrong in the daemon, and stands in its log. Subscribe again.", {
        origin: "local",
      });
  }
}
