// The services of the daemon for sessions of JSON-RPC. Types only.
import type { Access, AccessPolicy } from "../../../contracts/access.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { Producer } from "../../../engine/event/event.js";
import type { Message } from "../json/message.js";
import type { SpokenLanguages } from "../subscriber/spoken-languages.js";
import type { SubscriptionHandlerServices } from "../subscriber/subscription-handler.js";

/** A process that a host has started for its hook. */
export interface HookCaller {
  /** Calls a function at the end of the caller's input, unless the returned function cancels that. */
  readonly whenLeft: (run: () => void) => () => void;
  /** Undefined if the platform does not tell (R5d). */
  readonly processId: number | undefined;
}

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
  readonly hook: (params: unknown, access: Access, caller: HookCaller) => Promise<object>;
  /** Identity of the events on this connection if its agent declares none. */
  readonly agentIdentity: Producer | undefined;
}
