// A session after its handshake: the requests of its agent, each from the agent to a provider and back, and their end.
import type { Millis } from "../../../contracts/clock.js";
import { type CapabilityName, capabilityOf } from "../messages/capabilities.js";
import { type A2eMessage, namedTools, schemaFault } from "../messages/message.js";
import type { Mirror } from "../mirror/mirror.js";
import { type A2eServices, MOST_REQUEST_UNITS } from "../providers/a2e-services.js";
import type { Provider } from "../providers/router.js";
import { RelayedRequest, type RequestSession, requestNameOf } from "./relayed-request.js";

/** Members of a tool call: a person is asked about this one tool, and a yes is for one call. */
const ASKED_ABOUT: ReadonlySet<string> = new Set(["tool_name", "arguments"]);

/** An agent without a request under way for so long is told to be idle. Until then it may only be between two calls. */
const REST_AFTER_MS: Millis = 1000;
/** Most requests of one session that wait for a slot. */
const MOST_WAITING = 256;
/** UTF-16 units of the requests of one session, if it has several, so that others have room beside it. */
const MOST_UNITS = MOST_REQUEST_UNITS / 4;
/** UTF-16 units that each session may have where all of them have none left, so that no agent's large requests keep the small ones of others away. */
const ALWAYS_UNITS = 64 * 1024;

export interface OpenSessionOptions extends RequestSession {
  readonly capabilities: readonly CapabilityName[];
}

export class OpenSession {
  private readonly options: OpenSessionOptions;
  private readonly services: A2eServices;
  private readonly maxParallel: number;
  private readonly stopListening: () => void;
  /** Requests by the agent's id: at most `maxParallel` have begun and not ended, the others wait in order of arrival. */
  private readonly byId = new Map<string, RelayedRequest>();
  private readonly begun = new Set<RelayedRequest>();
  private readonly waiting = new Set<RelayedRequest>();
  /** UTF-16 units of all of them. */
  private units = 0;
  private isBeginning = false;
  private cancelDrain = (): void => {};
  private tellDrained: (() => void) | undefined;
  private cancelRest = (): void => {};
  private whyNotHeld: string | undefined;

  constructor(options: OpenSessionOptions, services: A2eServices) {
    const { capabilities, send } = options;
    const { router } = services;
    this.options = options;
    this.services = services;
    this.maxParallel = services.options.maxParallel();
    // A message that a provider sends to no request. It is for the agents that may use the provider.
    this.stopListening = router.listen((provider, text) => {
      if (capabilities.some((name) => router.holderOf(name)?.provider === provider)) send(text);
    });
  }

  get sessionId(): string {
    return this.options.sessionId;
  }

  /** Takes a message of the agent for a provider. */
  take(message: A2eMessage, text: string, requestId: string, type: string): void {
    const { capabilities, fail, may, mirror } = this.options;
    const capability = capabilityOf(type);
    if (capability !== undefined && !capabilities.includes(capability)) {
      fail("invalid_message", `The handshake did not grant ${capability}, which ${type} needs.`, requestId, {
        capability,
      });
      return;
    }
    const sentence = schemaFault(type, message);
    if (sentence !== undefined) fail("schema_violation", sentence, requestId, { capability });
    else if (!may("publish"))
      fail("unauthorized", "This connection may not make requests any more.", requestId, { capability });
    else if (this.isUnaskedCall(type, message))
      fail("invalid_message", "Call this tool by `tool_name` of tool/call/req: a person has to confirm it.", requestId);
    else if (type.endsWith("/req")) this.add(message, text, requestId, type, capability);
    else if (announced(mirror, type, this.newCallId())) this.providerOf(capability)?.passOn(text);
    else
      fail("runtime_error", "The message could not be announced, so it was not passed on.", requestId, { capability });
  }

  /** Calls `done` when no request is left. At `until` each that is left is answered by timeout. A later call replaces the time limit. */
  drain(until: Millis, done: () => void): void {
    this.tellDrained = done;
    this.cancelDrain();
    if (this.byId.size === 0) {
      this.drained();
      return;
    }
    this.cancelDrain = this.services.clock.wakeAt(until, () => {
      this.endAll(this.takeWaiting(), "The session shut down before this request began.");
      this.endAll([...this.begun], "The session shut down before this request was answered.");
    });
  }

  /** Ends the requests that still wait for a person, and lets no other wait. */
  endHeld(sentence: string): void {
    this.whyNotHeld = sentence;
    for (const request of this.begun) this.services.engine.inTurn(() => request.endIfHeld(sentence));
  }

  /** Ends the session. `isOrderly`: the agent or the daemon ended it, and the connection did not break. */
  close(isOrderly: boolean): void {
    const { mirror } = this.options;
    this.cancelDrain();
    this.tellDrained = undefined;
    for (const one of this.takeWaiting()) one.forget();
    const isHolding = [...this.begun].some((one) => one.isHeld());
    for (const one of this.begun) one.forget();
    this.byId.clear();
    this.count(-this.units);
    this.stopListening();
    const leave = (): void => {
      if (isOrderly) mirror.ended();
      mirror.close();
    };
    // The agent is there until its questions are taken back.
    if (isHolding) this.services.engine.inTurn(leave);
    else leave();
  }

  /** The provider of a type: that of its capability, or, for a type that A2E does not name, that of the session's first capability. */
  private providerOf(capability: CapabilityName | undefined): Provider | undefined {
    const name = capability ?? this.options.capabilities[0];
    return name === undefined ? undefined : this.services.router.holderOf(name)?.provider;
  }

  private newCallId(): string {
    return `call_${this.services.maker.newId()}`;
  }

  /** Whether a host could take the message for a call that nobody would be asked about: of another type, or by another member. */
  private isUnaskedCall(type: string, message: A2eMessage): boolean {
    const { isIrreversible } = this.services.options;
    for (const tool of namedTools(message, type === "tool/call/req" ? ASKED_ABOUT : undefined))
      if (isIrreversible(tool)) return true;
    return false;
  }

  private add(
    message: A2eMessage,
    text: string,
    id: string,
    type: string,
    capability: CapabilityName | undefined,
  ): void {
    const { fail } = this.options;
    const { room } = this.services;
    if (this.byId.has(id)) {
      fail("invalid_message", "A request with this id is under way. Give each request an id of its own.", id);
      return;
    }
    const units = this.units + text.length;
    const isRoom = units <= ALWAYS_UNITS || (room.isRoom(text.length) && (this.units === 0 || units <= MOST_UNITS));
    const isSlot = this.begun.size < this.maxParallel || this.waiting.size < MOST_WAITING;
    if (!isRoom || !isSlot) {
      fail("runtime_error", "Too many requests wait already. Send this one again later.", id, { capability });
      return;
    }
    const request = new RelayedRequest(
      { message, text, id, type },
      {
        ...this.options,
        by: this.services,
        callId: this.newCallId(),
        provider: () => this.providerOf(capability),
        whyNotHeld: () => this.whyNotHeld,
        ended: (one) => this.ended(one),
      },
    );
    this.cancelRest();
    this.byId.set(id, request);
    this.count(text.length);
    this.waiting.add(request);
    this.beginNext();
  }

  /** A request may end while it begins, and others may end then: a loop, so that however many fail at once take no stack. */
  private beginNext(): void {
    if (this.isBeginning) return;
    this.isBeginning = true;
    try {
      for (const request of this.waiting) {
        if (this.begun.size >= this.maxParallel) break;
        this.waiting.delete(request);
        this.begun.add(request);
        request.begin();
      }
    } finally {
      this.isBeginning = false;
    }
  }

  private ended(request: RelayedRequest): void {
    if (this.byId.delete(request.id)) this.count(-request.units);
    if (this.begun.delete(request)) this.beginNext();
    if (this.byId.size > 0) return;
    const { clock } = this.services;
    this.cancelRest = clock.wakeAt(clock.now() + REST_AFTER_MS, () => this.options.mirror.rested());
    this.drained();
  }

  private drained(): void {
    this.cancelDrain();
    const tell = this.tellDrained;
    this.tellDrained = undefined;
    tell?.();
  }

  private takeWaiting(): readonly RelayedRequest[] {
    const waiting = [...this.waiting];
    this.waiting.clear();
    return waiting;
  }

  private endAll(ending: readonly RelayedRequest[], sentence: string): void {
    for (const request of ending) this.services.engine.inTurn(() => request.end("timeout", sentence));
  }

  private count(units: number): void {
    this.units += units;
    this.services.room.add(units);
  }
}

/**
 * A message that needs no answer is heard as a call that is done. Returns false if it could not be announced: it is then not forwarded, because a
 * listener relies on hearing what an agent does.
 */
function announced(mirror: Mirror, type: string, callId: string): boolean {
  const name = requestNameOf(type);
  const call = { tool: name, name, callId, correlationId: undefined, arguments: undefined };
  try {
    mirror.called(call, false);
  } catch {
    return false;
  }
  mirror.completed(call);
  return true;
}
