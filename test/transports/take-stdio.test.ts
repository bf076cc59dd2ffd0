import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { takeStdio } from "../../transports/stdio/take-stdio.js";

it("whoever ends standard output neither writes to it nor ends the protocol's", async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { writable } = takeStdio({ stdin, stdout, stderr });
  await new Promise<void>((done) => stdout.end("last words of a dependency\n", done));
  await new Promise<void>((done) => stdout.end(done));
  writable.write(Buffer.from("{}\n"));
  await new Promise<void>((done) => writable.end(done));
  expect(String(stdout.read())).toBe("{}\n");
  expect(String(stderr.read())).toBe("last words of a dependency\n");
  expect(stdout.writableEnded).toBe(true);
});
