// Streams of the services: conversations with a status at their end, which whoever runs the daemon finishes like those of connections.
import { Fault } from "../base/errors.js";
import type { Codec } from "../contracts/codec.js";
import type { Conversation, EndReason, Heartbeat, MessageProtocol } from "../contracts/protocol.js";
import type { Connection, PeerIdentity } from "../contracts/transport.js";
import type { ConversationServices } from "./conversation.js";
import { runConversation } from "./run-conversation.js";

export interface StreamServices extends ConversationServices {
  /** Told of each stream that is being served: `finish` is its owner's to call. */
  readonly served: (stream: Conversation, peer: PeerIdentity) => void;
}

/** Answers what serves a stream from its first frame to its end. Its client's half-close is not the end of its subscription. */
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

/** The fault whose status a stream has that the daemon ends; its subscriber's own close is no fault, nor is that all was said. */
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
