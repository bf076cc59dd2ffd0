import type { IncomingMessage } from "node:http";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import { MAX_MESSAGE_VALUES } from "../../../src/base/json-document.js";
import { readBody } from "../../../transports/connect/read-body.js";
import { enveloped } from "../../support/services/raw-calls.js";

const bytesOf = (count: number): Uint8Array => {
  const writer = new BinaryWriter();
  for (let index = 0; index < count; index += 1) {
    if (index % 4 === 0) writer.tag(900, 0).uint32(70_000);
    else if (index % 4 === 1) writer.tag(2, 2).string(index % 400 === 1 ? "x".repeat(300) : "");
    else if (index % 4 === 2) writer.tag(3, 1).double(1);
    else writer.tag(4, 5).float(1);
  }
  return writer.finish();
};

async function passed(body: Uint8Array, isEnveloped: boolean, pieceBytes: number): Promise<Uint8Array> {
  async function* pieces() {
    for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
  }
  const request = { headers: {}, iterator: pieces } as unknown as IncomingMessage;
  const exchange = {
    request,
    contentType: isEnveloped ? "application/connect+proto" : "application/proto",
  };
  const out: Uint8Array[] = [];
  for await (const piece of readBody(exchange)) out.push(piece);
  return Buffer.concat(out);
}

describe("R34: fields of a message are counted before the library makes an object of each", () => {
  it.each([65_536, 4093, 7])("however the body is cut: pieces of %i bytes", async (pieceBytes) => {
    const most = bytesOf(MAX_MESSAGE_VALUES);
    expect(Buffer.compare(await passed(most, false, pieceBytes), most)).toBe(0);
    const several = Buffer.concat([enveloped(most), enveloped(new Uint8Array()), enveloped(most)]);
    expect(Buffer.compare(await passed(several, true, pieceBytes), several)).toBe(0);
    const more = bytesOf(MAX_MESSAGE_VALUES + 1);
    const refused = { code: 8 };
    await expect(passed(more, false, pieceBytes)).rejects.toMatchObject(refused);
    await expect(passed(Buffer.concat([enveloped(most), enveloped(more)]), true, pieceBytes)).rejects.toMatchObject(
      refused,
    );
  });

  it("a compressed message has no fields before it is decompressed, and bytes that are no message go on to the library", async () => {
    for (const body of [
      enveloped(bytesOf(MAX_MESSAGE_VALUES + 1), 1),
      Buffer.alloc(100, 0xff),
      enveloped(Buffer.alloc(99, 7)),
    ])
      expect(Buffer.compare(await passed(body, true, 64), body)).toBe(0);
  });
});
