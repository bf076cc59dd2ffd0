// Documents of any kind, and well-formed messages of the mirrors.
import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import fc from "fast-check";
import { memberNameOf } from "../../src/protocols/aaep/protobuf/plan.js";
import { anyCharacter } from "./any-character.js";
import { objectOf } from "./canonical-json.js";

/** Names that have a meaning to the language or to the mirrors. */
const TRICKY_NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "additional",
  "type",
  "values",
  "1",
  "",
  "a/b~c",
];
const TRICKY_VALUES = [
  null,
  true,
  -0,
  1,
  -1,
  1.5,
  2 ** 32,
  2 ** 53,
  -(2 ** 53) - 2,
  1e300,
  "",
  "9007199254740993",
  "18446744073709551616",
  "-9223372036854775808",
  "09007199254740993",
  "\ud800",
  "\uFEFF\uFEFFx",
  // They begin with the first byte of U+FEFF, and have its second or its last.
  "\uFEC1x",
  "\uFF3Fx",
  "unspecified",
  "critical",
  "aaep:agent.session.started",
  "https://aaep-protocol.org/types/agent.tool.invoked",
  [],
  [[]],
  {},
  [null],
];

const trickyName = fc.constantFrom(...TRICKY_NAMES);
const text = fc.string({
  unit: fc.constantFrom("a", "_", "é", "中", "😀", "\ud800", "\udc00", "\u0000", "\uFEFF"),
  maxLength: 60,
});

/** Any JSON value; names of members are those of the mirrors, or strange, or plain. */
function anyValue(names: readonly string[]): fc.Arbitrary<unknown> {
  const name = fc.oneof(fc.constantFrom(...names), trickyName, text);
  return fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom<unknown>(...TRICKY_VALUES),
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      tie("object"),
      fc.array(tie("value"), { maxLength: 4 }),
    ),
    object: fc.array(fc.tuple(name, tie("value")), { maxLength: 6 }).map(objectOf),
  })).value;
}

/** Any JSON object, most of its members called as those of the message, its payloads and the messages within. */
export function anyDocument(descriptor: DescMessage): fc.Arbitrary<Record<string, unknown>> {
  const types = descriptor.oneofs.flatMap(({ fields }) =>
    fields.map(({ name }) => `aaep:agent.${name.replaceAll("_", ".")}`),
  );
  const names = ["type", ...namesIn(descriptor, new Set())];
  const value = anyValue(names);
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: trickyName },
    text,
  );
  const members = fc.array(fc.tuple(name, value), { maxLength: 12 });
  if (types.length === 0) return members.map(objectOf);
  return fc
    .tuple(members, fc.option(fc.constantFrom(...types), { freq: 3 }))
    .map(([known, type]) =>
      objectOf(type === null ? known : [["type", type], ...known.filter(([name]) => name !== "type")]),
    );
}

function namesIn(descriptor: DescMessage, seen: Set<string>): readonly string[] {
  if (seen.has(descriptor.typeName) || descriptor.typeName.startsWith("google.")) return [];
  seen.add(descriptor.typeName);
  const own = descriptor.fields.filter(({ oneof }) => oneof === undefined).map(memberNameOf);
  return [...own, ...descriptor.fields.flatMap(({ message }) => (message === undefined ? [] : namesIn(message, seen)))];
}

/** Texts as protobuf has them: no half characters. The library's decoder takes a leading U+FEFF away, so that none begins with it. */
const wellFormedText = fc.string({ unit: anyCharacter, maxLength: 20 }).filter((one) => !one.startsWith("\uFEFF"));
const structName = wellFormedText.filter((name) => name !== "__proto__");
const jsonValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    wellFormedText,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(structName, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** Messages that say everything in one way: a payload with its type, in `additional` only what no field can hold, no list that is empty. */
export function wellFormedMessages(descriptor: DescMessage): fc.Arbitrary<Message> {
  const payload = descriptor.oneofs.find(({ name }) => name === "payload");
  const plain = descriptor.fields.filter(
    (field) => field.name !== "additional" && (payload === undefined || field.oneof !== payload),
  );
  const named = plain.map((field) =>
    fc.option(
      fieldValues(field).map((value) => [field.localName, value] as const),
      { nil: undefined },
    ),
  );
  const taken = new Set([
    ...namesIn(descriptor, new Set()),
    ...(payload?.fields ?? []).flatMap(({ message }) => (message?.fields ?? []).map(memberNameOf)),
    "type",
  ]);
  const additional = fc.dictionary(
    structName.filter((name) => !taken.has(name)),
    jsonValue,
    { minKeys: 1, maxKeys: 3, noNullPrototype: true },
  );
  const hasAdditional = descriptor.fields.some(({ name }) => name === "additional");
  const rest = hasAdditional ? fc.option(additional, { nil: undefined }) : fc.constant(undefined);
  const body = payload === undefined ? fc.constant({}) : payloads(payload.fields);
  return fc.tuple(fc.tuple(...named), rest, body).map(([members, more, said]) => {
    const init = { ...Object.fromEntries(members.filter((member) => member !== undefined)), ...said };
    return create(descriptor, more === undefined ? init : { ...init, additional: more });
  });
}

function payloads(fields: readonly DescField[]): fc.Arbitrary<Record<string, unknown>> {
  const cores = fields.flatMap((field) => {
    if (field.message === undefined) return [];
    const kind = `agent.${field.name.replaceAll("_", ".")}`;
    const type = fc.constantFrom(`aaep:${kind}`, `https://aaep-protocol.org/types/${kind}`);
    const value = wellFormedMessages(field.message);
    return [
      fc
        .tuple(type, value)
        .map(([one, message]) => ({ type: one, payload: { case: field.localName, value: message } })),
    ];
  });
  return fc.oneof(...cores, fc.constant({ type: "acme:thing.happened" }), fc.constant({}));
}

function fieldValues(field: DescField): fc.Arbitrary<unknown> {
  if (field.fieldKind === "list") {
    // A list in JSON may be empty within the message that stands for it, and nowhere else.
    const minLength = field.name === "values" || field.parent.name === "AaepdPending" ? 0 : 1;
    return fc.array(valuesOfField(field), { minLength, maxLength: 3 });
  }
  return valuesOfField(field);
}

function valuesOfField(field: DescField): fc.Arbitrary<unknown> {
  if (field.enum !== undefined) {
    return fc.constantFrom(...field.enum.values.filter(({ number }) => number !== 0).map(({ number }) => number));
  }
  if (field.message !== undefined) {
    if (field.message.typeName === "google.protobuf.Struct")
      return fc.dictionary(structName, jsonValue, { maxKeys: 3, noNullPrototype: true });
    return field.message.typeName === "google.protobuf.Value"
      ? jsonValue.map(valueMessage)
      : wellFormedMessages(field.message);
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return wellFormedText;
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.DOUBLE:
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case ScalarType.UINT32:
      return fc.integer({ min: 0, max: 0xffff_ffff });
    case ScalarType.UINT64:
      return fc.bigInt({ min: 0n, max: 2n ** 53n - 1n });
    case ScalarType.INT64:
      return fc.bigInt({ min: 0n, max: 2n ** 53n - 1n });
    default:
      throw new Error(`no values for ${field}`);
  }
}

function valueMessage(json: unknown): unknown {
  const kind = kindOf(json);
  return { $typeName: "google.protobuf.Value", kind };
}

function kindOf(json: unknown): unknown {
  if (json === null) return { case: "nullValue", value: 0 };
  if (typeof json === "boolean") return { case: "boolValue", value: json };
  if (typeof json === "number") return { case: "numberValue", value: json };
  if (typeof json === "string") return { case: "stringValue", value: json };
  if (Array.isArray(json)) {
    return { case: "listValue", value: { $typeName: "google.protobuf.ListValue", values: json.map(valueMessage) } };
  }
  const fields = Object.fromEntries(Object.entries(json as object).map(([name, value]) => [name, valueMessage(value)]));
  return { case: "structValue", value: { $typeName: "google.protobuf.Struct", fields } };
}
