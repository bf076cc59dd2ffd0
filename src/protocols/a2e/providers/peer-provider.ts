// A peer that registers as a provider: for it the daemon is the agent of all agents.

import type { Fault } from "../../../base/errors.js";
import { idIn } from "../../../base/json-members.js";
import { isObject } from "../../../base/members.js";
import { within } from "../../../base/time-limit.js";
import type { Access } from "../../../contracts/access.js";
import type { Millis } from "../../../contracts/clock.js";
import type { ExchangeHost } from "../../../contracts/exchange.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import { type CapabilityName, isAvailable } from "../messages/capabilities.js";
import { codeOfFrame, type ErrorCode, errorFields } from "../messages/error-codes.js";
import { REGISTER } from "../messages/first-types.js";
import { type A2eMessage, isId, schemaFault, versionIn } from "../messages/message.js";
import { type A2eServices, isAuthorized } from "./a2e-services.js";
import { ProviderSession } from "./provider-session.js";

/** Requests that a peer takes at a time if it does not say how many. */
const MOST_REQUESTS = 256;

export class PeerProvider extends ProviderSession {
  private readonly services: A2eServices;
  private readonly peer: PeerIdentity;
  private readonly access: Access;
  private readonly startedAt: Millis;

  constructor(services: A2eServices, peer: PeerIdentity, host: ExchangeHost) {
    super(services, host, "The provider has gone. Try again later.");
    this.services = services;
    this.peer = peer;
    this.access = services.access.of(peer);
    this.startedAt = services.clock.now();
  }

  receive(message: unknown, text: string): void {
    if (!isObject(message) || typeof message.type !== "string") {
      this.fail("invalid_message", "Send objects with a `type`.", isObject(message) ? message.id : undefined);
      return;
    }
    const { type, id } = message;
    if (type === REGISTER) {
      if (isId(id)) this.register(message, id);
      else this.fail("invalid_message", "Give each message an `id` of 1 to 256 characters.", undefined);
    } else if (versionIn(message) === "other") {
      this.fail("version_mismatch", "This daemon speaks A2E 1.", id);
    } else if (type === "ping") {
      const uptime_seconds = (this.services.clock.now() - this.startedAt) / 1000;
      this.tell("pong", { ...(isId(id) ? { req_id: id } : {}), uptime_seconds });
    } else if (type === "shutdown") {
      this.inputEnded();
    } else if (!this.isOpen()) {
      this.fail("unauthorized", "Send aaepd.a2e.register first.", id);
    } else if (type.endsWith("/req")) {
      this.fail("invalid_message", `A provider answers requests; ${type} is one.`, id);
    } else this.takeNews(message, text);
  }

  refuse(fault: Fault, text: string | undefined): void {
    this.fail(codeOfFrame(fault), fault.sentence, idIn(text));
    const requestId = idIn(text, "req_id");
    if (requestId !== undefined) this.unreadable(requestId);
  }

  async finish(reason: EndReason, until: Millis): Promise<void> {
    const { engine, agents, clock } = this.services;
    if (reason === "handshake_timeout") engine.refused(reason);
    else if (this.isOpen()) {
      // The agents end first, because the provider still has their requests.
      await within(until, agents.allLeft(), clock);
      this.tell("shutdown", { timeout: 0 });
    }
    this.leave();
  }

  private register(message: A2eMessage, requestId: string): void {
    const sentence = schemaFault(REGISTER, message);
    if (sentence !== undefined) {
      this.fail("schema_violation", sentence, requestId);
      return;
    }
    if (!this.access.may("provide") || !isAuthorized(message.auth_token, this.peer, this.services.options)) {
      this.fail("unauthorized", "Register with the `auth_token` of the daemon's configuration.", requestId);
      return;
    }
    const names = [...new Set(message.capabilities as readonly CapabilityName[])].filter(isAvailable);
    if (names.length === 0) {
      this.fail("invalid_message", "Register at least one capability. multi_agent is never available.", requestId);
      return;
    }
    const name = typeof message.name === "string" ? message.name : this.peer.label;
    const priority = typeof message.priority === "number" ? message.priority : 0;
    const maxParallel = typeof message.max_parallel === "number" ? message.max_parallel : MOST_REQUESTS;
    const capabilities = names.map((one) => ({ name: one, metadata: {} }));
    this.serve({ name, kind: "peer", priority, capabilities }, maxParallel, undefined);
    this.tell("aaepd.a2e.registered", { req_id: requestId, name, capabilities: names });
  }

  private fail(code: ErrorCode, sentence: string, requestId: unknown): void {
    this.tell("error", errorFields(code, sentence, isId(requestId) ? requestId : undefined));
  }

  /** A provider that takes nothing while it goes on asking gets no answer any more, so that what waits for it stays bounded. */
  private tell(type: string, fields: A2eMessage): void {
    this.say(type, fields, false);
  }
}
