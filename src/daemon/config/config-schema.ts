// The table of all options. It alone defines names, types, ranges, defaults and the behaviour at a limit; the type `Configuration`, resolver, flags,
// help and docs/configuration.md are made from it.
import { DEFAULT_MAX_FRAME_BYTES, LARGEST_MAX_FRAME_BYTES } from "../../../transports/framing/framings.js";
import { A2E_OPTIONS } from "./a2e-options.js";
import {
  auditChoice,
  bytes,
  count,
  journalChoice,
  languageTag,
  milliseconds,
  oneOf,
  onOrOff,
  orWord,
  producerId,
  seconds,
  socketChoice,
  wholeNumber,
} from "./config-values.js";
import { inGroup, option } from "./option-row.js";
import { SERVICE_OPTIONS } from "./service-options.js";

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

const LISTENING = {
  producerId: option({
    type: producerId,
    fallback: "aaepd",
    meaning: "Names the daemon to subscribers, and its socket.",
    atTheLimit:
      "If you set it, agents without a name publish under it. If you do not set it, serve refuses their events (producer_missing).",
    change: "next_start",
  }),
  socket: option({
    type: socketChoice,
    fallback: { kind: "auto" },
    meaning: "The path of the local socket.",
    atTheLimit:
      "auto is ID.sock in the runtime folder. If a live daemon has that socket, serve refuses to start, and stdio takes ID-2.sock and so on. A path that a live daemon has is an error. off opens no socket. The folder of a path must be your own with mode 700. The daemon creates a missing folder. Without --socket, the commands tail, publish, status and manifest ask the daemon that the variable names.",
    change: "next_start",
  }),
  ...SERVICE_OPTIONS,
  maxFrameBytes: option({
    type: bytes(128 * 1024, LARGEST_MAX_FRAME_BYTES),
    fallback: DEFAULT_MAX_FRAME_BYTES,
    meaning: "The largest message that a peer may send.",
    atTheLimit:
      "The daemon answers a larger one by message_too_large and closes its connection. Other connections continue.",
    change: "next_start",
  }),
  handshakeTimeoutSeconds: option({
    type: seconds(1, HOUR_SECONDS),
    fallback: 60,
    meaning: "How long a new connection may stay silent.",
    atTheLimit: "The daemon then closes the connection.",
    changeIsFor: "new connections",
  }),
  heartbeatSeconds: option({
    type: seconds(0, HOUR_SECONDS),
    fallback: 15,
    meaning: "The silence after which a stream of the services sends a heartbeat.",
    atTheLimit: "A client may give up a stream after two and a half times that silence. 0 sends no heartbeat.",
    changeIsFor: "new streams",
  }),
};

const AGENTS = {
  defaultLanguage: option({
    type: languageTag,
    fallback: "en-US",
    meaning: "The language of texts whose agent names none. Their events go out with it.",
    atTheLimit:
      "It decides where their sentences end. The daemon also uses it for subscribers whose languages it does not know. The daemon's own texts are in English if it has none in this language, and name their actual language.",
    change: "next_start",
  }),
  sequencing: option({
    type: oneOf(["enforce", "warn"]),
    fallback: "enforce",
    meaning: "Of earlier versions, and without effect.",
    atTheLimit:
      "The daemon refuses events out of order with the broken rule. It warns at its start if the value is warn.",
    change: "next_start",
  }),
  clockSkewSeconds: option({
    type: seconds(1, DAY_SECONDS),
    fallback: 60,
    meaning: "The largest distance of an event's timestamp from the daemon's clock.",
    atTheLimit: "The daemon refuses the event (timestamp_skewed).",
  }),
  agentGraceSeconds: option({
    type: seconds(0, HOUR_SECONDS),
    fallback: 5,
    stdioFallback: 0,
    meaning: "The time in which an agent without a connection may resume its sessions.",
    atTheLimit: "The daemon then ends the sessions as errored (AGENT_DISCONNECTED). 0 ends them at once.",
  }),
  // These limit publishes, so that no turn of the daemon is long (docs/publishing.md).
  maxPublishedEvents: option({
    type: count("events", 1, 512),
    fallback: 256,
    meaning: "The largest number of events of one publish.",
    atTheLimit: "The daemon refuses a larger array whole (message_too_large).",
  }),
  maxPublishedCharacters: option({
    type: count("characters", 16_384, 1_048_576),
    fallback: 65_536,
    meaning: "The longest text of all chunks of one publish.",
    atTheLimit: "The daemon refuses a larger array whole (message_too_large). A single chunk is always short enough.",
  }),
  maxPublishedQuestions: option({
    type: count("questions", 1, 64),
    fallback: 16,
    meaning: "The largest number of questions of one publish.",
    atTheLimit: "The daemon refuses a larger array whole (message_too_large).",
  }),
  maxOpenSessions: option({
    type: count("sessions", 1, 16_384),
    fallback: 1024,
    meaning:
      "The largest number of open sessions of one agent: of a connection, of a key of single calls, or of all hooks.",
    atTheLimit: "The daemon refuses a further session.started (rate_limit) until one of them ends.",
  }),
  agentIdleSeconds: option({
    type: seconds(1, DAY_SECONDS),
    fallback: 60,
    meaning: "How long the sessions of an agent that uses single calls outlast its last call.",
    atTheLimit: "Then agent_grace_seconds begin, as after the end of a connection.",
    changeIsFor: "each agent with its next call",
  }),
};

const SUBSCRIBERS = {
  maxConcurrentSubscriptions: option({
    type: count("subscriptions", 1, 16_384),
    fallback: 256,
    meaning: "The largest number of subscriptions at a time.",
    atTheLimit: "The daemon rejects a further one (rate_limit) with retry_after_seconds.",
  }),
  maxTermSets: option({
    type: count("sets of terms", 1, 1024),
    fallback: 64,
    meaning:
      "The largest number of different sets of terms at a time: verbosity, languages, boundaries, filters, extensions.",
    atTheLimit:
      "The daemon rejects a further one (rate_limit). A subscription that asks for one later keeps its terms.",
  }),
  retryAfterSeconds: option({
    type: seconds(0, DAY_SECONDS),
    fallback: 5,
    meaning: "The waiting time that the daemon sends to a subscriber rejected by rate_limit.",
    atTheLimit: "0 means that the subscriber may try again at once.",
  }),
  /** Undefined grants each subscriber the rate that it asks for. */
  maxEventsPerSecond: option({
    type: orWord("unlimited", wholeNumber("RATE", 1, 100_000, "events a second")),
    fallback: undefined,
    meaning: "The highest rate that the daemon grants to a subscription.",
    atTheLimit: "A request for more gets this rate, with a note. Critical events do not count.",
    changeIsFor: "terms negotiated from then on",
  }),
  burst: option({
    type: count("events", 1, 1000),
    fallback: 1,
    meaning: "The number of events that may leave at once after a silence.",
    atTheLimit: "Further events wait for the negotiated rate, and their text is merged.",
    changeIsFor: "new subscriptions",
  }),
  maxHoldMs: option({
    type: milliseconds(100, 60_000),
    fallback: 5000,
    meaning: "How long text waits for the end of its sentence while no more of it comes.",
    atTheLimit: "The daemon then delivers the text as it is. Text that keeps coming waits at most three times as long.",
    changeIsFor: "text that is held from then on",
  }),
  maxLagSeconds: option({
    type: seconds(1, DAY_SECONDS),
    fallback: 60,
    meaning: "How long a subscriber may take nothing while events are due.",
    atTheLimit:
      "The daemon then closes the subscription (lagging). The subscriber can resume. Waiting for the negotiated rate, a pause and catching up do not count.",
  }),
  maxLagEvents: option({
    type: count("events", 16, 16_777_216),
    fallback: 16_384,
    meaning: "How many events a subscriber may fall behind while it takes nothing.",
    atTheLimit: "Same effect as max_lag_seconds, whichever is reached first.",
  }),
};

const QUESTIONS = {
  confirmationGraceSeconds: option({
    type: seconds(0, HOUR_SECONDS),
    fallback: 0,
    meaning: "How long a question waits for a subscription that can answer it.",
    atTheLimit: "Then the question's default applies. 0 applies it at once.",
    changeIsFor: "waits that begin from then on",
  }),
  reconnectGraceSeconds: option({
    type: seconds(0, HOUR_SECONDS),
    fallback: 0,
    meaning: "How long an open question waits after the last subscription that could answer it has gone.",
    atTheLimit: "Then the question's default applies, with resolved_by subscription_ended. 0 applies it at once.",
    changeIsFor: "waits that begin from then on",
  }),
};

const KEPT = {
  journal: option({
    type: journalChoice,
    fallback: { kind: "auto" },
    stdioFallback: { kind: "memory" },
    meaning: "The folder that keeps events and the state of sessions and questions.",
    atTheLimit:
      "auto is aaepd/journal/ID in $XDG_STATE_HOME or ~/.local/state, or ID-2 and so on if a live daemon has that one. serve then starts only with a path for its socket. A folder must be your own with mode 700. The daemon creates a missing folder. A folder that a live daemon has is an error. memory ends with the process.",
    change: "next_start",
  }),
  journalPolicy: option({
    type: oneOf(["durable", "os", "none"]),
    fallback: "durable",
    meaning: "The moment at which the daemon acknowledges an agent's events as safe.",
    atTheLimit:
      "durable: when the disk has them, which outlasts a power cut. os: when the operating system has them, which outlasts a killed daemon. none: at once. After a power cut under os or none, a new journal begins.",
    change: "next_start",
  }),
  journalRetentionSeconds: option({
    type: seconds(1, 10 * 365 * DAY_SECONDS),
    fallback: 7 * DAY_SECONDS,
    meaning: "How long the journal keeps events on disk.",
    atTheLimit: "The journal then drops the oldest. Subscribers that had not read them get a gap.",
  }),
  journalRetentionBytes: option({
    type: bytes(1024 * 1024, 64 * 1024 * 1024 * 1024),
    fallback: 512 * 1024 * 1024,
    meaning: "The largest size of the events on disk. The file is somewhat larger.",
    atTheLimit: "Same effect as journal_retention_seconds, whichever is reached first.",
  }),
  journalMaxEvents: option({
    type: count("events", 1024, 16_777_216),
    fallback: 65_536,
    meaning: "The largest number of events in memory.",
    atTheLimit:
      "The daemon then drops the oldest from memory. With a journal on disk, subscribers read it from there. Without one, subscribers that had not read it get a gap.",
    change: "next_start",
  }),
  /** Undefined: the value follows from `journal`. */
  journalMaxBytes: option({
    type: orWord("auto", bytes(1024 * 1024, 64 * 1024 * 1024 * 1024)),
    fallback: undefined,
    meaning: "The largest estimated size of the events in memory.",
    atTheLimit:
      "Same effect as journal_max_events, whichever is reached first. auto is 1 MiB with a journal on disk, and 16 MiB without one.",
    change: "next_start",
  }),
  audit: option({
    type: auditChoice,
    fallback: { kind: "auto" },
    meaning: "The folder of the audit log, which records questions, replies and outcomes.",
    atTheLimit:
      "auto is aaepd/audit in $XDG_STATE_HOME or ~/.local/state. off records nothing. A folder must be your own with mode 700. The daemon creates a folder that you name. If writing fails later, the lines wait, and the daemon logs the failure and continues.",
    change: "next_start",
  }),
  auditMaxBytes: option({
    type: bytes(64 * 1024, 1024 * 1024 * 1024),
    fallback: 10 * 1024 * 1024,
    meaning: "The largest size of one file of the audit log.",
    atTheLimit: "The daemon then sets the file aside and begins a new one.",
  }),
  auditKeepFiles: option({
    type: count("files", 1, 1000),
    fallback: 10,
    meaning: "The largest number of audit files that are set aside.",
    atTheLimit: "The daemon then deletes the oldest. It deletes no file for its age.",
  }),
};

/** Of Akashik (docs/akashik.md). */
const AKASHIK = {
  akashikMaxUnits: option({
    type: count("memory units", 1, 100_000),
    fallback: 10_000,
    meaning: "How many memory units the Akashik Field keeps.",
    atTheLimit: "The daemon answers a further RECORD by STORAGE_FULL. It never lets go of a unit by itself.",
  }),
};

const PROCESS = {
  onStop: option({
    type: oneOf(["keep", "end"]),
    fallback: "keep",
    stdioFallback: "end",
    meaning: "The treatment of open sessions and questions at an orderly stop.",
    atTheLimit:
      "keep leaves them open. In the next boot agents take their sessions over within agent_grace_seconds, and subscribers resume. end ends them, and hands over the events that wait for subscribers. Under stdio, and with the journal in memory, the daemon always ends them.",
  }),
  stopTimeoutSeconds: option({
    type: seconds(1, HOUR_SECONDS),
    fallback: 10,
    stdioFallback: 2,
    meaning:
      "The time that an orderly stop may take, to end sessions and to hand over waiting events as fast as subscribers take them.",
    atTheLimit:
      "The daemon then closes each connection after the last whole message, and logs the number of undelivered events. Under stdio more than 2 counts as 2.",
  }),
  logLevel: option({
    type: oneOf(["debug", "info", "warn", "error", "off"]),
    fallback: "info",
    meaning: "The lowest level of the lines on standard error.",
    atTheLimit: "Lines are lost, and counted, if nobody reads standard error or if it gets more than 1000 a second.",
  }),
  logFormat: option({
    type: oneOf(["auto", "text", "json"]),
    fallback: "auto",
    meaning: "The form of the lines on standard error.",
    atTheLimit:
      "text: sentences for people, one a line. json: one JSON object a line, with every detail. auto: text on a terminal, json elsewhere.",
    change: "next_start",
  }),
  watchParent: option({
    type: onOrOff,
    fallback: false,
    stdioFallback: true,
    meaning: "Ends the daemon when the process that started it has ended.",
    atTheLimit: "The daemon checks once a second, and ends within two more. Not possible on Windows.",
    change: "next_start",
  }),
};

export const OPTIONS = {
  ...inGroup("Where it listens", LISTENING),
  ...inGroup("Agents", AGENTS),
  ...inGroup("Subscribers", SUBSCRIBERS),
  ...inGroup("Questions", QUESTIONS),
  ...inGroup("What is kept", KEPT),
  ...inGroup("A2E", A2E_OPTIONS),
  ...inGroup("Akashik", AKASHIK),
  ...inGroup("Process", PROCESS),
};

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly (keyof typeof OPTIONS)[];

/** Headings of the help and the documentation, in their order. */
export const OPTION_GROUPS: readonly string[] = [...new Set(OPTION_NAMES.map((name) => OPTIONS[name].group))];
