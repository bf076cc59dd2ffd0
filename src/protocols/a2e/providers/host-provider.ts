// An A2E host that the daemon runs as a child, seen from the protocol: the daemon is its agent. It shakes hands for all capabilities, and passes
// requests.

import type { Fault } from "../../../base/errors.js";
import { idIn } from "../../../base/json-members.js";
import { isObject, textOf } from "../../../base/members.js";
import type { ExchangeHost } from "../../../contracts/exchange.js";
import type { Log } from "../../../contracts/log.js";
import { CAPABILITIES, isAvailable, isCapability, type ServedCapability } from "../messages/capabilities.js";
import { type A2eMessage, schemaFault } from "../messages/message.js";
import { type ProviderServices, ProviderSession } from "./provider-session.js";

export interface HostProviderOptions extends ProviderServices {
  readonly name: string;
  readonly priority: number;
  /** The capabilities that the daemon asks for; undefined: all. */
  readonly capabilities: readonly string[] | undefined;
  /** The token that the host wants. */
  readonly authToken: string;
  readonly log: Pick<Log, "info" | "warn" | "debug">;
  /** The host answered the handshake well. */
  readonly ready: () => void;
}

/** Seconds that a host has to drain at a stop. Its own agents give it three (A2E companion). */
const DRAIN_SECONDS = 3;

export class HostProvider extends ProviderSession {
  private readonly options: HostProviderOptions;
  private readonly handshakeId: string;
  private oddCount = 0;

  constructor(options: HostProviderOptions, host: ExchangeHost) {
    super(options, host, "The provider has ended. Try again later.");
    this.options = options;
    this.handshakeId = options.maker.newId();
    const agent_caps = options.capabilities ?? CAPABILITIES.filter(isAvailable);
    const { handshakeId: id } = this;
    this.say("handshake/req", { id, agent_id: "aaepd", agent_caps, auth_token: options.authToken }, true);
  }

  receive(message: unknown, text: string): void {
    if (!isObject(message) || typeof message.type !== "string") this.odd(text);
    else if (message.type === "handshake/resp") {
      if (!this.isOpen() && message.req_id === this.handshakeId) this.answered(message);
    } else if (!this.isOpen()) this.odd(text);
    else if (message.type !== "pong") this.takeNews(message, text);
  }

  refuse(fault: Fault, text: string | undefined): void {
    // The end of the connection is told by the process.
    if (fault.code === "peer_gone") return;
    const requestId = idIn(text, "req_id");
    if (requestId !== undefined) this.unreadable(requestId);
    // A message may have what nobody else is to see.
    this.odd(text === undefined || text.trimStart().startsWith("{") ? fault.sentence : text);
  }

  async finish(): Promise<void> {
    if (this.isOpen()) this.say("shutdown", { timeout: DRAIN_SECONDS }, true);
    this.leave();
  }

  private answered(message: A2eMessage): void {
    const { name, priority, log, ready } = this.options;
    const sentence = schemaFault("handshake/resp", message);
    const served = sentence === undefined ? servedIn(message) : [];
    if (sentence !== undefined)
      log.warn({ provider: name, reason: sentence }, "an A2E provider answered the handshake in a wrong form");
    else if (message.ok !== true)
      log.warn(
        { provider: name, reason: textOf(message.reason) || "no reason" },
        "an A2E provider rejected the handshake",
      );
    else if (served.length === 0) log.warn({ provider: name }, "an A2E provider serves none of the capabilities");
    else {
      const facts = { name, kind: "child", priority, capabilities: served } as const;
      this.serve(facts, Number(message.max_parallel), textOf(message.session_id));
      ready();
      return;
    }
    this.host.close();
  }

  /** Lines that are no messages, such as a log on standard output. The first is logged, the others counted. */
  private odd(what: string): void {
    const { name, log } = this.options;
    this.oddCount += 1;
    if (this.oddCount === 1)
      log.warn({ provider: name, what: what.slice(0, 200) }, "an A2E provider writes lines that are no messages");
  }
}

function servedIn({ accepted_caps: accepted }: A2eMessage): readonly ServedCapability[] {
  return (accepted as readonly A2eMessage[]).flatMap(({ capability, enabled, metadata }) =>
    isCapability(capability) && isAvailable(capability) && enabled === true
      ? [{ name: capability, metadata: metadata as A2eMessage }]
      : [],
  );
}
