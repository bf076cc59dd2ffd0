// The runner of exchanges: messages wait for a peer that takes nothing, in their order and within a limit.
import { expect, onTestFinished, test } from "vitest";
import type { ExchangeHost, ExchangeSession } from "../../src/contracts/exchange.js";
import type { Connection } from "../../src/contracts/transport.js";
import { createClock } from "../../src/daemon/platform/clock.js";
import { Turns } from "../../src/engine/time/turns.js";
import { createWaitingRoom, Exchange } from "../../src/runtime/run-exchange.js";
import { createMemoryPair } from "../../transports/memory/memory-pair.js";
import { createVirtualClock, settle } from "../support/rigs/virtual-clock.js";

const MIB = 1024 * 1024;

/** An exchange over a connection of `capacityFrames`, whose session takes notes and says nothing by itself. */
function opened(
  capacityFrames: number,
  {
    isReadAlways = false,
    passesOn = false,
    msEach = 0,
    room = createWaitingRoom(),
    clock = createVirtualClock(),
    readingTurns = new Turns(createClock(), { most: 256 }),
    over = (connection: Connection<string>): Connection<string> => connection,
  } = {},
) {
  const { first, second } = createMemoryPair<string>({ capacityFrames });
  const received: unknown[] = [];
  let host: ExchangeHost | undefined;
  const session: ExchangeSession = {
    receive: (message) => {
      received.push(message);
      clock.pass(msEach);
    },
    refuse: (fault) => void received.push(fault.code),
    isReadAlways: () => isReadAlways,
    passesOn: () => passesOn,
    room: () => undefined,
    isOpen: () => true,
    inputEnded: () => host?.close(),
    finish: () => Promise.resolve(),
    ended: () => {},
  };
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const closings: unknown[] = [];
  const conversation = new Exchange(
    {
      ...over(first),
      close: (fault, withinMs) => {
        closings.push(withinMs);
        return first.close(fault, withinMs);
      },
    },
    { textOf: (frame) => frame, frameOf: (text) => text },
    {
      open: (_, given) => {
        host = given;
        return session;
      },
    },
    { clock, log, handshakeTimeoutMs: () => 1000, room, readingTurns },
  );
  onTestFinished(async () => {
    await second.close();
  });
  if (host === undefined) throw new Error("the session was not opened");
  const { send, offer, close, isGone } = host;
  return { send, offer, close, isGone, peer: second, received, conversation, clock, closings };
}

/** Takes frames of the peer until `count` have come, or the connection is over. */
async function taken(peer: ReturnType<typeof opened>["peer"], count = Number.POSITIVE_INFINITY) {
  const all: string[] = [];
  for await (const frames of peer.frames) {
    all.push(...frames);
    if (all.length >= count) break;
  }
  return all;
}

test("a session is told that its connection has gone", async () => {
  const { peer, isGone, conversation } = opened(8);
  expect(isGone()).toBe(false);
  await peer.close();
  await conversation.done;
  expect(isGone()).toBe(true);
});

test.each([
  { passesOn: false, most: 32_768 },
  { passesOn: true, most: 131_072 },
])("R34: a session takes messages of $most values if passesOn is $passesOn", async ({ passesOn, most }) => {
  const { peer, received, conversation } = opened(8, { passesOn });
  const listOf = (count: number): string => JSON.stringify(Array(count).fill(0));
  peer.send(listOf(most));
  peer.send(listOf(most + 1));
  await peer.close();
  await conversation.done;
  expect(received).toEqual([Array(most).fill(0), "message_too_large"]);
});

test("messages that wait come in their order, once each, and the exchange ends behind them", async () => {
  const { send, close, peer, conversation } = opened(1);
  const texts = Array.from({ length: 50 }, (_, index) => `"${index}"`);
  for (const text of texts) expect(send(text)).toBe(true);
  close();
  expect(await taken(peer)).toEqual(texts);
  await conversation.done;
});

test("R34: the next message of a peer is taken when the peer has taken its answers", async () => {
  const { send, peer, received } = opened(1);
  peer.send("1");
  await expect.poll(() => received).toEqual([1]);
  for (let index = 0; index < 3; index += 1) send(`"${"x".repeat(MIB)}"`, true);
  peer.send("2");
  peer.send("3");
  await settle();
  expect(received.length).toBeLessThan(3);
  await taken(peer, 3);
  await expect.poll(() => received).toEqual([1, 2, 3]);
});

test("messages wait again after all that waited before have gone", async () => {
  const { send, close, peer } = opened(2);
  const all: string[] = [];
  const reading = (async () => {
    for await (const frames of peer.frames) all.push(...frames);
  })();
  const texts: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 10; index += 1) {
      texts.push(`"${round} ${index}"`);
      send(texts.at(-1) ?? "");
    }
    await expect.poll(() => all.length).toBe(texts.length);
  }
  close();
  await reading;
  expect(all).toEqual(texts);
});

test("above 8 MiB a message is dropped, and a final one is taken", async () => {
  const { send, close, peer } = opened(1);
  const long = "x".repeat(MIB);
  let takenCount = 0;
  while (send(long)) takenCount += 1;
  expect(takenCount).toBe(10);
  expect(send("small")).toBe(false);
  expect(send(long, true)).toBe(true);
  close();
  expect((await taken(peer)).map(({ length }) => length)).toEqual(Array(11).fill(MIB));
});

test("a frame that is no message is refused, and what follows is taken", async () => {
  const { peer, received, close, conversation } = opened(8);
  for (const text of ['{"a":1}', "{", '{"a":1,"a":2}', "[2]"]) peer.send(text);
  await expect.poll(() => received.length).toBe(4);
  expect(received).toEqual([{ a: 1 }, "invalid_json", "invalid_message", [2]]);
  close();
  await conversation.done;
});

/** Lets everything happen that waits for no clock. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([
  ["is not read while it takes nothing", false, 0],
  ["is read all the same if it serves others", true, 1],
])("a peer %s", async (_, isReadAlways, count) => {
  const { send, peer, received } = opened(1, { isReadAlways });
  while (send("x".repeat(MIB)));
  peer.send("[0]");
  await expect.poll(() => received.length).toBe(1);
  peer.send("[1]");
  for (let round = 0; round < 5; round += 1) await quiet();
  expect(received.length).toBe(1 + count);
});

test("R34: messages that take long give way after two milliseconds", async () => {
  const clock = createVirtualClock();
  const readingTurns = new Turns(clock, { most: 256 });
  const { peer, received, close, conversation } = opened(64, { msEach: 1, clock, readingTurns });
  for (let index = 0; index < 10; index += 1) peer.send(String(index));
  for (let round = 0; round < 5; round += 1) await quiet();
  expect(received).toEqual([0, 1]);
  clock.turn();
  for (let round = 0; round < 5; round += 1) await quiet();
  expect(received).toEqual([0, 1, 2, 3]);
  for (let round = 0; round < 5; round += 1) {
    clock.turn();
    await quiet();
  }
  expect(received).toHaveLength(10);
  for (let index = 0; index < 3; index += 1) peer.send(String(index));
  await quiet();
  expect(received).toHaveLength(12);
  close();
  for (let round = 0; round < 5; round += 1) await quiet();
  clock.turn();
  expect(received).toHaveLength(12);
  await conversation.done;
});

test("R34: exchanges share a turn, and continue one after another", async () => {
  const clock = createVirtualClock();
  const readingTurns = new Turns(clock, { most: 256 });
  const exchanges = [1, 2, 3].map(() => opened(64, { msEach: 1, clock, readingTurns }));
  for (const { peer } of exchanges) for (let index = 0; index < 4; index += 1) peer.send(String(index));
  const counts: number[][] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    for (let round = 0; round < 5; round += 1) await quiet();
    counts.push(exchanges.map(({ received }) => received.length));
    clock.turn();
  }
  expect(counts).toEqual([
    [2, 0, 0],
    [3, 1, 0],
    [4, 1, 1],
    [4, 2, 2],
    [4, 3, 3],
    [4, 4, 4],
  ]);
});

test("an offer is taken by a peer that takes messages, and by no other", async () => {
  const { send, offer, close, peer } = opened(1);
  expect([offer('"1"'), offer('"2"'), offer('"lost"'), send('"3"')]).toEqual([true, true, false, true]);
  expect(await taken(peer, 3)).toEqual(['"1"', '"2"', '"3"']);
  await expect.poll(() => offer('"4"')).toBe(true);
  close();
});

test("R34: all exchanges together keep no more than their room, and a peer that goes gives its part back", async () => {
  const room = createWaitingRoom(3 * MIB);
  const [first, second] = [opened(1, { room }), opened(1, { room })];
  const long = "x".repeat(MIB);
  let count = 0;
  while (first.send(long)) count += 1;
  expect(count).toBe(2 + 3);
  second.send("a");
  second.send("b");
  expect(second.send("c")).toBe(false);
  await first.peer.close();
  await first.conversation.done;
  expect(second.send("d")).toBe(true);
});

test("R18: a peer that takes nothing for a minute is given up", async () => {
  const { send, clock, conversation, peer } = opened(1);
  while (send("x".repeat(MIB)));
  clock.advance(59_999);
  expect(send("final", true)).toBe(true);
  clock.advance(1);
  expect(send("final", true)).toBe(false);
  await peer.close();
  await conversation.done;
});

test("R8a: a stop waits once for a peer that takes nothing, until its time is over", async () => {
  const { send, clock, conversation, peer, closings } = opened(1);
  while (send("x".repeat(MIB)));
  const finished = conversation.finish("producer_shutdown", clock.now() + 1000);
  await quiet();
  clock.advance(999);
  await quiet();
  expect(closings).toEqual([]);
  clock.advance(1);
  await quiet();
  expect(closings).toEqual([100]);
  await peer.close();
  await finished;
  await conversation.done;
});

test("R18: a peer that takes a message within each minute is not given up, however long the rest takes", async () => {
  const all: string[] = [];
  let givenCount = 0;
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const { send, clock, peer } = opened(1, {
    // It takes more when all that it was given has been taken, as a buffer that is back at its mark.
    over: (connection) => ({
      ...connection,
      send: (text) => {
        givenCount += 1;
        return connection.send(text);
      },
      writable: async () => {
        while (all.length < givenCount && !isOver) await quiet();
      },
    }),
  });
  const texts = Array.from({ length: 12 }, (_, index) => `"${index}"`);
  for (const text of texts) expect(send(text)).toBe(true);
  let isTaken = false;
  peer.read({
    take: (text) => {
      all.push(text);
      isTaken = true;
      return false;
    },
    end: () => {},
  });
  for (let count = 1; count < texts.length; count += 1) {
    await expect.poll(() => isTaken).toBe(true);
    await quiet();
    clock.advance(25_000);
    isTaken = false;
    peer.readOn();
  }
  await expect.poll(() => all).toEqual(texts);
  expect(send("more")).toBe(true);
});
