// An envelope of Akashik in protobuf, and its JSON.
import { type DescField, type DescMessage, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { type Envelope, EnvelopeSchema } from "#gen/akashik/v1/akashik_service_pb.js";
import { PROTOCOL } from "../messages/protocol.js";
import { narrowed, widened } from "./attuned-units.js";
import { completed, fits, type JsonFields } from "./json-forms.js";

type PayloadCase = NonNullable<Envelope["payload"]["case"]>;

/** The operation of each form of a payload. An error answers to any operation. */
const OPERATION_OF: Readonly<Record<PayloadCase, string | undefined>> = {
  registerRequest: "REGISTER",
  registerAnswer: "REGISTER",
  deregisterRequest: "DEREGISTER",
  deregisterAnswer: "DEREGISTER",
  recordRequest: "RECORD",
  recordAnswer: "RECORD",
  attuneRequest: "ATTUNE",
  attuneAnswer: "ATTUNE",
  detectRequest: "DETECT",
  detectAnswer: "DETECT",
  mergeRequest: "MERGE",
  mergeAnswer: "MERGE",
  subscribeRequest: "SUBSCRIBE",
  subscribeAnswer: "SUBSCRIBE",
  listAnswer: "SUBSCRIBE",
  notification: "SUBSCRIBE",
  error: undefined,
};

interface PayloadForm {
  readonly name: PayloadCase;
  readonly operation: string | undefined;
  /** The name of the payload's field, as the library writes it. */
  readonly fieldName: string;
  readonly fields: readonly DescField[];
}

const FORMS: readonly PayloadForm[] = Object.entries(OPERATION_OF).map(([key, operation]) => {
  const name = key as PayloadCase;
  const { name: fieldName, message } = EnvelopeSchema.field[name];
  return { name, operation, fieldName, fields: (message as DescMessage).fields };
});

const FORM_BY_CASE: ReadonlyMap<string | undefined, PayloadForm> = new Map(FORMS.map((form) => [form.name, form]));

/** The fields of an envelope beside its payload. */
const OUTER_FIELDS = EnvelopeSchema.fields.filter(({ oneof }) => oneof === undefined);

/** The JSON of an envelope. `operation`: where it is not set, that of the payload. Without a payload, the payload is an empty object. */
export function textOfEnvelope(envelope: Envelope): string {
  const written = toJson(EnvelopeSchema, envelope, { useProtoFieldName: true, alwaysEmitImplicit: true }) as JsonFields;
  const outer = completed(OUTER_FIELDS, written);
  const form = FORM_BY_CASE.get(envelope.payload.case);
  return JSON.stringify({
    protocol: PROTOCOL,
    ...outer,
    operation: outer.operation ?? form?.operation ?? null,
    payload: form === undefined ? {} : narrowed(completed(form.fields, written[form.fieldName] as JsonFields)),
  });
}

/** The envelope that a text of JSON is; undefined if a part of the text has no place in one, so that `textOfEnvelope` would not write the same. */
export function envelopeOf(text: string): Envelope | undefined {
  const { protocol, payload, ...outer } = JSON.parse(text) as JsonFields;
  if (protocol !== PROTOCOL || !fits(OUTER_FIELDS, outer)) return undefined;
  const whole = widened(payload as JsonFields);
  const form = FORMS.find(
    ({ operation, fields }) => (operation === undefined || operation === outer.operation) && fits(fields, whole),
  );
  if (form === undefined) return undefined;
  try {
    return fromJson(EnvelopeSchema, { ...outer, [form.name]: whole } as JsonObject);
  } catch {
    // A text with a lone surrogate, which protobuf does not have.
    return undefined;
  }
}
