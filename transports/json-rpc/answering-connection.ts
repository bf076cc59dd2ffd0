// The answering side of a JSON-RPC 2.0 peer over any byte connection. Method names are plain strings here. A call is handled in the turn of the event
// loop in which it was read, and a synchronous answer is sent at once, so that nothing between an agent and its listeners waits without need.
// `vscode-jsonrpc` would handle one message a turn, and queue without a bound; it keeps the outgoing requests alone. Newline framing replaces raw
// line ends between tokens by spaces. Other framings carry an event's bytes unchanged (AAEP §8.2.1).
import { Fault, faultFrom } from "../../src/base/errors.js";
import type { JsonOutline } from "../../src/base/json-document.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { Log } from "../../src/contracts/log.js";
import type {
  AbortSignalLike,
  AnsweringConnection,
  RefusedCall,
  RpcCall,
  RpcHandlers,
} from "../../src/contracts/rpc.js";
import type { CloseInfo, Connection, FrameBatch, PeerIdentity } from "../../src/contracts/transport.js";
import { refusedHead } from "../framing/refusal.js";
import { CallSignal } from "./call-signal.js";
import { createIncomingParser, type Incoming, idFromHead, type RpcId } from "./incoming.js";
import { encodeMessage, notificationBatch } from "./outgoing.js";
import { rpcErrorFromFault } from "./status.js";

export type IncomingAnswer = Extract<Incoming, { readonly kind: "answer" }>["message"];
type IncomingCall = Extract<Incoming, { readonly kind: "call" }>;
type IncomingRefused = Extract<Incoming, { readonly kind: "refused" }>;

export interface RpcOptions {
  /** Most unanswered requests of the peer. At the limit reading pauses until one is answered. Default 4096. */
  readonly maxUnansweredRequests?: number;
  /** Whether the connection closes by itself when the peer has ended and every request of the peer is answered. Default true. */
  readonly closeAtEnd?: boolean;
  /** Receives unexpected failures of handlers, of which the peer learns only that there was one. Default: nowhere. */
  readonly log?: Log | undefined;
}

/** Callbacks for the requests that this side sends. */
export interface OwnRequestsEvents {
  /** Receives an answer to a request of this side. */
  readonly answered: (message: IncomingAnswer) => void;
  /** Reports that no answer can come any more. Called at least once. */
  readonly ended: (fault: Fault) => void;
}

const ASKS_NOTHING: OwnRequestsEvents = { answered: () => {}, ended: () => {} };

/** A request under way at a handler. Its signal is made when the handler asks for it: nearly none of a busy agent's calls does. */
class AnsweredCall implements RpcCall {
  readonly method: string;
  readonly params: unknown;
  readonly text: string;
  readonly outline: JsonOutline;
  private made: CallSignal | undefined;

  constructor({ method, params, text, outline }: IncomingCall) {
    this.method = method;
    this.params = params;
    this.text = text;
    this.outline = outline;
  }

  get signal(): CallSignal {
    this.made ??= new CallSignal();
    return this.made;
  }
}

/** The maker hands it the frames of `connection`, as a `FrameTaker`. */
export class AnsweringPeer implements AnsweringConnection {
  readonly ended: Promise<void>;
  private readonly connection: Connection<Uint8Array>;
  private readonly handlers: RpcHandlers;
  private readonly options: RpcOptions;
  private readonly own: OwnRequestsEvents;
  private readonly parse = createIncomingParser();
  private readonly tellEnded: () => void;
  /** Requests that handlers are still working on. */
  private readonly unanswered = new Set<AnsweredCall>();
  private readonly byId = new Map<string | number, AnsweredCall>();
  private areAnswersBlocked = false;
  /** True while a handler works on a notification: messages sent meanwhile are the answer to it (R3). */
  private answersNotification = false;
  private onAnswered: () => void = () => {};
  private isStopped = false;
  private isOver = false;
  private isClosed = false;

  constructor(
    connection: Connection<Uint8Array>,
    handlers: RpcHandlers,
    options: RpcOptions = {},
    own: OwnRequestsEvents = ASKS_NOTHING,
  ) {
    this.connection = connection;
    this.handlers = handlers;
    this.options = options;
    this.own = own;
    const { promise, resolve } = withResolvers();
    this.ended = promise;
    this.tellEnded = resolve;
    void connection.closed.then((info) => this.gone(info));
  }

  get peer(): PeerIdentity {
    return this.connection.peer;
  }

  get closed(): Promise<CloseInfo> {
    return this.connection.closed;
  }

  take(frame: Uint8Array): boolean {
    if (this.isStopped) return false;
    const incoming = this.parse(frame);
    switch (incoming.kind) {
      case "call":
        this.takeCall(incoming);
        return this.handlers.isCostly?.(incoming.method, incoming.params) === true;
      case "refused":
        this.takeRefused(incoming);
        return false;
      case "answer":
        this.own.answered(incoming.message);
        return false;
      case "cancellation":
        this.byId.get(incoming.id)?.signal.abort("cancelled");
        return false;
      case "ignored":
        return false;
    }
  }

  /** Reading pauses while the peer does not take its answers, or has too many unanswered requests. */
  room(): Promise<void> | undefined {
    if (this.areAnswersBlocked) {
      return this.connection.writable().then(() => {
        this.areAnswersBlocked = false;
      });
    }
    const { maxUnansweredRequests = 4096 } = this.options;
    if (this.unanswered.size >= maxUnansweredRequests && !this.isOver) return this.nextAnswer();
    return undefined;
  }

  noMore(fault: Fault | undefined): void {
    const head = fault === undefined ? undefined : refusedHead(fault);
    this.endWaiting(fault ?? peerEnded(this.peer.label));
    this.tellEnded();
    if (fault !== undefined && fault.code !== "peer_gone") {
      // The peer learns the reason before the connection closes (R33).
      this.refuse(head === undefined ? null : idFromHead(head), fault);
      void this.connection.close(fault);
    } else if (this.options.closeAtEnd !== false) void this.closeWhenAnswered();
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

  writable(): Promise<void> {
    return this.connection.writable();
  }

  async answered(): Promise<void> {
    while (this.unanswered.size > 0 && !this.isClosed) await this.nextAnswer();
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

  unref(): void {
    this.connection.unref?.();
  }

  private gone(info: CloseInfo): void {
    this.isClosed = true;
    this.takeNoMore();
    this.abortCalls();
    this.endWaiting(info.fault ?? peerEnded(this.peer.label));
    this.tellEnded();
  }

  private abortCalls(): void {
    for (const call of this.unanswered) call.signal.abort("ended");
  }

  private endWaiting(fault: Fault): void {
    this.isOver = true;
    this.own.ended(fault);
    this.onAnswered();
  }

  private async closeWhenAnswered(): Promise<void> {
    await this.answered();
    await nextTurn();
    await this.connection.close();
  }

  private nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.onAnswered;
      this.onAnswered = () => {
        before();
        resolve();
      };
    });
  }

  private takeCall(incoming: IncomingCall): void {
    const { id, method, params, text, outline } = incoming;
    if (id === undefined) {
      this.takeNotification({ method, params, text, outline, signal: NEVER });
      return;
    }
    const call = new AnsweredCall(incoming);
    let result: unknown;
    try {
      result = this.handlers.request(call);
    } catch (caught) {
      this.refuseCaught(id, method, caught);
      return;
    }
    if (isPromise(result)) void this.follow(result, id, call);
    else this.answer(id, method, result);
  }

  private takeNotification(call: RpcCall): void {
    this.answersNotification = true;
    try {
      this.handlers.notification(call);
    } catch (caught) {
      this.options.log?.error({ method: call.method, err: caught }, "a notification failed in an unexpected way");
    } finally {
      this.answersNotification = false;
    }
  }

  private async follow(result: PromiseLike<unknown>, id: string | number, call: AnsweredCall): Promise<void> {
    this.unanswered.add(call);
    this.byId.set(id, call);
    try {
      this.answer(id, call.method, await result);
    } catch (caught) {
      this.refuseCaught(id, call.method, caught);
    } finally {
      this.unanswered.delete(call);
      if (this.byId.get(id) === call) this.byId.delete(id);
      const told = this.onAnswered;
      this.onAnswered = () => {};
      told();
    }
  }

  private takeRefused({ id, fault, text, isNotification }: IncomingRefused): void {
    const answered = text === undefined ? undefined : this.refusedAnswer({ text, fault, isNotification });
    if (answered === undefined) this.refuse(id, fault);
    else if (id !== null) this.answer(id, "", answered.result);
  }

  private refusedAnswer(call: RefusedCall): ReturnType<NonNullable<RpcHandlers["refused"]>> {
    this.answersNotification = true;
    try {
      return this.handlers.refused?.(call);
    } catch (caught) {
      this.options.log?.error({ err: caught }, "a message that was refused failed in an unexpected way");
      return undefined;
    } finally {
      this.answersNotification = false;
    }
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

/** A notification cannot be cancelled. */
const NEVER: AbortSignalLike = { aborted: false, reason: undefined, addEventListener: () => {} };

function peerEnded(label: string): Fault {
  return new Fault("peer_gone", `${label} has ended the connection. Connect again to go on.`);
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
