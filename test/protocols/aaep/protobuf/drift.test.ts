// The mirrors in proto/ and the schemas say the same: a field on one side alone is a failure that says what to add where.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { beforeAll, expect, test } from "vitest";
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

test("no field, type, value, presence or requirement is on one side alone", () => {
  const fileOf = (title: string): string => PATHS.get(title) ?? title;
  expect(driftsOf({ schemas: flatSchemas(), fileOf, registry: createFileRegistry(image) })).toEqual([]);
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
