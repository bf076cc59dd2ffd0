// Looks at every message that a daemon sends on a test's connections, and notes each that its schema does not allow, that says a member twice, or
// that has a text for people in no language.
import type { AaepdPending } from "#gen/aaep/types.js";
import { readJsonDocument } from "../../../src/base/json-document.js";
import { allFaults } from "../../../src/protocols/aaep/validation/validate.js";
import { isAsPublished } from "../published-schemas.js";
import { isClosedForm } from "./closed-forms.js";
import { untoldText } from "./told-language.js";

export type Message = Readonly<Record<string, unknown>>;

export interface WireSniffer {
  /** Bytes of one frame of a peer that speaks without an envelope. Answers the message. */
  readonly plain: (frame: Uint8Array) => Message;
  /** Bytes of one JSON-RPC message. `methodOf` says what a request of the peer asked for. */
  readonly rpc: (frame: Uint8Array, methodOf: (id: unknown) => string | undefined) => Message;
  /** A message of a typed stream, as a document. Answers it. */
  readonly document: (message: Message) => Message;
  /** What a method answered, as a document. Answers it. */
  readonly result: (method: string, result: Message) => Message;
  /** What was sent and should not have been. */
  readonly violations: () => readonly string[];
  readonly messageCount: () => number;
}

type Check = (value: unknown) => boolean;

const as =
  (title: string): Check =>
  (value) =>
    isAsPublished("aaep", title, value);
const isError = as("AaepdError");
const isCheckpoint = as("AaepdCheckpoint");
const isPendingForm = as("AaepdPending");

const PLAIN: Readonly<Record<string, Check>> = {
  "subscription.accepted": isAccepted,
  "subscription.rejected": isRejected,
  "subscription.close": as("SubscriptionClose"),
  "aaepd.error": isError,
  "aaepd.pending": isPending,
  "aaepd.heartbeat": as("AaepdHeartbeat"),
  "aaepd.checkpoint": isCheckpoint,
  "aaepd.reply_not_taken": as("AaepdReplyNotTaken"),
};

const isEmpty: Check = (value) => isObject(value) && Object.keys(value).length === 0;

const RESULTS: Readonly<Record<string, Check>> = {
  "aaep.publish": as("PublishResult"),
  "aaep.subscribe": isAnswerToTerms,
  "aaep.renegotiate": isAnswerToTerms,
  "aaep.manifest": as("ProducerManifest"),
  "aaep.set_manifest": isEmpty,
  "aaep.resume_session": as("ResumeSessionResult"),
  "aaep.list_pending": isPending,
  "aaep.repeat": isEmpty,
  "aaepd.leave": isEmpty,
  "aaepd.stop": isEmpty,
  "aaep.skip": isEmpty,
  "aaepd.skip": isEmpty,
  "aaep.close": isEmpty,
  "aaep.ping": (value) => isEmpty(value) || isPlace(value),
  "aaepd.relay": isEmpty,
  "aaepd.hook": (value) => isEmpty(value) || (isObject(value) && Object.keys(value).join() === "output"),
  "aaepd.status": (value) => isObject(value) && Array.isArray(value.problems) && isObject(value.journal),
  "aaep.reply": (value) => isObject(value) && typeof value.accepted === "boolean",
  "aaep.confirm": (value) => isOutcome(value) && (value.resolved_by === "cancelled") === (value.decision === undefined),
  "aaep.clarify": (value) => isOutcome(value) && value.decision === undefined,
  "aaep.cancel": (value) => isObject(value) && typeof value.cancelled === "boolean",
  "aaep.outcome_of": (value) =>
    isObject(value) && (value.state === "open" || (value.state === "resolved" && isOutcome(value))),
};

function isPlace(value: unknown): boolean {
  return isObject(value) && Object.keys(value).join() === "cursor" && isCheckpoint(value);
}

/** As AAEP closes them: a validating subscriber takes no member more (§5.4, §5.5). */
function isAccepted(value: unknown): boolean {
  return isClosedForm("subscription.accepted", value);
}

function isRejected(value: unknown): boolean {
  return isClosedForm("subscription.rejected", value);
}

function isPending(value: unknown): boolean {
  if (!isPendingForm(value)) return false;
  return (value as AaepdPending).questions.every((question) => eventFaults(question).length === 0);
}

function isAnswerToTerms(value: unknown): boolean {
  return isAccepted(value) || isRejected(value);
}

const RESOLVED_BY: ReadonlySet<unknown> = new Set([
  "reply",
  "timeout",
  "no_subscriber",
  "subscription_ended",
  "host",
  "cancelled",
]);

/** Who decided is named only where somebody did. */
function isOutcome(value: unknown): value is Message {
  if (!isObject(value) || !RESOLVED_BY.has(value.resolved_by)) return false;
  if (typeof value.event_id !== "string" || typeof value.reply_token !== "string") return false;
  if (value.resolved_by === "host") return value.decided_by === "host" && value.decision !== undefined;
  return value.resolved_by === "reply" || value.decided_by === undefined;
}

const NOTIFICATIONS: Readonly<Record<string, Check>> = {
  "aaep.event": (value) => eventFaults(value).length === 0,
  "aaep.error": (value) => isObject(value) && isError({ ...value, type: "aaepd.error" }),
  "aaep.close": as("SubscriptionClose"),
  "aaepd.reply_not_taken": as("AaepdReplyNotTaken"),
  "aaepd.checkpoint": (value) => isObject(value) && isCheckpoint(value) && !("type" in value),
  "aaep.outcome": isOutcome,
  "aaepd.closing": (value) =>
    isObject(value) && Object.keys(value).join() === "sessions_kept" && typeof value.sessions_kept === "boolean",
  "aaep.stop_requested": (value) =>
    isObject(value) && Object.keys(value).join() === "session_id" && typeof value.session_id === "string",
  "aaepd.user_input": (value) =>
    isObject(value) && Object.keys(value).join() === "text" && typeof value.text === "string",
  "aaep.waiting": (value) =>
    isObject(value) &&
    typeof value.waiting === "boolean" &&
    [value.reply_token, value.event_id, value.session_id].every((id) => typeof id === "string"),
};

export function createWireSniffer(): WireSniffer {
  const violations: string[] = [];
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let count = 0;

  const note = (what: string, message: unknown): void => {
    violations.push(`${what}: ${JSON.stringify(message).slice(0, 600)}`);
  };

  const read = (frame: Uint8Array): Message => {
    count += 1;
    const message = parsed(utf8.decode(frame));
    if (isObject(message)) return message;
    note("no object", message);
    return {};
  };

  const parsed = (text: string): unknown => {
    try {
      return readJsonDocument(text).value;
    } catch (caught) {
      note(String(caught), text);
      return JSON.parse(text);
    }
  };

  const look = (message: Message): Message => {
    const check = PLAIN[String(message.type)];
    if (check !== undefined) {
      if (!check(message)) note("not as its schema wants it", message);
    } else {
      for (const fault of eventFaults(message)) note(fault, message);
    }
    return message;
  };

  return {
    plain: (frame) => look(read(frame)),
    document: (message) => {
      count += 1;
      return look(message);
    },
    result: (method, result) => {
      count += 1;
      if (RESULTS[method]?.(result) !== true) note(`a result of ${method} of another form`, result);
      return result;
    },
    rpc: (frame, methodOf) => {
      const message = read(frame);
      const { jsonrpc, method, id, params, result, error } = message;
      if (jsonrpc !== "2.0") note("not JSON-RPC 2.0", message);
      if (typeof method === "string") {
        if (id !== undefined) note("a request nobody knows", message);
        const check = NOTIFICATIONS[method];
        if (check === undefined || !check(params))
          note(`a notification that is none (${eventFaults(params)[0]})`, message);
      } else if (error !== undefined) {
        if (!isRpcError(error)) note("an error of another form", message);
      } else {
        const asked = methodOf(id);
        const check = asked === undefined ? undefined : RESULTS[asked];
        if (check === undefined || !check(result)) note(`a result of ${asked} of another form`, message);
      }
      return message;
    },
    violations: () => violations,
    messageCount: () => count,
  };
}

function eventFaults(value: unknown): readonly string[] {
  const faults = allFaults(value).map(({ code, pointer, sentence }) => `${code} at ${pointer}: ${sentence}`);
  const untold = isObject(value) ? untoldText(value) : undefined;
  return untold === undefined ? faults : [...faults, `no language is told of ${untold} (AAEP §11.1)`];
}

function isRpcError(error: unknown): boolean {
  if (!isObject(error) || !Number.isInteger(error.code) || typeof error.message !== "string") return false;
  const { data } = error;
  // The library answers a cancelled request by itself.
  if (data === undefined) return error.code === -32800;
  if (!isObject(data)) return false;
  const { retry_after_seconds: _, ...others } = data;
  return isError({ type: "aaepd.error", message: error.message, ...others });
}

export function isObject(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
