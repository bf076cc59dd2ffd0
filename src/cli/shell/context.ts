import type { Stdio } from "../../../transports/stdio/take-stdio.js";
import type { DaemonOptions } from "../../daemon/config/daemon-options.js";
import type { Daemon } from "../../daemon/daemon.js";

/** What main hands to the commands that run a daemon. */
export interface CommandContext {
  /** The process's own streams. What anything else prints by now reaches standard error. */
  readonly stdio: Stdio;
  /** Loads the daemon only when one is about to start. */
  readonly loadDaemon: () => Promise<(options: DaemonOptions) => Promise<Daemon>>;
}
