// A JSON-RPC 2.0 peer that asks as well as answers, for agents and subscribers.
import { faultFrom } from "../../src/base/errors.js";
import type { RpcConnection, RpcHandlers } from "../../src/contracts/rpc.js";
import type { Connection } from "../../src/contracts/transport.js";
import { AnsweringPeer, type RpcOptions } from "./answering-connection.js";
import { encodeMessage } from "./outgoing.js";
import { createOwnRequests } from "./own-requests.js";

/** Takes over `connection` with its frames. Handlers are called after this function has returned. */
export function createRpcConnection(
  connection: Connection<Uint8Array>,
  handlers: RpcHandlers,
  options: RpcOptions = {},
): RpcConnection {
  // Ignores whether the peer takes more: a side that waits for that before it reads on, while the peer waits for its own answers, waits for ever.
  const requests = createOwnRequests((message) => void connection.send(encodeMessage(message)), options.log);
  const answering = new AnsweringPeer(connection, handlers, options, {
    answered: requests.answered,
    ended: requests.end,
  });
  void readAll(connection, answering);
  return {
    peer: connection.peer,
    request: requests.request,
    notify: (method, params) => answering.notify(method, params),
    notifyBatch: (method, batch, members, lastMethod) => answering.notifyBatch(method, batch, members, lastMethod),
    writable: () => connection.writable(),
    ended: answering.ended,
    close: (withinMs) => answering.close(withinMs),
    closed: connection.closed,
    unref: () => connection.unref?.(),
  };
}

async function readAll({ frames }: Connection<Uint8Array>, answering: AnsweringPeer): Promise<void> {
  try {
    for await (const some of frames) {
      for (const frame of some) {
        const isCostly = answering.take(frame);
        if (isCostly) await new Promise(setImmediate);
        for (let room = answering.room(); room !== undefined; room = answering.room()) await room;
      }
    }
    answering.noMore(undefined);
  } catch (caught) {
    answering.noMore(faultFrom(caught));
  }
}
