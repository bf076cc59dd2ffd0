// The mirrors in proto/ and the schemas say the same: a field on one side alone is a failure that says what to add where.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clone, create, createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, test } from "vitest";
import * as handshake from "#gen/aaep/v1/handshake_pb.js";
import {
  ListenResponseSchema,
  SubscribeRequestSchema,
  SubscribeResponseSchema,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import { buf } from "../../../../scripts/generate/buf.mjs";
import { readSchemas } from "../../../../scripts/generate/flatten.mjs";
import { jsonTypeOf } from "../../../../src/protocols/aaep/protobuf/plan.js";
import { flatSchemas, type Schema } from "../../../support/schema-values.js";
import { driftsOf } from "./drift.js";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const IDS = "https://aaep-protocol.org/schemas/v1/";
const PATHS = new Map(
  [...(readSchemas(join(ROOT, "schemas/aaep")) as ReadonlyMap<string, Schema>)].map(([id, { title }]) => [
    title,
    `schemas/aaep/${id.slice(IDS.length)}`,
  ]),
);

let image: FileDescriptorSet;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-image-"));
  try {
    const { code, text } = buf(ROOT, "build", "-o", join(folder, "image.binpb"));
    if (code !== 0) throw new Error(text);
    image = fromBinary(FileDescriptorSetSchema, readFileSync(join(folder, "image.binpb")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

interface Changes {
  readonly schemas?: (schemas: Map<string, Schema>) => void;
  readonly proto?: (file: (name: string) => FileDescriptorProto) => void;
}

/** The differences, after changes to either side. */
function drifts({ schemas, proto }: Changes = {}): readonly string[] {
  const changedSchemas = structuredClone(flatSchemas()) as Map<string, Schema>;
  schemas?.(changedSchemas);
  const changedImage = clone(FileDescriptorSetSchema, image);
  const fileNamed = (name: string): FileDescriptorProto => {
    const found = changedImage.file.find((file) => file.name === `aaep/v1/${name}.proto`);
    if (found === undefined) throw new Error(`no file ${name}`);
    return found;
  };
  proto?.(fileNamed);
  return driftsOf({
    schemas: changedSchemas,
    fileOf: (title) => PATHS.get(title) ?? title,
    registry: createFileRegistry(changedImage),
  });
}

function messageNamed(file: FileDescriptorProto, name: string): DescriptorProto {
  const found = file.messageType.find((message) => message.name === name);
  if (found === undefined) throw new Error(`no message ${name}`);
  return found;
}

/** Changes the schema of that title; `path` leads to an object within it. */
function withMembers(title: string, path: readonly string[], change: (object: Record<string, unknown>) => void) {
  return (schemas: Map<string, Schema>): void => {
    let object = schemas.get(title) as Record<string, unknown>;
    for (const step of path) object = object[step] as Record<string, unknown>;
    change(object);
  };
}

test("no field, type, value, presence or requirement is on one side alone", () => {
  expect(drifts()).toEqual([]);
});

describe("a change to one side alone says what to do on the other", () => {
  test.each<[string, Changes, string]>([
    [
      "a member of an event",
      {
        schemas: withMembers("SessionStartedEvent", ["properties"], (members) =>
          Object.assign(members, { mood: { type: "string" } }),
        ),
      },
      'schemas/aaep/core/agent.session.started.schema.json has "mood", message SessionStarted in proto/aaep/v1/event.proto has not: add `optional string mood = 8;` there',
    ],
    [
      "a value of an enum",
      {
        schemas: withMembers("Envelope", ["properties", "urgency"], (member) =>
          Object.assign(member, { enum: ["background", "normal", "critical", "whispered"] }),
        ),
      },
      '"urgency" in schemas/aaep/envelope.schema.json may be "whispered": add `URGENCY_WHISPERED = 4;` to enum Urgency in proto/aaep/v1/event.proto',
    ],
    [
      "a message",
      {
        schemas: (schemas) =>
          void schemas.set("AaepdShout", { type: "object", properties: {}, additionalProperties: false }),
      },
      "AaepdShout has no mirror: add `message AaepdShout` to proto/aaep/v1",
    ],
    [
      "a field",
      {
        proto: (file) =>
          void messageNamed(file("event"), "ToolInvoked").field.push(
            create(FieldDescriptorProtoSchema, {
              name: "cost",
              jsonName: "cost",
              number: 30,
              type: FieldDescriptorProto_Type.DOUBLE,
              label: FieldDescriptorProto_Label.OPTIONAL,
            }),
          ),
      },
      'message ToolInvoked in proto/aaep/v1/event.proto has cost, schemas/aaep/core/agent.tool.invoked.schema.json has not: add `"cost": {"type": "number"}` to its properties',
    ],
  ])("%s", (_, changes, wanted) => {
    expect(drifts(changes)).toContain(wanted);
  });
});

test("every message that the streams carry has its type in JSON, which is the one that its schema says", () => {
  const schemas = flatSchemas();
  const carried = [...SubscribeRequestSchema.fields, ...SubscribeResponseSchema.oneofs.flatMap(({ fields }) => fields)];
  expect(carried.length).toBeGreaterThan(12);
  for (const { message } of carried) expect(jsonTypeOf(message?.typeName ?? "")).toBeDefined();
  const types = [...schemas].flatMap(([title, { properties }]) => {
    const constant = properties?.type?.const;
    return constant === undefined ? [] : [[title, constant]];
  });
  expect(types.length).toBeGreaterThan(12);
  for (const [title, constant] of types)
    expect([title, jsonTypeOf(`aaep.v1.${title as string}`)]).toEqual([title, constant]);
  expect(Object.keys(handshake)).toContain("AaepdHeartbeatSchema");
});

test("the responses of Subscribe and Listen are the same bytes", () => {
  const shape = ({ fields }: typeof SubscribeResponseSchema | typeof ListenResponseSchema) =>
    fields.map(({ name, number, message, fieldKind, oneof }) => [
      name,
      number,
      message?.typeName,
      fieldKind,
      oneof?.name,
    ]);
  expect(shape(ListenResponseSchema)).toEqual(shape(SubscribeResponseSchema));
});
