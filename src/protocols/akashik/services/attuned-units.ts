// The units in an answer to ATTUNE: in JSON, a unit has the members that its `format` names; in protobuf, its other fields are not set.
import { MemoryUnitSchema } from "#gen/akashik/v1/akashik_service_pb.js";
import { isFormat, UNIT_MEMBERS } from "../messages/unit-formats.js";
import type { JsonFields } from "./json-forms.js";

/** A unit of protobuf in which no field is set. */
const NOTHING_SET: JsonFields = Object.fromEntries(
  MemoryUnitSchema.fields.map(({ name, fieldKind }) => [name, fieldKind === "list" ? [] : null]),
);

type Change = (unit: JsonFields, names: readonly string[]) => JsonFields;

/** Leaves each unit the members of its format. */
export const narrowed = (answer: JsonFields): JsonFields =>
  withUnits(answer, (unit, names) => Object.fromEntries(names.map((name) => [name, unit[name]])));

/** Gives each unit the members that its format leaves out. A unit with other members than its format names loses all,
 * and so fits no message. */
export const widened = (answer: JsonFields): JsonFields =>
  withUnits(answer, (unit, names) =>
    Object.keys(unit).length === names.length && names.every((name) => name in unit) ? { ...NOTHING_SET, ...unit } : {},
  );

/** The answer with changed units. */
function withUnits(answer: JsonFields, change: Change): JsonFields {
  if (!isFields(answer) || !Array.isArray(answer.record)) return answer;
  const record = answer.record.map((item: unknown) => {
    if (!isFields(item) || !isFormat(item.format) || !isFields(item.memory_unit)) return item;
    return { ...item, memory_unit: change(item.memory_unit, UNIT_MEMBERS[item.format]) };
  });
  return { ...answer, record };
}

function isFields(value: unknown): value is JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
