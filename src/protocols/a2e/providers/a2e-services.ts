// The services of the daemon for sessions of A2E, and who may begin one.
import type { SharedRoom } from "../../../base/shared-room.js";
import type { AccessPolicy } from "../../../contracts/access.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Log } from "../../../contracts/log.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { Engine } from "../../../engine/engine.js";
import type { TextAudience } from "../../../engine/messages/messages.js";
import type { MessageMaker } from "../messages/message.js";
import type { Router } from "./router.js";

/** Choices of the configuration. Each is read at its use. */
export interface A2eOptions {
  /** The token that agents and registering peers have to show; undefined: any is accepted. Over TCP the transport has checked one already. */
  readonly authToken: () => string | undefined;
  /** Requests of one session that may be under way, 1 to 256. */
  readonly maxParallel: () => number;
  /**
   * Whether a person has to confirm the calls of a tool, by its name as an agent writes it. A value that is no text counts as such a tool, if there
   * are any.
   */
  readonly isIrreversible: (tool: unknown) => boolean;
  /** Names of arguments that texts may show. */
  readonly shownArguments: () => ReadonlySet<string>;
  /** How long a person has to answer, s. */
  readonly confirmationSeconds: () => number;
  /** Time limit of a request that names none, ms. */
  readonly requestTimeoutMs: () => Millis;
}

export interface A2eServices {
  readonly engine: Pick<Engine, "openAgent" | "refused" | "inTurn">;
  readonly access: AccessPolicy;
  readonly router: Router;
  readonly maker: MessageMaker;
  readonly clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">;
  readonly log: Pick<Log, "warn" | "error" | "debug">;
  /** Audience of the daemon's texts. */
  readonly texts: TextAudience;
  readonly options: A2eOptions;
  /** Resolves when the providers of the configuration are ready, or have failed to be; undefined if that is so. */
  readonly providersReady: () => Promise<void> | undefined;
  readonly agents: PresentAgents;
  /** Of the requests of all agents until they have ended, in UTF-16 units. A call that waits for a person keeps its whole text as long. */
  readonly room: SharedRoom;
}

/** Most UTF-16 units of the requests of all sessions together. */
export const MOST_REQUEST_UNITS = 32 * 1024 * 1024;

/** The agents that have a session now. */
export class PresentAgents {
  private readonly sessions = new Set<object>();
  private waiting: (() => void)[] = [];

  add(session: object): void {
    this.sessions.add(session);
  }

  delete(session: object): void {
    this.sessions.delete(session);
    if (this.sessions.size === 0) for (const tell of this.waiting.splice(0)) tell();
  }

  count(): number {
    return this.sessions.size;
  }

  /** Resolves when no agent has a session. */
  async allLeft(): Promise<void> {
    if (this.sessions.size > 0) await new Promise<void>((resolve) => void this.waiting.push(resolve));
  }
}

/** Whether a peer may begin, an agent with its handshake, a provider with its registration: over TCP its transport has checked a token. */
export function isAuthorized(
  shown: unknown,
  { trust }: PeerIdentity,
  { authToken }: Pick<A2eOptions, "authToken">,
): boolean {
  const wanted = authToken();
  return wanted === undefined || trust === "token-holder" || isToken(shown, wanted);
}

/** Whether a shown token is the wanted one. The time of the comparison depends on the lengths alone. */
function isToken(shown: unknown, wanted: string): boolean {
  if (typeof shown !== "string" || shown.length !== wanted.length) return false;
  let difference = 0;
  for (let index = 0; index < wanted.length; index += 1)
    difference |= shown.charCodeAt(index) ^ wanted.charCodeAt(index);
  return difference === 0;
}
