// The table of everything that can be set. The only place that knows names, ranges, defaults and what happens at a limit: resolver, flags,
// help and docs/configuration.md are made from it.
import { DEFAULT_MAX_FRAME_BYTES, LARGEST_MAX_FRAME_BYTES } from "../../transports/framing/framings.js";
import type { Configuration, DaemonCommand, OptionName } from "./config.js";
import {
  auditChoice,
  journalChoice,
  languageTag,
  oneOf,
  onOrOff,
  producerId,
  socketChoice,
  type ValueType,
  wholeNumber,
  wholeNumberOr,
} from "./config-values.js";
import { originChoice, serviceChoice } from "./service-choices.js";

/** The headings of help and documentation, in their order. */
export const OPTION_GROUPS = [
  "Where it listens",
  "Agents",
  "Subscribers",
  "Questions",
  "What is kept",
  "Process",
] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

export interface OptionRow<Value> {
  readonly group: OptionGroup;
  readonly type: ValueType<Value>;
  /** "s", "ms", "bytes", "events", "events/s"; undefined where there is none. */
  readonly unit: string | undefined;
  readonly fallback: Value;
  /** Where `stdio` has a default of its own. */
  readonly stdioFallback?: Value;
  /** What it is, in one sentence. */
  readonly meaning: string;
  /** What happens at the limit, what 0 means, or what the choices are. */
  readonly atTheLimit: string;
  /** What has to be on for it to mean anything. On the command line it is refused without; elsewhere it may stand for other starts. */
  readonly needs?: "http";
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

export const OPTIONS: { readonly [Name in OptionName]: OptionRow<Configuration[Name]> } = {
  producerId: {
    group: "Where it listens",
    type: producerId,
    unit: undefined,
    fallback: "aaepd",
    meaning: "Names the daemon to subscribers, and its socket.",
    atTheLimit:
      "Agents that do not say who they are publish under it if it was given; under serve without it they are refused (producer_missing).",
  },
  socket: {
    group: "Where it listens",
    type: socketChoice,
    unit: undefined,
    fallback: { kind: "auto" },
    meaning: "Where the local socket is.",
    atTheLimit:
      "auto is ID.sock in the runtime folder. Where a live daemon has that socket, serve refuses to start and stdio takes ID-2.sock and so on. A path that a live daemon has is an error; off opens none. The commands tail, publish, status and manifest ask the daemon that the variable names, where they are not given --socket. The folder of a path must be your own with mode 700; it is made where missing.",
  },
  grpc: {
    group: "Where it listens",
    type: serviceChoice,
    unit: undefined,
    fallback: { kind: "off" },
    meaning: "Where services are offered over gRPC.",
    atTheLimit:
      "auto is unix:ID.grpc in the runtime folder. TCP is for loopback addresses only, and asks for the token in the file ID.token; port 0 takes a free port. Any other address is refused.",
  },
  http: {
    group: "Where it listens",
    type: serviceChoice,
    unit: undefined,
    fallback: { kind: "off" },
    meaning:
      "Where services are offered over Connect, gRPC-Web and gRPC, on HTTP/1.1 and HTTP/2, beside the manifest, health and metrics.",
    atTheLimit: "As with grpc; auto is unix:ID.http in the runtime folder.",
  },
  corsOrigins: {
    group: "Where it listens",
    type: originChoice,
    unit: undefined,
    fallback: [],
    meaning: "Web pages that may use the services of http from a browser, by their origin.",
    atTheLimit:
      "All others are not answered in a way that a browser would hand to them. They need the token all the same. Without http the option is refused on the command line.",
    needs: "http",
  },
  compression: {
    group: "Where it listens",
    type: onOrOff,
    unit: undefined,
    fallback: false,
    meaning: "Whether messages of http are compressed for clients that offer it.",
    atTheLimit:
      "It costs more than it saves on one machine. Those of grpc are never compressed. Without http the option is refused on the command line.",
    needs: "http",
  },
  maxFrameBytes: {
    group: "Where it listens",
    type: wholeNumber("BYTES", 128 * 1024, LARGEST_MAX_FRAME_BYTES),
    unit: "bytes",
    fallback: DEFAULT_MAX_FRAME_BYTES,
    meaning: "Largest message taken from a peer.",
    atTheLimit: "A larger one is answered by message_too_large and its connection is closed; nobody else notices.",
  },
  handshakeTimeoutSeconds: {
    group: "Where it listens",
    type: wholeNumber("SECONDS", 1, HOUR_SECONDS),
    unit: "s",
    fallback: 60,
    meaning: "How long a new connection may say nothing.",
    atTheLimit: "It is closed.",
  },
  heartbeatSeconds: {
    group: "Where it listens",
    type: wholeNumber("SECONDS", 0, HOUR_SECONDS),
    unit: "s",
    fallback: 15,
    meaning: "After how long a silence a stream of the services says that it is alive.",
    atTheLimit: "A client that hears nothing for two and a half times that may take it for dead. 0 sends none.",
  },
  defaultLanguage: {
    group: "Agents",
    type: languageTag,
    unit: undefined,
    fallback: "en-US",
    meaning: "The language of texts whose agent says none: their events go out with it.",
    atTheLimit:
      "It decides where their sentences end, and in which language the daemon speaks to subscribers whose languages it does not know. The daemon's own texts say the language that they are written in: English where it has none in this one.",
  },
  sequencing: {
    group: "Agents",
    type: oneOf("MODE", ["enforce", "warn"]),
    unit: undefined,
    fallback: "enforce",
    meaning: "What happens to events out of order.",
    atTheLimit:
      "enforce refuses them with the rule they break; warn repairs and logs them, except where safety is concerned.",
  },
  clockSkewSeconds: {
    group: "Agents",
    type: wholeNumber("SECONDS", 1, DAY_SECONDS),
    unit: "s",
    fallback: 60,
    meaning: "How far the timestamp of an event may be from the daemon's clock.",
    atTheLimit: "The event is refused (timestamp_skewed).",
  },
  agentGraceSeconds: {
    group: "Agents",
    type: wholeNumber("SECONDS", 0, HOUR_SECONDS),
    unit: "s",
    fallback: 5,
    stdioFallback: 0,
    meaning: "How long an agent whose connection ended may take to resume its sessions.",
    atTheLimit: "Its sessions are ended as errored (AGENT_DISCONNECTED). 0 ends them at once.",
  },
  agentIdleSeconds: {
    group: "Agents",
    type: wholeNumber("SECONDS", 1, DAY_SECONDS),
    unit: "s",
    fallback: 60,
    meaning: "How long the sessions of an agent that publishes by single calls outlast its last call.",
    atTheLimit: "As if its connection had ended: agent_grace_seconds begin.",
  },
  maxConcurrentSubscriptions: {
    group: "Subscribers",
    type: wholeNumber("COUNT", 1, 16_384),
    unit: "subscriptions",
    fallback: 256,
    meaning: "How many subscriptions there may be at a time.",
    atTheLimit: "The next one is rejected (rate_limit) with retry_after_seconds.",
  },
  retryAfterSeconds: {
    group: "Subscribers",
    type: wholeNumber("SECONDS", 0, DAY_SECONDS),
    unit: "s",
    fallback: 5,
    meaning: "How long a subscriber that was rejected for want of room is told to wait.",
    atTheLimit: "0 tells it that it may try again at once.",
  },
  maxEventsPerSecond: {
    group: "Subscribers",
    type: wholeNumberOr("unlimited", "RATE", 1, 100_000),
    unit: "events/s",
    fallback: undefined,
    meaning: "The highest rate that any subscription is granted.",
    atTheLimit: "One that asks for more gets this, with a note. Critical events are not counted.",
  },
  burst: {
    group: "Subscribers",
    type: wholeNumber("COUNT", 1, 1000),
    unit: "events",
    fallback: 1,
    meaning: "How many events may leave at once after a silence.",
    atTheLimit: "Further ones wait for the negotiated rate, and text among them is merged.",
  },
  maxHoldMs: {
    group: "Subscribers",
    type: wholeNumber("MS", 100, 60_000),
    unit: "ms",
    fallback: 5000,
    meaning: "How long text may wait for the end of its sentence while nothing more of it comes.",
    atTheLimit: "It is delivered as it is. Text that keeps coming is delivered after three times that.",
  },
  maxLagSeconds: {
    group: "Subscribers",
    type: wholeNumber("SECONDS", 1, DAY_SECONDS),
    unit: "s",
    fallback: 60,
    meaning: "How long a subscriber may take nothing while something is due.",
    atTheLimit:
      "Its subscription is closed (lagging); it can resume. Waiting for the negotiated rate, a pause and catching up do not count.",
  },
  maxLagEvents: {
    group: "Subscribers",
    type: wholeNumber("COUNT", 16, 16_777_216),
    unit: "events",
    fallback: 16_384,
    meaning: "How many events a subscriber that takes nothing may fall behind.",
    atTheLimit: "As with max_lag_seconds, whichever is reached first.",
  },
  confirmationGraceSeconds: {
    group: "Questions",
    type: wholeNumber("SECONDS", 0, HOUR_SECONDS),
    unit: "s",
    fallback: 0,
    meaning: "How long a question waits for somebody who can answer it, while nobody can.",
    atTheLimit: "The question's default applies. 0 applies it at once.",
  },
  reconnectGraceSeconds: {
    group: "Questions",
    type: wholeNumber("SECONDS", 0, HOUR_SECONDS),
    unit: "s",
    fallback: 0,
    meaning: "How long an open question waits after the last one who could answer it has gone.",
    atTheLimit: "The question's default applies, with resolved_by subscription_ended. 0 applies it at once.",
  },
  journal: {
    group: "What is kept",
    type: journalChoice,
    unit: undefined,
    fallback: { kind: "auto" },
    stdioFallback: { kind: "memory" },
    meaning: "Where events, and what is known of sessions, questions and subscribers, are kept.",
    atTheLimit:
      "auto is aaepd/journal/ID in $XDG_STATE_HOME or ~/.local/state, or ID-2 and so on where a live daemon has that one. A folder must be your own with mode 700, it is made where missing, and one that a live daemon has is an error. memory ends with the process.",
  },
  journalPolicy: {
    group: "What is kept",
    type: oneOf("POLICY", ["durable", "os", "none"]),
    unit: undefined,
    fallback: "durable",
    meaning: "When an agent is told that what it published is safe.",
    atTheLimit:
      "durable: when the disk has it, which outlasts a power cut; os: when the operating system has it, which outlasts a killed daemon; none: at once. After a power cut under os or none the journal begins anew.",
  },
  journalRetentionSeconds: {
    group: "What is kept",
    type: wholeNumber("SECONDS", 1, 10 * 365 * DAY_SECONDS),
    unit: "s",
    fallback: 7 * DAY_SECONDS,
    meaning: "How long events are kept on disk.",
    atTheLimit: "The oldest go; whoever had not read them is told of the gap.",
  },
  journalRetentionBytes: {
    group: "What is kept",
    type: wholeNumber("BYTES", 1024 * 1024, 64 * 1024 * 1024 * 1024),
    unit: "bytes",
    fallback: 512 * 1024 * 1024,
    meaning: "Most bytes of events that are kept on disk. The file is somewhat larger.",
    atTheLimit: "As with journal_retention_seconds, whichever is reached first.",
  },
  journalMaxEvents: {
    group: "What is kept",
    type: wholeNumber("COUNT", 1024, 16_777_216),
    unit: "events",
    fallback: 65_536,
    meaning: "Most events that are kept in memory.",
    atTheLimit:
      "The oldest goes. What is on disk is read from there; without a journal on disk whoever had not read it is told of the gap.",
  },
  journalMaxBytes: {
    group: "What is kept",
    type: wholeNumberOr("auto", "BYTES", 1024 * 1024, 64 * 1024 * 1024 * 1024),
    unit: undefined,
    fallback: undefined,
    meaning: "Most bytes of events that are kept in memory, by estimate.",
    atTheLimit:
      "As with journal_max_events, whichever is reached first. auto is 1 MiB with a journal on disk, and 16 MiB without one.",
  },
  audit: {
    group: "What is kept",
    type: auditChoice,
    unit: undefined,
    fallback: { kind: "auto" },
    meaning: "The folder in which questions, replies to them and their outcomes are recorded.",
    atTheLimit:
      "auto is aaepd/audit in $XDG_STATE_HOME or ~/.local/state; off records nothing. A folder must be your own with mode 700; one that is named is made where missing. What cannot be written later is counted and logged, and holds nothing up.",
  },
  auditMaxBytes: {
    group: "What is kept",
    type: wholeNumber("BYTES", 64 * 1024, 1024 * 1024 * 1024),
    unit: "bytes",
    fallback: 10 * 1024 * 1024,
    meaning: "How large a file of the audit log may become.",
    atTheLimit: "It is set aside and a new one begun.",
  },
  auditKeepFiles: {
    group: "What is kept",
    type: wholeNumber("COUNT", 1, 1000),
    unit: "files",
    fallback: 10,
    meaning: "How many files of the audit log that were set aside are kept.",
    atTheLimit: "The oldest is deleted. Nothing is deleted for its age.",
  },
  onStop: {
    group: "Process",
    type: oneOf("CHOICE", ["keep", "end"]),
    unit: undefined,
    fallback: "keep",
    stdioFallback: "end",
    meaning: "What becomes of open sessions and questions when the daemon is stopped in order.",
    atTheLimit:
      "keep leaves them open: agents take their sessions over in the next run, within agent_grace_seconds, and subscribers resume. end ends them, and hands over what subscribers are owed. Under stdio, and with the journal in memory, they are ended.",
  },
  stopTimeoutSeconds: {
    group: "Process",
    type: wholeNumber("SECONDS", 1, HOUR_SECONDS),
    unit: "s",
    fallback: 10,
    stdioFallback: 2,
    meaning:
      "How long an orderly stop may take: to end sessions, and to hand over what subscribers are owed as fast as they take it.",
    atTheLimit:
      "Connections are closed after the last whole message that was taken, and the log counts what could not be handed over. Under stdio more than 2 counts as 2.",
  },
  logLevel: {
    group: "Process",
    type: oneOf("LEVEL", ["debug", "info", "warn", "error", "off"]),
    unit: undefined,
    fallback: "info",
    meaning: "The least important lines that are logged to standard error.",
    atTheLimit: "Lines are lost, and counted, where standard error is not read or gets more than 1000 a second.",
  },
  watchParent: {
    group: "Process",
    type: onOrOff,
    unit: undefined,
    fallback: false,
    stdioFallback: true,
    meaning: "Whether the daemon ends when the process that started it has ended.",
    atTheLimit: "It looks once a second, and ends within two more. Not possible on Windows.",
  },
};

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

/** `maxHoldMs` is `max_hold_ms` in the file. */
export function keyOf(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `maxHoldMs` is `--max-hold-ms`. */
export function flagOf(name: OptionName): string {
  return `--${keyOf(name).replaceAll("_", "-")}`;
}

/** `maxHoldMs` is `AAEPD_MAX_HOLD_MS`. */
export function variableOf(name: OptionName): string {
  return `AAEPD_${keyOf(name).toUpperCase()}`;
}

/** The default under a command. */
export function fallbackOf<Name extends OptionName>(name: Name, command: DaemonCommand): Configuration[Name] {
  const row: OptionRow<Configuration[Name]> = OPTIONS[name];
  return command === "stdio" && "stdioFallback" in row ? (row.stdioFallback as Configuration[Name]) : row.fallback;
}

/** The value as it would be written in a flag. */
export function textOf<Name extends OptionName>(name: Name, value: Configuration[Name]): string {
  const row: OptionRow<Configuration[Name]> = OPTIONS[name];
  return row.type.toText(value);
}
