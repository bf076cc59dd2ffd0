// A JSON-RPC 2.0 peer over any byte connection. Method names are plain strings here. A call is handled in the turn of the event loop in which it was
// read, and a synchronous answer is sent at once, so that nothing between an agent and its listeners waits without need. Newline framing replaces raw
// line ends between tokens by spaces. Other framings carry an event's bytes unchanged (AAEP §8.2.1).
import { Fault, faultFrom } from "../../src/base/errors.js";
import { type Resolvers, withResolvers } from "../../src/base/with-resolvers.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { Log } from "../../src/contracts/log.js";
import type { AnsweringConnection, RefusedCall, RpcConnection, RpcHandlers } from "../../src/contracts/rpc.js";
import type { CloseInfo, Connection, FrameBatch } from "../../src/contracts/transport.js";
import { refusedHead } from "../framing/refusal.js";
import {
  type IncomingAnswer,
  type IncomingCall,
  type IncomingRefused,
  idFromHead,
  type RpcId,
  readIncoming,
} from "./incoming.js";
import { encodeMessage, notificationBatch } from "./outgoing.js";
import { faultFromRpcError, rpcErrorFromFault } from "./status.js";

/** Most unanswered requests of the peer. At the limit reading pauses until one is answered. */
const MOST_UNANSWERED = 4096;

export interface RpcOptions {
  /** Whether the connection closes by itself when the peer has ended and every request of the peer is answered. Default true. */
  readonly closeAtEnd?: boolean;
  /** Receives unexpected failures of handlers, of which the peer learns only that there was one. Default: nowhere. */
  readonly log?: Log | undefined;
}

/** Takes over `connection` with its frames. Handlers are called after this function has returned. */
export function createRpcConnection(
  connection: Connection<Uint8Array>,
  handlers: RpcHandlers,
  options: RpcOptions = {},
): RpcConnection {
  const peer = new RpcPeer(connection, handlers, options);
  queueMicrotask(() => peer.readAll());
  return {
    peer: connection.peer,
    request: (method, params) => peer.request(method, params),
    notify: (method, params) => peer.notify(method, params),
    writable: () => connection.writable(),
    ended: peer.ended,
    close: (withinMs) => peer.close(withinMs),
    closed: connection.closed,
    unref: () => connection.unref?.(),
  };
}

/** Its owner hands it the frames of `connection`, as a `FrameTaker`, or calls `readAll`. */
export class RpcPeer implements AnsweringConnection {
  private readonly connection: Connection<Uint8Array>;
  private readonly handlers: RpcHandlers;
  private readonly options: RpcOptions;
  private readonly inputEnd = withResolvers();
  /** Requests that handlers are still working on. */
  private readonly unanswered = new Set<IncomingCall>();
  private nextAnswer: Resolvers<void> | undefined;
  /** Requests of this side, by their ids. */
  private readonly asked = new Map<number, Resolvers<unknown>>();
  private lastId = 0;
  /** True while a handler works on a notification: messages sent meanwhile are the answer to it (R3). */
  private answersNotification = false;
  private areAnswersBlocked = false;
  private isStopped = false;
  /** Why nothing of the peer follows. */
  private over: Fault | undefined;
  private isClosed = false;

  constructor(connection: Connection<Uint8Array>, handlers: RpcHandlers, options: RpcOptions = {}) {
    this.connection = connection;
    this.handlers = handlers;
    this.options = options;
    void connection.closed.then((info) => this.gone(info));
  }

  get ended(): Promise<void> {
    return this.inputEnd.promise;
  }

  take(frame: Uint8Array): void {
    if (this.isStopped) return;
    const incoming = readIncoming(frame);
    switch (incoming.kind) {
      case "call":
        this.takeCall(incoming);
        break;
      case "refused":
        this.takeRefused(incoming);
        break;
      case "answer":
        this.takeAnswer(incoming);
        break;
      case "cancellation":
        for (const call of this.unanswered) if (call.id === incoming.id) call.signal.abort("cancelled");
        break;
      case "ignored":
    }
  }

  /** Reading pauses while the peer does not take its answers, or has too many unanswered requests. */
  room(): Promise<void> | undefined {
    if (this.areAnswersBlocked) {
      return this.connection.writable().then(() => {
        this.areAnswersBlocked = false;
      });
    }
    if (this.unanswered.size >= MOST_UNANSWERED && this.over === undefined) return this.anAnswer();
    return this.handlers.room?.();
  }

  noMore(fault: Fault | undefined): void {
    this.endWaiting(fault);
    if (fault !== undefined && fault.code !== "peer_gone") {
      // The peer learns the reason before the connection closes (R33).
      const head = refusedHead(fault);
      this.refuse(head === undefined ? null : idFromHead(head), fault);
      void this.connection.close(fault);
    } else if (this.options.closeAtEnd !== false) void this.closeWhenAnswered();
  }

  /** Hands itself the frames of the connection, for a side that has no other peers. */
  readAll(): void {
    this.connection.read({
      take: (frame) => {
        this.take(frame);
        if (this.room() === undefined) return true;
        void this.readOn();
        return false;
      },
      end: (fault) => this.noMore(fault),
    });
  }

  /**
   * Sends, whether the peer takes more or not: a side that waits for that before it reads on, while its peer waits for answers, waits for ever.
   */
  async request(method: string, params: object): Promise<unknown> {
    if (this.over !== undefined) throw this.over;
    this.lastId += 1;
    const frame = encodeMessage({ jsonrpc: "2.0", id: this.lastId, method, params });
    const asked = withResolvers<unknown>();
    this.asked.set(this.lastId, asked);
    this.connection.send(frame);
    return asked.promise;
  }

  /**
   * For a message that is no answer, the sender heeds the result of `notify`. If reading waited for it as well, two peers could wait for each other.
   */
  notify(method: string, params: object): boolean {
    const taken = this.connection.send(encodeMessage({ jsonrpc: "2.0", method, params }));
    if (!taken && this.answersNotification) this.areAnswersBlocked = true;
    return taken;
  }

  notifyBatch(
    method: string,
    batch: FrameBatch<Uint8Array>,
    members?: Readonly<Record<string, string>>,
    lastMethod: string = method,
  ): boolean {
    return this.connection.sendBatch(notificationBatch(method, batch, members, lastMethod));
  }

  async answered(): Promise<void> {
    while (this.unanswered.size > 0 && !this.isClosed) await this.anAnswer();
  }

  takeNoMore(): void {
    this.isStopped = true;
  }

  /** Order: no more input, then the answers under way, then the rest of the output, then the close. */
  async close(withinMs?: Millis): Promise<void> {
    this.takeNoMore();
    this.abortCalls();
    await nextTurn();
    await this.connection.close(undefined, withinMs);
  }

  private async readOn(): Promise<void> {
    for (let room = this.room(); room !== undefined; room = this.room()) await room;
    this.connection.readOn();
  }

  private gone(info: CloseInfo): void {
    this.isClosed = true;
    this.takeNoMore();
    this.abortCalls();
    this.endWaiting(info.fault);
  }

  private abortCalls(): void {
    for (const call of this.unanswered) call.signal.abort("ended");
  }

  /** Nothing of the peer follows. For waiting requests of this side the peer is gone, whatever fault ended the connection. */
  private endWaiting(fault: Fault | undefined): void {
    this.over ??= peerGone(fault, this.connection.peer.label);
    for (const { reject } of this.asked.values()) reject(this.over);
    this.asked.clear();
    this.tellAnswered();
    this.inputEnd.resolve();
  }

  private async closeWhenAnswered(): Promise<void> {
    await this.answered();
    await nextTurn();
    await this.connection.close();
  }

  private anAnswer(): Promise<void> {
    this.nextAnswer ??= withResolvers();
    return this.nextAnswer.promise;
  }

  private tellAnswered(): void {
    this.nextAnswer?.resolve();
    this.nextAnswer = undefined;
  }

  private takeCall(call: IncomingCall): void {
    const { id } = call;
    if (id === undefined) {
      this.answering(() => this.handlers.notification(call));
      return;
    }
    let result: unknown;
    try {
      result = this.handlers.request(call);
    } catch (caught) {
      this.refuseCaught(id, call.method, caught);
      return;
    }
    if (isPromise(result)) void this.follow(result, id, call);
    else this.answer(id, call.method, result);
  }

  /** Calls a handler for a message that has no answer of its own. */
  private answering<Result>(handle: () => Result): Result | undefined {
    this.answersNotification = true;
    try {
      return handle();
    } catch (caught) {
      this.options.log?.error({ err: caught }, "a message without an answer failed in an unexpected way");
      return undefined;
    } finally {
      this.answersNotification = false;
    }
  }

  private async follow(result: PromiseLike<unknown>, id: string | number, call: IncomingCall): Promise<void> {
    this.unanswered.add(call);
    try {
      this.answer(id, call.method, await result);
    } catch (caught) {
      this.refuseCaught(id, call.method, caught);
    } finally {
      this.unanswered.delete(call);
      this.tellAnswered();
    }
  }

  private takeRefused({ id, fault, text, isNotification }: IncomingRefused): void {
    const call: RefusedCall | undefined = text === undefined ? undefined : { text, fault, isNotification };
    const answered = call && this.answering(() => this.handlers.refused?.(call));
    if (answered === undefined) this.refuse(id, fault);
    else if (id !== null) this.answer(id, "", answered.result);
  }

  private takeAnswer({ id, result, error }: IncomingAnswer): void {
    const asked = typeof id === "number" ? this.asked.get(id) : undefined;
    if (asked === undefined || typeof id !== "number") return;
    this.asked.delete(id);
    if (error === undefined) asked.resolve(result);
    else asked.reject(faultFromRpcError(error));
  }

  private answer(id: RpcId, method: string, result: unknown): void {
    try {
      this.send({ jsonrpc: "2.0", id, result: result === undefined ? null : result });
    } catch (caught) {
      this.refuseCaught(id, method, caught);
    }
  }

  private refuse(id: RpcId, fault: Fault): void {
    this.send({ jsonrpc: "2.0", id, error: rpcErrorFromFault(fault) });
  }

  private send(message: object): void {
    if (!this.connection.send(encodeMessage(message))) this.areAnswersBlocked = true;
  }

  /** Refuses a request whose handler threw, or whose result could not be written. */
  private refuseCaught(id: RpcId, method: string, caught: unknown): void {
    const { code, cause } = faultFrom(caught);
    // An internal fault may say what only the log is to be told (R20).
    if (caught instanceof Fault && code !== "internal") {
      this.refuse(id, caught);
      return;
    }
    this.options.log?.error({ method, cause }, "a request failed in an unexpected way");
    const sentence = "The request failed for a reason of the receiver's own. Its log says more.";
    this.refuse(id, new Fault("internal", sentence));
  }
}

function peerGone(fault: Fault | undefined, label: string): Fault {
  if (fault?.code === "peer_gone") return fault;
  const sentence = fault?.sentence ?? `${label} has ended the connection. Connect again to go on.`;
  return new Fault("peer_gone", sentence, { cause: fault });
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Resolves after the current turn of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
