// JSON and messages of protobuf with the same members: in JSON, a field that is not set is null, and a list is always there.
import { type DescField, ScalarType } from "@bufbuild/protobuf";

/** An object of JSON. */
export type JsonFields = Readonly<Record<string, unknown>>;

/**
 * Completes the JSON of a message, as the library writes it with `useProtoFieldName` and `alwaysEmitImplicit`. Whole numbers become numbers; one
 * beyond 2^53 loses digits. `fields`: those of the message.
 */
export function completed(fields: readonly DescField[], written: JsonFields): JsonFields {
  return Object.fromEntries(fields.map((field) => [field.name, completedValue(field, written[field.name])]));
}

function completedValue(field: DescField, written: unknown): unknown {
  if (written === undefined) return null;
  const { fieldKind, message, scalar } = field;
  if (message !== undefined && fieldKind === "list")
    return (written as readonly JsonFields[]).map((item) => completed(message.fields, item));
  if (message !== undefined) return completed(message.fields, written as JsonFields);
  // The library writes whole numbers of 64 bits as texts.
  return scalar === ScalarType.UINT64 ? Number(written) : written;
}

/** Whether `completed` makes `value` of some message: it has all members and no other, each of the type of its field, or null. */
export function fits(fields: readonly DescField[], value: unknown): value is JsonFields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as JsonFields;
  return (
    Object.keys(members).length === fields.length && fields.every((field) => fitsField(field, members[field.name]))
  );
}

function fitsField(field: DescField, value: unknown): boolean {
  if (field.fieldKind === "list") return Array.isArray(value) && value.every((item) => fitsItem(field, item));
  return value === null || fitsItem(field, value);
}

function fitsItem({ message, scalar }: DescField, value: unknown): boolean {
  if (message !== undefined) return fits(message.fields, value);
  switch (scalar) {
    case ScalarType.STRING:
      return typeof value === "string";
    case ScalarType.BOOL:
      return typeof value === "boolean";
    case ScalarType.DOUBLE:
      return typeof value === "number";
    default:
      return Number.isSafeInteger(value) && Number(value) >= 0;
  }
}
