// All that a daemon is made of: its configuration, and the things that whoever starts it brings along.
import type { Stdio } from "../../../transports/stdio/take-stdio.js";
import type { IdSource } from "../../base/ids.js";
import type { AccessPolicy } from "../../contracts/access.js";
import type { Audit } from "../../contracts/audit.js";
import type { Clock } from "../../contracts/clock.js";
import type { Engine } from "../../engine/engine.js";
import type { Message } from "../../protocols/aaep/json/message.js";
import type { Configuration } from "./config.js";
import type { LevelledLog } from "./reconfigure.js";

/** Of a daemon that is to be started. */
export interface DaemonOptions extends Configuration {
  readonly log: LevelledLog;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly sha256Hex: (text: string) => string;
  readonly version: string;
  /** Identity of events whose agent named none (R2); undefined where nobody chose one: such events are refused. */
  readonly declaredProducerId: string | undefined;
  /**
   * Daemons of one name that may run at a time. Of several, the sockets of the second are `ID-2` and so on; a further one is refused with
   * "address_in_use". Default 16.
   */
  readonly mostInstances?: number;
  /** Where questions, replies and outcomes are recorded. Default what `audit` says. */
  readonly auditLog?: Audit;
  /** Which connection may do what (R36). Default: every connection is the same user's, and may do everything. */
  readonly accessPolicy?: AccessPolicy;
  /** The parent's end of the conversation, where the daemon was spawned by an agent. */
  readonly stdio?: Pick<Stdio, "readable" | "writable">;
  /** In place of an engine of its own; closed when the daemon has stopped. */
  readonly engine?: Engine;
  /** Who the daemon is to subscribers, as long as no agent says that it was started for it (R1). Default itself. */
  readonly manifest?: Message;
}
