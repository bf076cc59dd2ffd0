// The answering side of a JSON-RPC 2.0 peer over any byte connection. Method names are plain strings here. Calls are handled in the turn of the event
// loop in which they were read, and a synchronous answer is sent at once, so that nothing between an agent and its listeners waits without need.
// `vscode-jsonrpc` would handle one message a turn, and queue without a bound; it keeps the outgoing requests alone. Newline framing replaces raw
// line ends between tokens by spaces. Other framings carry an event's bytes unchanged (AAEP §8.2.1).
import { Fault, faultFrom } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { Log } from "../../src/contracts/log.js";
import type { AbortSignalLike, AnsweringConnection, RefusedCall, RpcHandlers } from "../../src/contracts/rpc.js";
import type { Connection } from "../../src/contracts/transport.js";
import { refusedHead } from "../framing/refusal.js";
import { AnsweredCall } from "./answered-call.js";
import { idFromHead, type RpcId } from "./incoming.js";
import {
  createFrameReader,
  type IncomingAnswer,
  type IncomingCall,
  type IncomingRefused,
  nextTurn,
} from "./message-reader.js";
import { encodeMessage, notificationBatch } from "./outgoing.js";
import { rpcErrorFromFault } from "./status.js";

export interface RpcOptions {
  /** Most unanswered requests of the peer. At the limit reading pauses until one is answered. Default 4096. */
  readonly maxUnansweredRequests?: number;
  /** Whether the connection closes by itself when the peer has ended and every request of the peer is answered. Default true. */
  readonly closeAtEnd?: boolean;
  /** Receives unexpected failures of handlers, of which the peer learns only that there was one. Default: nowhere. */
  readonly log?: Log;
}

/** Callbacks for the requests that this side sends. */
export interface OwnRequestsEvents {
  /** Receives the answers of one read to requests of this side. */
  readonly answered: (messages: readonly IncomingAnswer[]) => void;
  /** Reports that no answer can come any more. Called at least once. */
  readonly ended: (fault: Fault) => void;
}

const ASKS_NOTHING: OwnRequestsEvents = { answered: () => {}, ended: () => {} };

export interface Answering {
  readonly answering: AnsweringConnection;
  /** Sends a message that is no answer: reading does not wait for it. */
  readonly ask: (message: object) => void;
}

/** Takes over `connection` with its frames. Handlers are called after this function has returned. */
export function createAnsweringConnection(
  connection: Connection<Uint8Array>,
  handlers: RpcHandlers,
  options: RpcOptions = {},
  own: OwnRequestsEvents = ASKS_NOTHING,
): Answering {
  const { maxUnansweredRequests = 4096, closeAtEnd = true, log } = options;
  /** Requests that handlers are still working on. */
  const unanswered = new Set<AnsweredCall>();
  const byId = new Map<string | number, AnsweredCall>();
  let answersBlocked = false;
  /** True while a handler works on a notification: messages sent meanwhile are the answer to it (R3). */
  let answersNotification = false;
  let onAnswered: () => void = () => {};
  let isOver = false;
  let isClosed = false;
  const { promise: ended, resolve: tellEnded } = withResolvers();

  function send(message: object): void {
    if (!connection.send(encodeMessage(message))) answersBlocked = true;
  }

  /**
   * For a message that is no answer, the sender heeds the result of `notify`. If reading waited for it as well, two peers could wait for each other.
   */
  function notify(method: string, params: object): boolean {
    const taken = connection.send(encodeMessage({ jsonrpc: "2.0", method, params }));
    if (!taken && answersNotification) answersBlocked = true;
    return taken;
  }

  function refuse(id: RpcId, fault: Fault): void {
    send({ jsonrpc: "2.0", id, error: rpcErrorFromFault(fault) });
  }

  function answer(id: RpcId, method: string, result: unknown): void {
    try {
      send({ jsonrpc: "2.0", id, result: result === undefined ? null : result });
    } catch (caught) {
      refuseCaught(id, method, caught);
    }
  }

  /** Refuses a request whose handler threw, or whose result could not be written. */
  function refuseCaught(id: RpcId, method: string, caught: unknown): void {
    const { code, cause } = faultFrom(caught);
    // An internal fault may say what only the log is to be told (R20).
    if (caught instanceof Fault && code !== "internal") {
      refuse(id, caught);
      return;
    }
    log?.error({ method, cause }, "a request failed in an unexpected way");
    const sentence = "The request failed for a reason of the receiver's own. Its log says more.";
    refuse(id, new Fault("internal", sentence));
  }

  /** Reading pauses while the peer does not take its answers, or has too many unanswered requests. */
  function ready(): Promise<void> | undefined {
    return answersBlocked || unanswered.size >= maxUnansweredRequests ? comeToRead() : undefined;
  }

  async function comeToRead(): Promise<void> {
    if (answersBlocked) {
      await connection.writable();
      answersBlocked = false;
    }
    while (unanswered.size >= maxUnansweredRequests && !isOver) await nextAnswer();
  }

  function nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      onAnswered = resolve;
    });
  }

  function handleEnd(fault: Fault | undefined): void {
    const head = fault === undefined ? undefined : refusedHead(fault);
    endWaiting(fault ?? peerEnded(connection.peer.label));
    tellEnded();
    if (fault !== undefined && fault.code !== "peer_gone") {
      // The peer learns the reason before the connection closes (R33).
      refuse(head === undefined ? null : idFromHead(head), fault);
      void connection.close(fault);
    } else if (closeAtEnd) {
      void closeWhenAnswered();
    }
  }

  function endWaiting(fault: Fault): void {
    isOver = true;
    own.ended(fault);
    onAnswered();
  }

  async function answered(): Promise<void> {
    while (unanswered.size > 0 && !isClosed) await nextAnswer();
  }

  async function closeWhenAnswered(): Promise<void> {
    await answered();
    await nextTurn();
    await connection.close();
  }

  function onRefused({ id, fault, text, isNotification }: IncomingRefused): void {
    const answered = text === undefined ? undefined : refusedAnswer({ text, fault, isNotification });
    if (answered === undefined) refuse(id, fault);
    else if (id !== null) answer(id, "", answered.result);
  }

  function refusedAnswer(call: RefusedCall): ReturnType<NonNullable<RpcHandlers["refused"]>> {
    answersNotification = true;
    try {
      return handlers.refused?.(call);
    } catch (caught) {
      log?.error({ err: caught }, "a message that was refused failed in an unexpected way");
      return undefined;
    } finally {
      answersNotification = false;
    }
  }

  function onCall(incoming: IncomingCall, isCancelled: boolean): void {
    const { id, method, params, text, outline } = incoming;
    if (id === undefined) {
      handleNotification({ method, params, text, outline, signal: NEVER });
      return;
    }
    const call = new AnsweredCall(incoming, isCancelled ? "cancelled" : undefined);
    let result: unknown;
    try {
      result = handlers.request(call);
    } catch (caught) {
      refuseCaught(id, method, caught);
      return;
    }
    if (isPromise(result)) void follow(result, id, call);
    else answer(id, method, result);
  }

  function handleNotification(call: Parameters<RpcHandlers["notification"]>[0]): void {
    answersNotification = true;
    try {
      handlers.notification(call);
    } catch (caught) {
      log?.error({ method: call.method, err: caught }, "a notification failed in an unexpected way");
    } finally {
      answersNotification = false;
    }
  }

  async function follow(result: PromiseLike<unknown>, id: string | number, call: AnsweredCall): Promise<void> {
    unanswered.add(call);
    byId.set(id, call);
    try {
      answer(id, call.method, await result);
    } catch (caught) {
      refuseCaught(id, call.method, caught);
    } finally {
      unanswered.delete(call);
      if (byId.get(id) === call) byId.delete(id);
      onAnswered();
    }
  }

  const frames = createFrameReader(connection.frames, {
    onCall,
    onAnswers: own.answered,
    onCancelled: (id) => byId.get(id)?.abort("cancelled"),
    onRefused,
    ready,
    onEnd: handleEnd,
    isCostly: handlers.isCostly ?? (() => false),
    room: handlers.room ?? (() => undefined),
  });

  function abortCalls(): void {
    for (const call of unanswered) call.abort("ended");
  }

  void connection.closed.then((info) => {
    isClosed = true;
    frames.stop();
    abortCalls();
    endWaiting(info.fault ?? peerEnded(connection.peer.label));
    tellEnded();
  });

  const answering: AnsweringConnection = {
    peer: connection.peer,
    notify,
    notifyBatch: (method, batch, members, lastMethod = method) =>
      connection.sendBatch(notificationBatch(method, batch, members, lastMethod)),
    writable: () => connection.writable(),
    ended,
    answered,
    takeNoMore: frames.stop,
    close: async (withinMs) => {
      // Order: no more input, then the answers under way, then the rest of the output, then the close.
      frames.stop();
      abortCalls();
      await nextTurn();
      await connection.close(undefined, withinMs);
    },
    closed: connection.closed,
    unref: () => connection.unref?.(),
  };
  // Ignores whether the peer takes more: a side that waits for that before it reads on, while the peer waits for its own answers, waits for ever.
  const ask = (message: object): void => void connection.send(encodeMessage(message));
  return { answering, ask };
}

/** A notification cannot be cancelled. */
const NEVER: AbortSignalLike = { aborted: false, reason: undefined, addEventListener: () => {} };

function peerEnded(label: string): Fault {
  return new Fault("peer_gone", `${label} has ended the connection. Connect again to go on.`);
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
