// Everything that a daemon is made of: its configuration, and the parts that its starter supplies.
import type { IpcPlace } from "../../../transports/ipc/paths.js";
import type { Stdio } from "../../../transports/stdio/take-stdio.js";
import type { IdSource } from "../../base/ids.js";
import type { AccessPolicy } from "../../contracts/access.js";
import type { Audit } from "../../contracts/audit.js";
import type { Clock } from "../../contracts/clock.js";
import type { Message } from "../../protocols/aaep/json/message.js";
import type { Configuration } from "./config.js";
import type { LevelledLog } from "./reconfigure.js";

/** Options of a daemon to be started. */
export interface DaemonOptions extends Configuration {
  readonly log: LevelledLog;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly sha256Hex: (text: string) => string;
  readonly version: string;
  /** Identity of events whose agent named none (R2). Undefined if nobody chose one: such events are refused. */
  readonly declaredProducerId: string | undefined;
  /**
   * Most daemons of one name at a time. The sockets of the second daemon are `ID-2` and so on; one daemon more is refused with "address_in_use".
   * Default 16.
   */
  readonly mostInstances?: number;
  /** The descriptor of the local socket, if a service manager made it before this process (socket activation). */
  readonly inheritedSocket?: number | undefined;
  /** Receives questions, replies and outcomes. Default: the audit log that `audit` names. */
  readonly auditLog?: Audit;
  /** The rights of each connection (R36). Default: every connection belongs to the same user and may do everything. */
  readonly accessPolicy?: AccessPolicy;
  /** Decides where sockets, journal and audit log are by default. Default: this process's platform, environment and user. */
  readonly place?: IpcPlace;
  /** The parent's end of the conversation, if an agent spawned the daemon. */
  readonly stdio?: Pick<Stdio, "readable" | "writable" | "parentId">;
  /** The one protocol that the parent speaks. Default: the parent's first message selects it. */
  readonly stdioSpeaks?: "a2e";
  /** Whether the parent publishes a recorded session with its daemon's events, all taken as they are ("recorded"). Default false. */
  readonly playsRecording?: boolean;
  /** The manifest for subscribers while no agent declares that the daemon was started for it (R1). Default: the daemon's own. */
  readonly manifest?: Message;
}
