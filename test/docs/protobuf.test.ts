// The examples of docs/protobuf.md: the same thing as JSON, as text and as bytes.
import { type DescMessage, equals, fromBinary } from "@bufbuild/protobuf";
import { fromText } from "@bufbuild/protobuf/txtpb";
import { expect, test } from "vitest";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import { CapabilitiesSchema } from "#gen/aaep/v1/handshake_pb.js";
import { isStateChangedEvent } from "#gen/aaep/validators.js";
import { encodeDocument } from "../../src/protocols/aaep/protobuf/encode.js";
import { docBlocks, docPage } from "../support/doc-blocks.js";
import { documentOf, messageOf } from "../support/protobuf-documents.js";
import { isAsPublished } from "../support/published-schemas.js";

const PAGE = docPage("protobuf.md");
const JSONS = docBlocks(PAGE, "json");
const TEXTS = docBlocks(PAGE, "textproto");
const HEXES = docBlocks(PAGE, "hex");

function descriptorOf(name: string): DescMessage {
  return name === "lists" ? CapabilitiesSchema : EventSchema;
}

test("every example in JSON has one in protobuf", () => {
  expect(JSONS.size).toBe(7);
  expect([...TEXTS.keys()]).toEqual([...JSONS.keys()]);
  expect(PAGE.match(/```json/g)).toHaveLength(JSONS.size);
});

test.each([...JSONS])("%s is the same in JSON and in protobuf", (name, json) => {
  const descriptor = descriptorOf(name);
  const message = fromText(descriptor, TEXTS.get(name) ?? "");
  expect(equals(descriptor, messageOf(descriptor, JSON.parse(json)), message)).toBe(true);
  expect(documentOf(descriptor, message)).toEqual(JSON.parse(json));
});

test.each([...HEXES])("the bytes of %s", (name, hex) => {
  const descriptor = descriptorOf(name);
  const bytes = Buffer.from(hex.replaceAll(/\s/g, ""), "hex");
  const document = JSON.parse(JSONS.get(name) ?? "");
  expect(Buffer.from(encodeDocument(descriptor, document)).toString("hex")).toBe(bytes.toString("hex"));
  expect(documentOf(descriptor, fromBinary(descriptor, bytes))).toEqual(document);
});

test("what is said to be an event or a capability is one", () => {
  expect(isStateChangedEvent(JSON.parse(JSONS.get("event") ?? ""))).toBe(true);
  expect(isAsPublished("aaep", "Capabilities", JSON.parse(JSONS.get("lists") ?? ""))).toBe(true);
});
