// The form of the messages that agents send: the members that the Field reads are as the schemas say. Other members may be anything.

import type { Diagnosis } from "#gen/akashik/diagnosis.js";
import * as diagnosis from "#gen/akashik/diagnosis.js";
import type { AkashikRequest } from "#gen/akashik/types.js";
import * as validators from "#gen/akashik/validators.js";

/** A form that a value can be checked against. */
export interface Form<Value> {
  readonly isValid: (value: unknown) => value is Value;
  readonly diagnose: (value: unknown) => readonly Diagnosis[];
  /** The value within its message, for people. */
  readonly name: string;
  /** The path of the value in its message, with a dot at its end. */
  readonly place: "" | "payload.";
}

/** The envelope of a message from an agent. */
export const ENVELOPE: Form<AkashikRequest> = {
  isValid: validators.isAkashikRequest,
  diagnose: diagnosis.diagnoseAkashikRequest,
  name: "a message of Akashik",
  place: "",
};

export const REGISTER = payload(
  "REGISTER",
  validators.isAkashikRegisterRequest,
  diagnosis.diagnoseAkashikRegisterRequest,
);
export const DEREGISTER = payload(
  "DEREGISTER",
  validators.isAkashikDeregisterRequest,
  diagnosis.diagnoseAkashikDeregisterRequest,
);
export const RECORD = payload("RECORD", validators.isAkashikRecordRequest, diagnosis.diagnoseAkashikRecordRequest);
export const ATTUNE = payload("ATTUNE", validators.isAkashikAttuneRequest, diagnosis.diagnoseAkashikAttuneRequest);
export const DETECT = payload("DETECT", validators.isAkashikDetectRequest, diagnosis.diagnoseAkashikDetectRequest);
export const MERGE = payload("MERGE", validators.isAkashikMergeRequest, diagnosis.diagnoseAkashikMergeRequest);
export const SUBSCRIBE = payload(
  "the action `subscribe`",
  validators.isAkashikSubscribeRequest,
  diagnosis.diagnoseAkashikSubscribeRequest,
);
export const UNSUBSCRIBE = payload(
  "the action `unsubscribe`",
  validators.isAkashikUnsubscribeRequest,
  diagnosis.diagnoseAkashikUnsubscribeRequest,
);
export const LIST = payload("the action `list`", validators.isAkashikListRequest, diagnosis.diagnoseAkashikListRequest);

/** The form of the payload of one operation. */
function payload<Value>(name: string, isValid: Form<Value>["isValid"], diagnose: Form<Value>["diagnose"]): Form<Value> {
  return { isValid, diagnose, name, place: "payload." };
}

/** A sentence that names the first member of wrong form; undefined if the value has that form. */
export function formFault<Value>(form: Form<Value>, value: unknown): string | undefined {
  if (form.isValid(value)) return undefined;
  const [first] = form.diagnose(value);
  return first === undefined ? `This is no ${form.name}.` : sentenceOf(first, form);
}

/** A sentence about one violation. Members are named by their path in the message. */
function sentenceOf({ instancePath, keyword, params }: Diagnosis, { name, place }: Form<unknown>): string {
  const path = `${place}${instancePath.slice(1).replaceAll("/", ".")}`;
  if (keyword === "required") {
    const dot = path === "" || path.endsWith(".") ? "" : ".";
    return `Give \`${path}${dot}${String(params.missingProperty)}\`; ${name} needs it.`;
  }
  const subject = path === "" ? "The message" : `\`${path.endsWith(".") ? path.slice(0, -1) : path}\``;
  const wanted = params[keyword];
  switch (keyword) {
    case "type":
      return wanted === "union" ? `${subject} is of a wrong type.` : `${subject} must be of type ${String(wanted)}.`;
    case "const":
      return `${subject} must be ${JSON.stringify(wanted)}.`;
    case "enum":
      return `${subject} must be one of ${(wanted as readonly unknown[]).map((one) => JSON.stringify(one)).join(", ")}.`;
    case "minimum":
      return `${subject} must be at least ${String(wanted)}.`;
    case "maximum":
      return `${subject} must be at most ${String(wanted)}.`;
    case "minLength":
    case "minItems":
      return `${subject} must be at least ${String(wanted)} long.`;
    case "maxLength":
    case "maxItems":
      return `${subject} must be at most ${String(wanted)} long.`;
    default:
      return `${subject} is not as ${name} demands.`;
  }
}
