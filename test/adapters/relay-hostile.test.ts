// A producer elsewhere that does what no producer should: it costs itself a connection, and nobody else anything.

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, test } from "vitest";
import { ProducerStream } from "../../src/adapters/relay/producer-stream.js";
import { PLATFORM_TIMERS } from "../../src/client/timers.js";
import { eventually } from "../cli/command-stage.js";
import { isWhole } from "../support/extent.js";
import { whenFinished } from "../support/lifetime.js";
import { answering, produce, QUESTION, relayed } from "./relay-stage.js";

/** A producer of one answer to everything, byte for byte. */
async function answeringWith(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", () => void socket.write(bytes));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  whenFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Reads one stream. */
function read(base: string) {
  const said: { events: number; lost: string | undefined } = { events: 0, lost: undefined };
  const stream = new ProducerStream({
    base,
    timers: PLATFORM_TIMERS,
    chance: () => 0,
    mayOpen: async () => {},
    onOpen: async () => {},
    onMessage: async () => {
      said.events += 1;
    },
    onTaken: async () => {},
    onLost: ({ sentence }) => {
      said.lost ??= sentence;
    },
  });
  void stream.run();
  whenFinished(() => stream.close());
  return said;
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";

test.each([
  [`${HEAD}Content-Encoding: ${"gzip, ".repeat(5)}gzip\r\n\r\nx`, 'encodes its stream as "gzip, gzip'],
  [`${HEAD}Content-Encoding: br\r\n\r\nx`, "encodes its stream"],
  ["HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "answers 302"],
  [`${HEAD}X: ${"a".repeat(70_000)}\r\n\r\n`, "is not reached: Parse Error: Header overflow"],
  ["HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "without an answer"],
  ["nothing of HTTP", "is not reached: Parse Error"],
])("%.50j is told as what is wrong with the producer", async (bytes, sentence) => {
  const said = read(await answeringWith(bytes));
  await eventually(() => expect(said.lost).toContain(sentence));
});

test("a stream may say that it is not encoded, and be longer in all than a message may be", async () => {
  const message = `data: ${"x".repeat(100_000)}\n\n`;
  const said = read(await answeringWith(`${HEAD}Content-Encoding: identity\r\n\r\n${message.repeat(12)}`));
  await eventually(() => expect(said).toEqual({ events: 12, lost: undefined }));
});

test("R34: the daemon has its turns while a producer sends nothing but empty events", async () => {
  const { base, producer } = await produce();
  const said = read(base);
  await eventually(() => expect(producer.places.length).toBe(1));
  const count = isWhole ? 60_000 : 15_000;
  let turns = 0;
  producer.saysText("data:\n\n".repeat(count));
  while (said.events < count) {
    await nextTurn();
    if (said.events > 0) turns += 1;
  }
  expect(turns).toBeGreaterThan(count / 2000);
});

test("lines may end with CR, or with CR and LF, wherever they are cut", async () => {
  const { base, producer } = await produce();
  const said = read(base);
  await eventually(() => expect(producer.places.length).toBe(1));
  for (const part of ["data: {}\r", "\n", "\r\n", 'data: {"a":1}\r\r', "data: {}\n\r", "\ndata: x\r\n\r", "\n:\n"]) {
    producer.saysText(part);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await eventually(() => expect(said.events).toBe(4));
});

it("asks people 20 questions a minute at most, and the others are told as refused", async () => {
  const { producer, daemon } = await relayed();
  const { heard } = await answering(daemon);
  producer.says("session.started", { summary_normal: "Asks." });
  for (let number = 100; number < 150; number += 1) {
    producer.says("awaiting.confirmation", { ...QUESTION, reply_token: `rpl_${"0".repeat(29)}${number}` });
    producer.says("state.changed", { from_state: "awaiting_input", to_state: "thinking", summary_normal: "Goes on." });
  }
  producer.says("session.completed", { summary_normal: "Over." });
  await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("Over."));
  expect(heard.filter(({ type }) => type.endsWith("awaiting.confirmation")).length).toBeLessThanOrEqual(20);
});
