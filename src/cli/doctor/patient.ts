// Everything that an examination looks at.
import type { IpcPlace } from "../../../transports/ipc/paths.js";
import type { PeerUserSource } from "../../../transports/ipc/peer-user.js";
import type { Configuration } from "../../daemon/config/config.js";
import type { DaemonStatus } from "../../daemon/status/daemon-status.js";
import type { CommandIo } from "../terminal/command-io.js";

/** Figures of a file system. */
export interface DiskFacts {
  readonly freeBytes: number;
  /** Undefined if the file system does not count its files. */
  readonly freeFiles: number | undefined;
  /** The magic number of the file system. */
  readonly type: number;
}

export interface Patient {
  readonly io: Pick<CommandIo, "environment" | "daemonDirectories" | "clock">;
  readonly place: IpcPlace;
  readonly configuration: Configuration;
  /** The version of this package. */
  readonly version: string;
  /** The version of Node that runs this command, as in "20.19.0". */
  readonly nodeVersion: string;
  /** Running daemons that have answered. */
  readonly daemons: readonly { readonly socketPath: string; readonly status: DaemonStatus }[];
  /** Whether the kernel is asked who listens at a socket. */
  readonly peerUserSource: () => PeerUserSource;
  /** Returns undefined if the system does not tell. */
  readonly diskFacts: (directory: string) => DiskFacts | undefined;
}
