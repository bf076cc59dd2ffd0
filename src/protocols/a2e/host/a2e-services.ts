import type { AccessPolicy } from "../../../contracts/access.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Log } from "../../../contracts/log.js";
import type { Engine } from "../../../engine/engine.js";
import type { TextAudience } from "../../../engine/messages/localized-messages.js";
import type { MessageMaker } from "../messages/message.js";
import type { Router } from "../providers/router.js";
import type { PresentAgents } from "./present-agents.js";
import type { RequestRoom } from "./request-room.js";

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
  /** The agents that have a session now. */
  readonly agents: PresentAgents;
  readonly room: RequestRoom;
}

/** Most requests of one session that wait for a slot, and most UTF-16 units of them. */
export const MOST_WAITING_REQUESTS = 256;
export const MOST_WAITING_UNITS = 8 * 1024 * 1024;
