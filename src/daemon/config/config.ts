// The configuration of a daemon, complete: every value has a default, and each keeps where it came from. What may be set, and how, is the
// table in config-schema.ts; files, variables and flags are read in config-sources.ts.
import type { JournalPolicy } from "../../contracts/journal.js";
import type { ServiceAddress } from "../../contracts/service.js";
import type { LogLevel } from "../platform/log.js";

/** Where the local socket is. */
export type SocketChoice =
  /** `<producer id>.sock` in the runtime folder; where a live daemon has that one, as `DaemonOptions.mostInstances` says. */
  | { readonly kind: "auto" }
  | { readonly kind: "off" }
  /** An absolute path, or on Windows a pipe's name. A live owner is an error. */
  | { readonly kind: "path"; readonly path: string };

/** Where events are kept (docs/journal.md). */
export type JournalChoice =
  /** `aaepd/journal/<producer id>` in the folder of XDG for state; where a live daemon has that one, `<producer id>-2` and so on. */
  | { readonly kind: "auto" }
  | { readonly kind: "memory" }
  /** An absolute path. A live owner is an error. */
  | { readonly kind: "directory"; readonly path: string };

/** Where questions, replies and outcomes are recorded (docs/audit.md). */
export type AuditChoice =
  /** `aaepd/audit` in the folder of XDG for state. */
  | { readonly kind: "auto" }
  | { readonly kind: "off" }
  /** An absolute path. */
  | { readonly kind: "directory"; readonly path: string };

/** Where services listen. */
export type ServiceChoice =
  /** A Unix socket in the runtime folder. */
  | { readonly kind: "auto" }
  | { readonly kind: "off" }
  | { readonly kind: "addresses"; readonly addresses: readonly ServiceAddress[] };

/** Origins of pages that may use the services from a browser. */
export type OriginChoice = readonly string[];

/** Everything that can be set. Meanings, ranges, defaults and what happens at the limit stand in the table of config-schema.ts. */
export interface Configuration {
  readonly producerId: string;
  readonly socket: SocketChoice;
  readonly grpc: ServiceChoice;
  readonly http: ServiceChoice;
  readonly corsOrigins: OriginChoice;
  readonly compression: boolean;
  readonly journal: JournalChoice;
  readonly journalPolicy: JournalPolicy;
  readonly journalRetentionSeconds: number;
  readonly journalRetentionBytes: number;
  readonly journalMaxEvents: number;
  /** Undefined where it follows from `journal`. */
  readonly journalMaxBytes: number | undefined;
  readonly sequencing: "enforce" | "warn";
  readonly defaultLanguage: string;
  readonly clockSkewSeconds: number;
  readonly agentGraceSeconds: number;
  readonly agentIdleSeconds: number;
  readonly handshakeTimeoutSeconds: number;
  readonly heartbeatSeconds: number;
  readonly maxHoldMs: number;
  readonly maxConcurrentSubscriptions: number;
  readonly retryAfterSeconds: number;
  readonly maxLagSeconds: number;
  readonly maxLagEvents: number;
  readonly burst: number;
  /** Undefined grants each subscriber the rate it asks for. */
  readonly maxEventsPerSecond: number | undefined;
  readonly maxFrameBytes: number;
  readonly confirmationGraceSeconds: number;
  readonly reconnectGraceSeconds: number;
  readonly audit: AuditChoice;
  readonly auditMaxBytes: number;
  readonly auditKeepFiles: number;
  readonly onStop: "keep" | "end";
  readonly stopTimeoutSeconds: number;
  readonly logLevel: LogLevel;
  readonly watchParent: boolean;
}

export type OptionName = keyof Configuration;

/** Where a value came from. Flags come before variables, those before the file, and the file before defaults. */
export type ValueSource =
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "file"; readonly path: string; readonly key: string }
  | { readonly kind: "default" };

/** The command that runs. Under `stdio` some defaults are others. */
export type DaemonCommand = "serve" | "stdio";

export interface ResolvedConfiguration {
  readonly configuration: Configuration;
  readonly sources: { readonly [Name in OptionName]: ValueSource };
}
