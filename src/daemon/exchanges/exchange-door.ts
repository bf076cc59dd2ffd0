// The way into a protocol of exchanges: nothing of it runs before somebody speaks it. Its code is loaded at the start of a daemon. Later, as at the
// limit of open files, it might not be possible, and Node remembers a failed load.
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { TextCodec } from "../../contracts/codec.js";
import type { Conversation } from "../../contracts/protocol.js";
import type { Connection } from "../../contracts/transport.js";

/** Serves the connections of one protocol. */
export interface ExchangeServer {
  /** `frames`: the frames of the connection. Default: the UTF-8 of a message. */
  readonly serve: (connection: Connection<Uint8Array>, frames?: TextCodec<Uint8Array>) => Conversation;
}

export interface ExchangeDoor<Server extends ExchangeServer> extends ExchangeServer {
  /** Loads the code of the protocol. Rejects with the error of Node. */
  readonly load: () => Promise<unknown>;
  /** Starts the protocol. Rejects if its code cannot be loaded. */
  readonly open: () => Promise<Server>;
  /** Undefined while the protocol was never used. */
  readonly opened: () => Server | undefined;
  /** Ends every conversation, as its session does, at `until` at the latest. */
  readonly endAll: (until: Millis) => Promise<void>;
}

/** `code`: loads the code and resolves with the function that starts the protocol. Called once. */
export function createExchangeDoor<Server extends ExchangeServer>(
  code: () => Promise<() => Server>,
): ExchangeDoor<Server> {
  let loading: Promise<() => Server> | undefined;
  let server: Server | undefined;
  const conversations = new Set<Conversation>();
  const load = (): Promise<() => Server> => {
    loading ??= code();
    return loading;
  };
  const open = async (): Promise<Server> => {
    const start = await load();
    server ??= start();
    return server;
  };
  return {
    load,
    open,
    opened: () => server,
    serve: (connection, frames) => {
      const served =
        server === undefined
          ? later(
              open().then(
                (one) => one.serve(connection, frames),
                (caught) => refused(connection, caught),
              ),
            )
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

function refused(connection: Connection<Uint8Array>, cause: unknown): Conversation {
  const sentence = "This daemon could not load the protocol of the first message. Restart the daemon.";
  void connection.close(new Fault("storage_unavailable", sentence, { origin: "local", cause }));
  const done = connection.closed.then(() => {});
  return { finish: async () => 0, inputEnded: done, done };
}

/** A conversation that begins when the code of its protocol is loaded. */
function later(conversation: Promise<Conversation>): Conversation {
  return {
    finish: async (reason, until) => (await conversation).finish(reason, until),
    inputEnded: conversation.then((one) => one.inputEnded),
    done: conversation.then((one) => one.done),
  };
}
