import type { Command } from "commander";
import type { Stdio } from "../../../transports/stdio/take-stdio.js";
import type { DaemonOptions } from "../../daemon/config/daemon-options.js";
import type { Daemon } from "../../daemon/daemon.js";
import type { CommandIo } from "../terminal/command-io.js";

/** The context that main passes to commands. */
export interface CommandContext {
  readonly io: CommandIo;
  /** The process's own streams. Output of any other code goes to standard error by now. */
  readonly stdio: Stdio;
  /** Loads the daemon when one is about to start. */
  readonly loadDaemon: () => Promise<(options: DaemonOptions) => Promise<Daemon>>;
  /** Loads the whole command line, for commands that describe it. */
  readonly loadProgram: () => Promise<Command>;
}
