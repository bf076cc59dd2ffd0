// The requests of this side: their ids, and the callers that wait for answers. vscode-jsonrpc does the bookkeeping.
import {
  createMessageConnection,
  type DataCallback,
  Emitter,
  type Message,
  ParameterStructures,
  ResponseError,
} from "vscode-jsonrpc";
import { Fault, faultFrom } from "../../src/base/errors.js";
import type { Log } from "../../src/contracts/log.js";
import type { IncomingAnswer } from "./answering-connection.js";
import { installPlatform } from "./library-platform.js";
import { faultFromRpcError } from "./status.js";

export interface OwnRequests {
  /** Rejects with a Fault: the peer's own, or "peer_gone" if no answer can come any more. */
  readonly request: (method: string, params: object) => Promise<unknown>;
  readonly answered: (message: IncomingAnswer) => void;
  /**
   * Reports that no answer can come any more: waiting and later calls reject with "peer_gone" and the reason. Only the first call of `end` counts.
   */
  readonly end: (fault: Fault) => void;
}

export function createOwnRequests(send: (message: object) => void, log: Log | undefined): OwnRequests {
  /** Rejections of the waiting calls. */
  const pending = new Set<(fault: Fault) => void>();
  // The library handles one message a turn of the event loop; therefore it gets one carrier for all messages of a read.
  const carrier: Message = Object.freeze({ jsonrpc: "2.0", method: "carrier" });
  let hand: DataCallback = () => {};
  let waiting: IncomingAnswer[] = [];
  let over: Fault | undefined;

  const tell = (message: string) => log?.debug({ from: "vscode-jsonrpc" }, message);
  installPlatform();
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
    answered: (message) => {
      if (over !== undefined) return;
      if (waiting.length === 0) hand(carrier);
      waiting.push(message);
    },
    end: (fault) => {
      if (over !== undefined) return;
      // For a waiting call the peer is gone, whatever fault ended the connection.
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
