// The complete configuration of a daemon: every value has a default, and the source of each value is known. config-schema.ts is the table of options;
// config-sources.ts reads files, variables and flags. A daemon has one copy of its configuration (R8b). Options that change at run time are read at
// their use, by getters or functions, and never copied. `reconfigure.ts` informs the parts that already wait by an old value.
import type { JournalPolicy } from "../../contracts/journal.js";
import type { ServiceAddress } from "../../contracts/service-address.js";
import type { LogLevel } from "../platform/log.js";

/** The address of the local socket. */
export type SocketChoice =
  /** `<producer id>.sock` in the runtime folder; if a live daemon has it, another name as described at `DaemonOptions.mostInstances`. */
  | { readonly kind: "auto" }
  | { readonly kind: "off" }
  /** An absolute path, or on Windows the name of a pipe. A live owner is an error. */
  | { readonly kind: "path"; readonly path: string };

/** The place of the journal (docs/journal.md). */
export type JournalChoice =
  /** `aaepd/journal/<producer id>` in the folder of XDG for state; if a live daemon has it, `<producer id>-2` and so on. */
  | { readonly kind: "auto" }
  | { readonly kind: "memory" }
  /** An absolute path. A live owner is an error. */
  | { readonly kind: "directory"; readonly path: string };

/** The place of the audit log: questions, replies and outcomes (docs/audit.md). */
export type AuditChoice =
  /** `aaepd/audit` in the folder of XDG for state. */
  | { readonly kind: "auto" }
  | { readonly kind: "off" }
  /** An absolute path. */
  | { readonly kind: "directory"; readonly path: string };

/** The addresses where services listen. */
export type ServiceChoice =
  /** A Unix socket in the runtime folder. */
  | { readonly kind: "auto" }
  | { readonly kind: "off" }
  | { readonly kind: "addresses"; readonly addresses: readonly ServiceAddress[] };

/** Origins of pages that may use the services from a browser. */
export type OriginChoice = readonly string[];

/** An A2E host that the daemon runs as a child (docs/a2e.md). */
export interface ProviderChoice {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly priority: number;
  /** The capabilities that the daemon asks for; undefined: all. */
  readonly capabilities: readonly string[] | undefined;
  /** The token that the host wants. */
  readonly authToken: string;
}

/** The file with the token for callers over TCP. */
export type TokenFileChoice =
  /** A file in the runtime folder, `<producer id>.token`, with a new token at each start. */
  | { readonly kind: "auto" }
  /** An absolute path. The token in it stays. */
  | { readonly kind: "path"; readonly path: string };

/** The form of log lines. "auto": sentences on a terminal, JSON elsewhere. */
export type LogFormat = "auto" | "text" | "json";

/** All options. Their meanings, ranges, defaults and limits are in the table of config-schema.ts. */
export interface Configuration {
  readonly producerId: string;
  readonly socket: SocketChoice;
  readonly grpc: ServiceChoice;
  readonly http: ServiceChoice;
  readonly httpTokenFile: TokenFileChoice;
  readonly corsOrigins: OriginChoice;
  readonly compression: boolean;
  readonly journal: JournalChoice;
  readonly journalPolicy: JournalPolicy;
  readonly journalRetentionSeconds: number;
  readonly journalRetentionBytes: number;
  readonly journalMaxEvents: number;
  /** Undefined if the value follows from `journal`. */
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
  /** Undefined grants each subscriber the rate that it asks for. */
  readonly maxEventsPerSecond: number | undefined;
  readonly maxFrameBytes: number;
  readonly confirmationGraceSeconds: number;
  readonly reconnectGraceSeconds: number;
  readonly audit: AuditChoice;
  readonly auditMaxBytes: number;
  readonly auditKeepFiles: number;
  readonly onStop: "keep" | "end";
  readonly stopTimeoutSeconds: number;
  /** Undefined accepts any token. */
  readonly akashikMaxUnits: number;
  readonly a2eAuthToken: string | undefined;
  readonly a2eProviders: readonly ProviderChoice[];
  readonly a2eMaxParallel: number;
  readonly a2eRequestTimeoutSeconds: number;
  readonly a2eIrreversibleTools: readonly string[];
  readonly a2eConfirmationSeconds: number;
  readonly a2eShownArguments: readonly string[];
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly watchParent: boolean;
}

export type OptionName = keyof Configuration;

/** The source of a value. Flags come before variables, variables before the file, and the file before defaults. */
export type ValueSource =
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "file"; readonly path: string; readonly key: string }
  | { readonly kind: "default" };

/** The running command. `stdio` has some other defaults. */
export type DaemonCommand = "serve" | "stdio";

export interface ResolvedConfiguration {
  readonly configuration: Configuration;
  readonly sources: { readonly [Name in OptionName]: ValueSource };
}
