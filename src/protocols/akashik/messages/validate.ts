// The form of the messages that agents send: the members that the Field reads are as the schemas say. Other members may be anything.

import * as schemas from "#gen/akashik/schemas.js";
import type { AkashikRequest } from "#gen/akashik/types.js";
import * as validators from "#gen/akashik/validators.js";
import { firstSentence } from "../../../base/schema/fault-words.js";
import type { Schema } from "../../../base/schema/schema-faults.js";

/** A form that a value can be checked against. */
export interface Form<Value> {
  readonly isValid: (value: unknown) => value is Value;
  readonly schema: Schema;
  /** The value within its message, for people. */
  readonly name: string;
  /** The path to the value in its message. */
  readonly at: readonly string[];
}

/** The envelope of a message from an agent. */
export const ENVELOPE: Form<AkashikRequest> = {
  isValid: validators.isAkashikRequest,
  schema: schemas.AkashikRequest,
  name: "a message of Akashik",
  at: [],
};

export const REGISTER = payload("REGISTER", validators.isAkashikRegisterRequest, schemas.AkashikRegisterRequest);
export const DEREGISTER = payload(
  "DEREGISTER",
  validators.isAkashikDeregisterRequest,
  schemas.AkashikDeregisterRequest,
);
export const RECORD = payload("RECORD", validators.isAkashikRecordRequest, schemas.AkashikRecordRequest);
export const ATTUNE = payload("ATTUNE", validators.isAkashikAttuneRequest, schemas.AkashikAttuneRequest);
export const DETECT = payload("DETECT", validators.isAkashikDetectRequest, schemas.AkashikDetectRequest);
export const MERGE = payload("MERGE", validators.isAkashikMergeRequest, schemas.AkashikMergeRequest);
export const SUBSCRIBE = payload(
  "the action `subscribe`",
  validators.isAkashikSubscribeRequest,
  schemas.AkashikSubscribeRequest,
);
export const UNSUBSCRIBE = payload(
  "the action `unsubscribe`",
  validators.isAkashikUnsubscribeRequest,
  schemas.AkashikUnsubscribeRequest,
);
export const LIST = payload("the action `list`", validators.isAkashikListRequest, schemas.AkashikListRequest);

/** The form of the payload of one operation. */
function payload<Value>(name: string, isValid: Form<Value>["isValid"], schema: Schema): Form<Value> {
  return { isValid, schema, name, at: ["payload"] };
}

/** A sentence that names the first member of wrong form; undefined if the value has that form. */
export function formFault<Value>(form: Form<Value>, value: unknown): string | undefined {
  if (form.isValid(value)) return undefined;
  return firstSentence(form.schema, value, form.name, form.at) ?? `This is no ${form.name}.`;
}
