// A JSON-RPC 2.0 peer over any byte connection. Knows method names only as strings. The requests' bookkeeping is vscode-jsonrpc's; reading, writing,
// limits and errors are ours.
import {
  type CancellationToken,
  createMessageConnection,
  Emitter,
  type Logger,
  type MessageWriter,
  ParameterStructures,
  ResponseError,
} from "vscode-jsonrpc/node";
import { Fault, faultFrom } from "../../src/base/errors.js";
import type { Log } from "../../src/contracts/log.js";
import type { AbortSignalLike, RpcConnection, RpcHandlers } from "../../src/contracts/rpc.js";
import type { Connection } from "../../src/contracts/transport.js";
import { refusedHead } from "../framing/refusal.js";
import { type CallSignal, createCallSignal } from "./call-signal.js";
import { idFromHead, type RpcId } from "./incoming.js";
import { createFrameReader } from "./message-reader.js";
import { encodeMessage, notificationRun } from "./outgoing.js";
import { faultFromRpcError, rpcErrorFromFault } from "./status.js";

export interface RpcOptions {
  /** Requests of the peer that may be without an answer. At the limit reading pauses until one is answered. Default 4096. */
  readonly maxUnansweredRequests?: number;
  /** Whether the connection closes by itself when the peer has ended and every request of its has been answered. Default true. */
  readonly closeAtEnd?: boolean;
  /** Where unexpected failures of handlers go. The peer is told only that there was one. Default: nowhere. */
  readonly log?: Log;
}

/** Takes over `connection`, its frames included. Handlers are called from the next turn of the event loop on. */
export function createRpcConnection(
  connection: Connection<Uint8Array>,
  handlers: RpcHandlers,
  options: RpcOptions = {},
): RpcConnection {
  const { maxUnansweredRequests = 4096, closeAtEnd = true, log } = options;
  /** Requests that handlers are still working on, with what tells them to stop. */
  const unanswered = new Set<CallSignal>();
  /** Our own requests, with what ends their waiting. */
  const pending = new Set<(fault: Fault) => void>();
  let answersBlocked = false;
  /** A notification is with its handler: what it sends meanwhile is the answer to it (R3). */
  let answersNotification = false;
  let onAnswered: () => void = () => {};
  let over: Fault | undefined;
  let tellEnded: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve;
  });

  function answer(message: object): void {
    if (!connection.send(encodeMessage(message))) answersBlocked = true;
  }

  /** Of what is no answer the sender itself takes care: were reading to wait for it as well, two peers could wait for each other. */
  function notify(method: string, params: object): boolean {
    const taken = connection.send(encodeMessage({ jsonrpc: "2.0", method, params }));
    if (!taken && answersNotification) answersBlocked = true;
    return taken;
  }

  function refuse(id: RpcId, fault: Fault): void {
    answer({ jsonrpc: "2.0", id, error: rpcErrorFromFault(fault) });
  }

  /** Reads no further while the peer does not take its answers, or has too many of them to come (P11, G2). */
  async function ready(): Promise<void> {
    if (answersBlocked) {
      await connection.writable();
      answersBlocked = false;
    }
    while (unanswered.size >= maxUnansweredRequests && over === undefined) await nextAnswer();
  }

  function nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      onAnswered = resolve;
    });
  }

  function handleEnd(fault: Fault | undefined): void {
    const head = fault === undefined ? undefined : refusedHead(fault);
    endPending(fault ?? peerEnded(connection.peer.label));
    tellEnded();
    if (fault !== undefined && fault.code !== "peer_gone") {
      // The peer learns why before the connection goes (R33, V5).
      refuse(head === undefined ? null : idFromHead(head), fault);
      void connection.close(fault);
    } else if (closeAtEnd) {
      void closeWhenAnswered();
    }
  }

  function endPending(fault: Fault): void {
    over ??= fault;
    const rejections = [...pending];
    pending.clear();
    for (const reject of rejections) reject(fault);
    onAnswered();
  }

  async function closeWhenAnswered(): Promise<void> {
    // Answers that are ready now are sent by the promises that hold them, before the next turn.
    await nextTurn();
    while (unanswered.size > 0) await nextAnswer();
    await nextTurn();
    await connection.close();
  }

  function call(method: string, params: unknown, token: CancellationToken): unknown {
    const signal = createCallSignal(token.isCancellationRequested ? "cancelled" : undefined);
    let result: unknown;
    try {
      result = handlers.request({ method, params, text: frames.currentText(), signal });
    } catch (caught) {
      throw responseError(caught, method, log);
    }
    return isPromise(result) ? follow(result, method, signal, token) : result;
  }

  async function follow(
    result: PromiseLike<unknown>,
    method: string,
    signal: CallSignal,
    token: CancellationToken,
  ): Promise<unknown> {
    const subscription = token.onCancellationRequested(() => signal.abort("cancelled"));
    unanswered.add(signal);
    try {
      return await result;
    } catch (caught) {
      throw responseError(caught, method, log);
    } finally {
      subscription.dispose();
      unanswered.delete(signal);
      onAnswered();
    }
  }

  const frames = createFrameReader(connection.frames, {
    onRefused: refuse,
    ready,
    onEnd: handleEnd,
    isCostly: handlers.isCostly ?? (() => false),
  });
  const rpc = createMessageConnection(frames.reader, createWriter(answer), loggerTo(log), {
    messageStrategy: frames.strategy,
  });
  rpc.onRequest(call);
  rpc.onNotification((method, params) => {
    answersNotification = true;
    try {
      handlers.notification({ method, params, text: frames.currentText(), signal: NEVER });
    } finally {
      answersNotification = false;
    }
  });
  rpc.listen();

  function abortCalls(): void {
    for (const signal of unanswered) signal.abort("ended");
  }

  void connection.closed.then((info) => {
    abortCalls();
    endPending(info.fault ?? peerEnded(connection.peer.label));
    rpc.dispose();
    tellEnded();
  });

  return {
    peer: connection.peer,
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (over !== undefined) {
          reject(over);
          return;
        }
        pending.add(reject);
        const sent = Array.isArray(params)
          ? rpc.sendRequest<unknown>(method, ParameterStructures.byPosition, ...params)
          : rpc.sendRequest<unknown>(method, params);
        sent.then(resolve, (caught: unknown) => reject(faultFromCaught(caught))).finally(() => pending.delete(reject));
      }),
    notify,
    notifyRun: (method, run, members) => connection.sendRun(notificationRun(method, run, members)),
    writable: () => connection.writable(),
    ended,
    close: async () => {
      // V6: no more in, then what is being answered, then out, then away.
      frames.stop();
      abortCalls();
      await nextTurn();
      await connection.close();
    },
    closed: connection.closed,
  };
}

/** Nobody can cancel a notification. */
const NEVER: AbortSignalLike = { aborted: false, reason: undefined, addEventListener: () => {} };

function createWriter(answer: (message: object) => void): MessageWriter {
  return {
    onError: new Emitter<[Error, undefined, undefined]>().event,
    onClose: new Emitter<void>().event,
    // A rejection here, as of a result that is no JSON, becomes the error of the answer.
    write: async (message) => answer(message),
    end: () => {},
    dispose: () => {},
  };
}

function responseError(caught: unknown, method: string, log: Log | undefined): ResponseError<unknown> {
  const fault = faultFrom(caught);
  if (caught instanceof Fault) {
    const { code, message, data } = rpcErrorFromFault(caught);
    return new ResponseError(code, message, data);
  }
  log?.error({ method, cause: fault.cause }, "a request failed in an unexpected way");
  const { code, data } = rpcErrorFromFault(fault);
  return new ResponseError<unknown>(
    code,
    "The request failed for a reason of the receiver's own. Its log says more.",
    data,
  );
}

function faultFromCaught(caught: unknown): Fault {
  return caught instanceof ResponseError
    ? faultFromRpcError(caught.code, caught.message, caught.data)
    : faultFrom(caught);
}

function peerEnded(label: string): Fault {
  return new Fault("peer_gone", `${label} has ended the connection. Connect again to go on.`);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function loggerTo(log: Log | undefined): Logger {
  const tell = (message: string) => log?.debug({ from: "vscode-jsonrpc" }, message);
  return { error: tell, warn: tell, info: tell, log: tell };
}
