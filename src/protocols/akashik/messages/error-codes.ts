// The error codes of Akashik, and the payloads of errors. The codes are those of the companion, which has none for a message of wrong form:
// INVALID_TYPE stands for every member that is missing or has a wrong value, and for a frame that is no message. UNSUPPORTED_OPERATION stands for
// everything that could be asked of a Field and that this one does not do or does not allow.
import type { AkashikError } from "#gen/akashik/types.js";
import type { Fault } from "../../../base/errors.js";

export type ErrorCode = AkashikError["error"]["code"];

interface ErrorText {
  /** The message, if the fault has none of its own. */
  readonly message: string;
  /** Whether the agent itself can do something that makes the next attempt succeed. Default: true. */
  readonly isRecoverable?: false;
  readonly suggestedAction: string;
}

const ERRORS: Readonly<Record<ErrorCode, ErrorText>> = {
  AGENT_NOT_REGISTERED: {
    message: "This connection has not registered that agent.",
    suggestedAction: "Send REGISTER first, and use the registered id as `agent_id`.",
  },
  AGENT_ID_TAKEN: {
    message: "An agent of this id is connected.",
    suggestedAction: "Register with another id.",
  },
  MISSING_INTENT: {
    message: "A memory unit needs `intent.purpose`.",
    suggestedAction: "Say in `intent.purpose` why the unit is recorded, and send RECORD again.",
  },
  MISSING_CONFIDENCE: {
    message: "A committed unit needs `confidence.score` and `confidence.reasoning`.",
    suggestedAction: "Give both, or record a draft.",
  },
  INVALID_CONFIDENCE: {
    message: "`confidence.score` must be a number from 0 to 1.",
    suggestedAction: "Correct `confidence`, and send RECORD again.",
  },
  INVALID_TYPE: {
    message: "A member of the message has a wrong value.",
    suggestedAction: "Correct the member that the message names, and send it again.",
  },
  UNIT_NOT_FOUND: {
    message: "The Field has no memory unit of that id.",
    suggestedAction: "Use the id of a unit that RECORD or ATTUNE has answered.",
  },
  CONFLICT_NOT_FOUND: {
    message: "The Field has no conflict of that id.",
    suggestedAction: "Ask for the known conflicts with DETECT.",
  },
  INVALID_TRANSITION: {
    message: "The present state does not allow that change.",
    suggestedAction: "Ask for the present state with ATTUNE or DETECT, and decide again.",
  },
  UNSUPPORTED_OPERATION: {
    message: "This Field does not do that.",
    isRecoverable: false,
    suggestedAction: "Use what `field_capabilities` in the answer to REGISTER names.",
  },
  STORAGE_FULL: {
    message: "The Field takes no more memory units.",
    isRecoverable: false,
    suggestedAction: "Remove your own part, or ask the operator of the daemon for more room (`akashik_max_units`).",
  },
  EPOCH_OVERFLOW: {
    message: "The epoch is no time that the Field's clock can take: it is too far ahead, below 0, or no whole number.",
    suggestedAction: "Set the clock to the `epoch` of the Field's last answer.",
  },
  INTERNAL_ERROR: {
    message: "Something went wrong in the daemon, and stands in its log.",
    suggestedAction: "Send the message again later.",
  },
};

/** Why a message cannot be served. Thrown wherever that is found, and told to the agent. */
export class Refused extends Error {
  readonly code: ErrorCode;

  /** `sentence`: for people; default: that of the code. */
  constructor(code: ErrorCode, sentence: string = ERRORS[code].message) {
    super(sentence);
    this.code = code;
  }
}

/** The payload of an error. `operation`: that of the message, if it could be read. */
export function errorPayload({ code, message }: Refused, operation: string | null): AkashikError {
  const { isRecoverable: recoverable = true, suggestedAction: suggested_action } = ERRORS[code];
  return { status: "error", error: { code, message, operation, recoverable, suggested_action } };
}

/** The refusal of a frame that was no message. */
export function refusalOfFrame({ code, sentence }: Fault): Refused {
  return new Refused(code === "internal" ? "INTERNAL_ERROR" : "INVALID_TYPE", sentence);
}
