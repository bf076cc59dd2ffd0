// AAEP in JSON-RPC 2.0: the agent's side, and the subscriber's (AAEP app. B, R8, R23, R28, R33). This file knows method names and params; ids, error
// numbers and bytes belong to the transport.
import { Fault, publicFault } from "../../../base/errors.js";
import { foreignProtocol } from "../../../base/foreign-protocol.js";
import { membersOf } from "../../../base/members.js";
import { didYouMean } from "../../../base/nearest.js";
import type { Access, AccessPolicy } from "../../../contracts/access.js";
import type { CallHost, CallProtocol, CallSession } from "../../../contracts/call-protocol.js";
import type { Millis } from "../../../contracts/clock.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { RefusedCall, RpcCall } from "../../../contracts/rpc.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { Producer, QuestionKind } from "../../../engine/event/event.js";
import { outcomeFields } from "../../../engine/questions/question-result.js";
import { AGENT_NEWS, acknowledged, agentEvents, takenOver } from "../agent/agent-documents.js";
import { AgentHandler } from "../agent/agent-handler.js";
import { claimsOfCall } from "../json/claims.js";
import type { Message } from "../json/message.js";
import { quoted } from "../subscriber/notes.js";
import type { SpokenLanguages } from "../subscriber/spoken-languages.js";
import { SUBSCRIBER_CALLS } from "../subscriber/subscriber-calls.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";
import type { SubscriptionHandlerServices } from "../subscriber/subscription-handler.js";
import type { RpcNotification } from "./message-names.js";
import { RpcSubscriptions } from "./rpc-subscriptions.js";

/** The connection of a call. It is the same object for each call. */
export interface Caller {
  /** Calls a function at the end of the caller's input, unless the returned function cancels that. */
  readonly whenLeft: (run: () => void) => () => void;
  /** Undefined if the platform does not tell (R5d). */
  readonly processId: number | undefined;
}

/** The services of the daemon for sessions of JSON-RPC. */
export interface RpcServices extends SubscriptionHandlerServices {
  readonly access: AccessPolicy;
  readonly languages: SpokenLanguages;
  /** The daemon's current manifest. */
  readonly manifest: () => Message;
  /** Receives each manifest that an agent declares: identity, languages and extensions. */
  readonly manifestDeclared: (manifest: Message, peer: PeerIdentity) => void;
  /**
   * Returns the status of the daemon, the result of `aaepd.status`. Throws, or rejects with, a Fault if `access` forbids it, and for wrong params.
   */
  readonly status: (params: unknown, access: Access) => Message | Promise<Message>;
  /**
   * Takes one message of an agent's host, the params of `aaepd.hook`, and returns its result (R8c). Rejects with a Fault if `access` forbids it, and
   * for wrong params.
   */
  readonly hook: (params: unknown, access: Access, caller: Caller) => Promise<object>;
  /**
   * Takes what a relay has done since its start, the params of `aaepd.relay`. It is in the status while the caller is there (R38). Throws a Fault if
   * `access` forbids it, and for wrong params.
   */
  readonly relay: (params: unknown, access: Access, caller: Caller) => void;
  /** Identity of the events on this connection if its agent declares none. */
  readonly agentIdentity: Producer | undefined;
}

interface Method {
  readonly run: (session: RpcSession, call: RpcCall) => unknown;
  /** Whether the call is useless, or must not have an effect, if the caller does not receive the answer (AAEP §5.1, §5.7). */
  readonly needsAnswer?: boolean | undefined;
}

/** The methods that a peer calls (AAEP app. B). `aaepd.skip`, which is a message of plain streams, is a second name of `aaep.skip`. */
const METHODS: ReadonlyMap<string, Method> = new Map([
  ["aaep.publish", { run: (session, call) => session.publishAnswered(call) }],
  ["aaep.confirm", { run: (session, call) => session.ask("confirmation", call), needsAnswer: true }],
  ["aaep.clarify", { run: (session, call) => session.ask("clarification", call), needsAnswer: true }],
  ["aaep.cancel", { run: (session, { params }) => session.cancel(params) }],
  ["aaep.outcome_of", { run: (session, { params }) => session.outcomeOf(params), needsAnswer: true }],
  ["aaep.set_manifest", { run: (session, { params }) => session.setManifest(params) }],
  ["aaep.resume_session", { run: (session, { params }) => session.resume(params), needsAnswer: true }],
  ["aaep.subscribe", { run: ({ subscriptions }, { params }) => subscriptions.subscribe(params), needsAnswer: true }],
  ...SUBSCRIBER_CALLS.map((listed): [string, Method] => [
    listed.rpc,
    {
      run: ({ subscriptions }, { params }) => answered(subscriptions.take(listed, params)),
      needsAnswer: listed.needsAnswer,
    },
  ]),
  ["aaep.reply", { run: (session, call) => session.reply(call) }],
  ["aaep.close", { run: ({ subscriptions }, { params }) => subscriptions.close(params) }],
  ["aaep.ping", { run: ({ subscriptions }, { params }) => subscriptions.ping(params) }],
  ["aaep.manifest", { run: ({ services }) => services.manifest(), needsAnswer: true }],
  [
    "aaepd.hook",
    { run: ({ services, access, caller }, { params }) => services.hook(params, access, caller), needsAnswer: true },
  ],
  [
    "aaepd.relay",
    {
      run: ({ services, access, caller }, { params }) => {
        services.relay(params, access, caller);
        return {};
      },
    },
  ],
  ["aaepd.status", { run: ({ services, access }, { params }) => services.status(params, access), needsAnswer: true }],
] satisfies readonly [string, Method][]);

export const RPC_METHODS: readonly string[] = [...METHODS.keys()];

function methodOf(name: string): Method | undefined {
  return METHODS.get(name) ?? (name === "aaepd.skip" ? METHODS.get("aaep.skip") : undefined);
}

/** The protocol of a peer whose first message is JSON-RPC 2.0. */
export function createRpcProtocol(services: RpcServices): CallProtocol {
  return {
    recognizes: ({ kind, names }) => kind === "array" || names.has("jsonrpc"),
    open: (peer, host) => new RpcSession(services, peer, host),
  };
}

class RpcSession implements CallSession {
  readonly services: RpcServices;
  readonly access: Access;
  readonly subscriptions: RpcSubscriptions;
  readonly caller: Caller;
  private readonly host: CallHost;
  private readonly agent: AgentHandler;
  private readonly waiting = new Set<() => void>();
  private hasCalled = false;

  constructor(services: RpcServices, peer: PeerIdentity, host: CallHost) {
    this.services = services;
    this.host = host;
    this.access = services.access.of(peer);
    this.caller = {
      whenLeft: (run) => {
        this.waiting.add(run);
        return () => this.waiting.delete(run);
      },
      processId: peer.processId,
    };
    // Identifies the connection: a connection that asks a question does not answer it (R5).
    const connection = {};
    this.subscriptions = new RpcSubscriptions(services, host, { access: this.access, connection, peer });
    this.agent = new AgentHandler({
      engine: services.engine,
      access: this.access,
      identity: services.agentIdentity,
      events: agentEvents((field, news) => this.notify(AGENT_NEWS[field], news)),
      connection,
      processId: peer.processId,
      languages: services.languages,
      manifestDeclared: (manifest) => services.manifestDeclared(manifest, peer),
    });
  }

  isOpen(): boolean {
    return this.hasCalled;
  }

  request(call: RpcCall): unknown {
    this.hasCalled = true;
    const method = methodOf(call.method);
    if (method === undefined) throw unknownMethod(call);
    return method.run(this, call);
  }

  notification(call: RpcCall): void {
    const { method: name } = call;
    try {
      if (methodOf(name)?.needsAnswer === true) throw unanswerable(name);
      this.hasCalled = true;
      // Nobody waits for the answer, so the durability is not awaited either.
      const result = name === "aaep.publish" ? this.publish(call) : this.request(call);
      if (result instanceof Promise) result.catch((caught) => this.tellFault(caught, name));
    } catch (caught) {
      this.tellFault(caught, name);
    }
  }

  /** Answers a message that cannot be taken: a reply did not count, and a close closes if its subscription is clear. */
  refused({ text, fault, isNotification }: RefusedCall): { readonly result: unknown } | undefined {
    const { methods, subscriptionIds, replyToken } = claimsOfCall(text);
    const [method] = methods;
    if (methods.includes("aaep.reply")) {
      this.subscriptions.refuseReply(subscriptionIds[0], replyToken, text);
      return { result: { accepted: false } };
    }
    const isClose = method !== undefined && methods.every((one) => one === "aaep.close");
    const closed = isClose ? this.subscriptions.closeMeant(subscriptionIds) : undefined;
    if (closed !== undefined) return { result: closed };
    if (methods.includes("aaep.publish")) this.services.engine.publishRefused(fault.code);
    if (!isNotification || typeof method !== "string") return undefined;
    // The error goes out as a notification of its own, because this message has no id for a result (R3).
    this.tellFault(fault, method);
    return { result: undefined };
  }

  room(): Promise<void> | undefined {
    return this.agent.room();
  }

  publish({ params, text, outline }: RpcCall): PublishReceipt | Promise<PublishReceipt> {
    if (typeof params !== "object" || params === null)
      throw new Fault("invalid_params", "Publish one event, or an array of them.", { pointer: "", rule: "R33" });
    const long = longForm(params);
    const published = long?.events ?? params;
    const isArray = Array.isArray(published);
    const message = { text, outline, isLong: long !== undefined };
    return this.agent.publish(isArray ? published : [published], isArray, long?.resumeToken, message);
  }

  publishAnswered(call: RpcCall): Message | Promise<Message> {
    return acknowledged(this.publish(call));
  }

  /** The params are the fields of the awaiting event, with `session_id` (AAEP §6.1). */
  ask(kind: QuestionKind, { params, signal }: RpcCall): Promise<Message> {
    return this.agent.ask(kind, params, { signal }).then(outcomeFields);
  }

  cancel(params: unknown): Message | Promise<Message> {
    const cancelled = this.agent.cancel(tokenIn(params), params as Message);
    return typeof cancelled === "boolean" ? { cancelled } : cancelled.then((was) => ({ cancelled: was }));
  }

  outcomeOf(params: unknown): Message {
    const token = tokenIn(params);
    const outcome = this.agent.outcomeOf(token, resumeTokenIn(params as Message));
    return outcome === "open"
      ? { state: "open", reply_token: token }
      : { state: "resolved", ...outcomeFields(outcome) };
  }

  setManifest(params: unknown): Message {
    this.agent.setManifest(params);
    return {};
  }

  resume(params: unknown): Message | Promise<Message> {
    return takenOver(this.agent.resumeSession(params), (params as Message).after);
  }

  reply(call: RpcCall): Message | Promise<Message> {
    const counts = this.subscriptions.reply(call);
    return typeof counts === "boolean" ? { accepted: counts } : counts.then((accepted) => ({ accepted }));
  }

  agentEnded(): void {
    for (const run of [...this.waiting]) run();
    this.agent.close();
  }

  ended(reason?: EndReason): void {
    // In this order: an agent without sessions would make its own subscriptions able to answer, until each of them is gone as well (R5, R7).
    this.subscriptions.endAll(reason);
    this.agentEnded();
    if (reason === "handshake_timeout") this.services.engine.refused(reason);
  }

  finish(reason: EndReason, until: Millis | undefined): Promise<number> {
    return this.subscriptions.finish(reason, until);
  }

  private notify(method: RpcNotification, params: object): void {
    this.host.notify(method, params);
  }

  private tellFault(caught: unknown, method: string): void {
    const { type: _, ...error } = errorMessage(publicFault(caught, this.services.log), method);
    this.notify("aaep.error", error);
  }
}

interface LongForm {
  readonly events: readonly unknown[];
  readonly resumeToken: string | undefined;
}

/**
 * The params of a publish with a token (R8): exactly `events` and optionally `resume_token`. An event has a `type`, so it is never mistaken for this
 * form.
 */
function longForm(params: object): LongForm | undefined {
  if (!("events" in params) || !Array.isArray(params.events)) return undefined;
  if (Object.keys(params).some((name) => name !== "events" && name !== "resume_token")) return undefined;
  return { events: params.events, resumeToken: resumeTokenIn(params as Message) };
}

function resumeTokenIn({ resume_token: token }: Message): string | undefined {
  if (token === undefined || typeof token === "string") return token;
  const sentence = "`resume_token` must be the string that session.started was answered with.";
  throw new Fault("invalid_params", sentence, { pointer: "/resume_token", rule: "R8" });
}

function tokenIn(params: unknown): string {
  const { reply_token: token } = membersOf(params);
  if (typeof token === "string") return token;
  throw new Fault("invalid_params", "Name the question by its reply_token.", { pointer: "/reply_token", rule: "R33" });
}

function unanswerable(method: string): Fault {
  const sentence = `Call ${method} as a request, with an id; nobody would hear its answer.`;
  return new Fault("invalid_message", sentence, { pointer: "/id", rule: "R33" });
}

function unknownMethod({ method, params }: RpcCall): Fault {
  const foreign = foreignProtocol(method, params);
  if (foreign !== undefined) return new Fault("unknown_method", foreign, { rule: "AAEP app. B" });
  const sentence = `There is no method ${quoted(method)}. ${didYouMean(method, RPC_METHODS)}`.trim();
  return new Fault("unknown_method", sentence, { rule: "AAEP app. B" });
}

/** The result of a subscriber's call that has no answer is empty. */
function answered(taken: Message | Promise<void> | undefined): Message | Promise<Message> {
  return taken instanceof Promise ? taken.then(() => ({})) : (taken ?? {});
}
