// Documents and messages of the mirrors, both ways.
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import { decodeDocument } from "../../../../src/protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../../../src/protocols/aaep/protobuf/encode.js";
import { EVENT_NAMES, example, mutations } from "../../../schemas/fixtures.js";
import { documentOf, messageOf } from "../../../support/protobuf-documents.js";

test.each(EVENT_NAMES)("%s goes through protobuf and back, whole and spoiled in every way", (name) => {
  const documents = [example(name), ...mutations(example(name))];
  for (const document of documents) {
    const back = decodeDocument(EventSchema, encodeDocument(EventSchema, document));
    if (!isDeepStrictEqual(back, document)) expect(back).toEqual(document);
  }
  const document = example(name);
  expect(documentOf(EventSchema, messageOf(EventSchema, document))).toEqual(document);
});
