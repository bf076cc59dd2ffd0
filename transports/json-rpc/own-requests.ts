// The requests that go out: their ids and who waits for which answer. The bookkeeping is vscode-jsonrpc's.
import {
  createMessageConnection,
  type DataCallback,
  Emitter,
  type Message,
  ParameterStructures,
  ResponseError,
} from "vscode-jsonrpc/node";
import { Fault, faultFrom } from "../../src/base/errors.js";
import type { Log } from "../../src/contracts/log.js";
import type { IncomingAnswer } from "./message-reader.js";
import { faultFromRpcError } from "./status.js";

export interface OwnRequests {
  /** Rejects with a Fault: the peer's own, or "peer_gone" where no answer can come any more. */
  readonly request: (method: string, params: object) => Promise<unknown>;
  /** What came with one read. */
  readonly answered: (messages: readonly IncomingAnswer[]) => void;
  /** No answer can come any more: each call that waits, or is made later, is told why as "peer_gone". Only the first one counts. */
  readonly end: (fault: Fault) => void;
}

export function createOwnRequests(send: (message: object) => void, log: Log | undefined): OwnRequests {
  /** What ends their waiting. */
  const pending = new Set<(fault: Fault) => void>();
  // The library handles one message a turn of the event loop; so it is given one carrier for all of a read.
  const carrier: Message = Object.freeze({ jsonrpc: "2.0", method: "carrier" });
  let hand: DataCallback = () => {};
  let waiting: IncomingAnswer[] = [];
  let over: Fault | undefined;

  const tell = (message: string) => log?.debug({ from: "vscode-jsonrpc" }, message);
  const library = createMessageConnection(
    {
      onError: new Emitter<Error>().event,
      onClose: new Emitter<void>().event,
      onPartialMessage: new Emitter<never>().event,
      listen: (callback) => {
        hand = callback;
        return { dispose: () => {} };
      },
      dispose: () => {},
    },
    {
      onError: new Emitter<[Error, undefined, undefined]>().event,
      onClose: new Emitter<void>().event,
      write: async (message) => send(message),
      end: () => {},
      dispose: () => {},
    },
    { error: tell, warn: tell, info: tell, log: tell },
    {
      messageStrategy: {
        handleMessage: (_carrier, next) => {
          const messages = waiting;
          waiting = [];
          for (const message of messages) void next(message);
        },
      },
    },
  );
  library.listen();

  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (over !== undefined) {
          reject(over);
          return;
        }
        pending.add(reject);
        const sent = Array.isArray(params)
          ? library.sendRequest<unknown>(method, ParameterStructures.byPosition, ...params)
          : library.sendRequest<unknown>(method, params);
        sent.then(resolve, (caught: unknown) => reject(faultFromCaught(caught))).finally(() => pending.delete(reject));
      }),
    answered: (messages) => {
      if (over !== undefined) return;
      if (waiting.length === 0) hand(carrier);
      waiting.push(...messages);
    },
    end: (fault) => {
      if (over !== undefined) return;
      // To a call that waits the peer is gone, by whatever fault the connection ended.
      over = fault.code === "peer_gone" ? fault : new Fault("peer_gone", fault.sentence, { cause: fault });
      const rejections = [...pending];
      pending.clear();
      for (const reject of rejections) reject(over);
      library.dispose();
    },
  };
}

function faultFromCaught(caught: unknown): Fault {
  return caught instanceof ResponseError
    ? faultFromRpcError(caught.code, caught.message, caught.data)
    : faultFrom(caught);
}
