// The way into a protocol of exchanges: nothing of it is loaded before somebody speaks it.
import type { Millis } from "../../contracts/clock.js";
import type { Conversation } from "../../contracts/protocol.js";
import type { Connection } from "../../contracts/transport.js";
import type { TextCodec } from "../../runtime/run-exchange.js";

/** Serves the connections of one protocol. */
export interface ExchangeServer {
  /** `frames`: the frames of the connection. Default: the UTF-8 of a message. */
  readonly serve: (connection: Connection<Uint8Array>, frames?: TextCodec<Uint8Array>) => Conversation;
}

export interface ExchangeDoor<Server extends ExchangeServer> extends ExchangeServer {
  /** Loads the protocol. */
  readonly open: () => Promise<Server>;
  /** Undefined while the protocol was never used. */
  readonly opened: () => Server | undefined;
  /** Ends every conversation, as its session does, at `until` at the latest. */
  readonly endAll: (until: Millis) => Promise<void>;
}

/** `load`: called once, at the first use. */
export function createExchangeDoor<Server extends ExchangeServer>(load: () => Promise<Server>): ExchangeDoor<Server> {
  let loading: Promise<Server> | undefined;
  let server: Server | undefined;
  const conversations = new Set<Conversation>();
  const open = (): Promise<Server> => {
    loading ??= load().then((loaded) => {
      server = loaded;
      return loaded;
    });
    return loading;
  };
  return {
    open,
    opened: () => server,
    serve: (connection, frames) => {
      const served =
        server === undefined
          ? later(open().then((one) => one.serve(connection, frames)))
          : server.serve(connection, frames);
      conversations.add(served);
      void served.done.then(() => conversations.delete(served));
      return served;
    },
    endAll: async (until) => {
      await Promise.all(Array.from(conversations, (one) => one.finish("producer_shutdown", until)));
    },
  };
}

/** A conversation that begins when the code of its protocol is loaded. */
function later(conversation: Promise<Conversation>): Conversation {
  return {
    finish: async (reason, until) => (await conversation).finish(reason, until),
    inputEnded: conversation.then((one) => one.inputEnded),
    done: conversation.then((one) => one.done),
  };
}
