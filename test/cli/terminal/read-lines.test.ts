import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { openInput, readJson, readLines } from "../../../src/cli/terminal/read-lines.js";

async function linesOf(chunks: readonly Buffer[]) {
  const lines = [];
  for await (const line of readLines(Readable.from(chunks), "-")) lines.push(line);
  return lines;
}

test("lines are cut on bytes, wherever the chunks are cut", async () => {
  const bytes = Buffer.from('{"a":"中\u2028🙂"}\r\n\n{"b":1}');
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    const lines = await linesOf(chunks);
    expect(lines.map(({ number }) => number)).toEqual([1, 3]);
    expect(lines.map(readJson)).toEqual([
      { kind: "object", fields: { a: "中\u2028🙂" } },
      { kind: "object", fields: { b: 1 } },
    ]);
  }
});

test("a line that is not UTF-8, not JSON, or no object is told as such", async () => {
  const [bad, broken, list] = await linesOf([Buffer.from([0xff, 0x0a]), Buffer.from("{\n[1]\n")]);
  expect(bad && readJson(bad)).toMatchObject({ kind: "fault", fault: { code: "invalid_json" } });
  expect(broken && readJson(broken)).toMatchObject({ kind: "fault", fault: { code: "invalid_json" } });
  expect(list && readJson(list)).toMatchObject({ kind: "fault", fault: { code: "invalid_event" } });
});

test("a line without an end does not fill the memory, and the next one is read", async () => {
  const megabyte = Buffer.alloc(1024 * 1024, 0x61);
  const lines = await linesOf([...Array.from({ length: 6 }, () => megabyte), Buffer.from("\n{}\n")]);
  expect(lines).toMatchObject([
    { number: 1, text: undefined, fault: { code: "message_too_large" } },
    { number: 2, text: "{}" },
  ]);
});

test("a file that is not there is a mistake of the command line", async () => {
  await expect(openInput("/no/such/file", Readable.from([]))).rejects.toMatchObject({
    code: "usage",
    sentence: expect.stringContaining("there is no such file"),
  });
});
