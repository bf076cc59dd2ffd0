// What a command writes, where that goes wrong: a reader that has gone is no fault, a disk that is full is one.
import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { createLineWriter } from "../../../src/cli/terminal/line-writer.js";

/** Takes `count` writes, and then fails with a code of the system's. */
function failingAfter(count: number, code: string): Writable {
  let taken = 0;
  return new Writable({
    write: (_chunk, _encoding, done) => {
      taken += 1;
      done(taken > count ? Object.assign(new Error(code), { code }) : null);
    },
  });
}

it("a full disk is told, so that nobody takes a file for whole that is not", async () => {
  const writer = createLineWriter(failingAfter(2, "ENOSPC"));
  for (let line = 0; line < 5; line += 1) await writer.write(`line ${line}`);
  await expect(writer.flush()).rejects.toMatchObject({
    code: "storage_unavailable",
    sentence: "Standard output cannot be written (ENOSPC). Make room where it goes, and begin again.",
  });
  await expect(writer.gone).rejects.toMatchObject({ code: "storage_unavailable" });
});

it("a reader that has gone is no fault", async () => {
  const writer = createLineWriter(failingAfter(1, "EPIPE"));
  for (let line = 0; line < 5; line += 1) await writer.write(`line ${line}`);
  await writer.flush();
  expect(writer.hasGone()).toBe(true);
});

it("many lines that nobody waits for are one wait", async () => {
  const held: (() => void)[] = [];
  const output = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void held.push(done) });
  const before = output.listenerCount("drain");
  const writer = createLineWriter(output);
  const waits = Array.from({ length: 50 }, (_, line) => writer.write(`line ${line}`));
  expect(output.listenerCount("drain")).toBe(before + 1);
  const all = Promise.all(waits);
  for (let line = 0; line < 50; line += 1) {
    held.shift()?.();
    await new Promise(setImmediate);
  }
  expect(await all).toHaveLength(50);
  // The next line is another wait.
  let isTaken = false;
  void writer.write("line 50")?.then(() => {
    isTaken = true;
  });
  await new Promise(setImmediate);
  expect(isTaken).toBe(false);
});
