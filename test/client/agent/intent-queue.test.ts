// The queue of a session by itself: what it takes, how it cuts, and what it frees.
import { describe, expect, test } from "vitest";
import { wholeEnd } from "../../../src/base/whole-end.js";
import { Drops } from "../../../src/client/agent/drops.js";
import { IntentQueue, QueueRoom } from "../../../src/client/agent/intent-queue.js";
import type { Intent } from "../../../src/client/agent/voice.js";

const EVENTS: Intent & { readonly kind: "events" } = { kind: "events", render: () => [] };
const QUESTION: Intent & { readonly kind: "question" } = { kind: "question", ask: () => {}, unheard: () => {} };

function queueOf(mostQueuedCharacters: number, mostQueuedEvents: number): IntentQueue {
  const limits = { mostQueuedCharacters, mostQueuedEvents };
  return new IntentQueue(limits, new QueueRoom(limits));
}

const shown = (intents: readonly Intent[]): readonly string[] =>
  intents.map((intent) => (intent.kind === "text" ? `${intent.outputId}: ${intent.text}` : intent.kind));

describe("the queue", () => {
  test("joins text of one output until something else comes", () => {
    const queue = queueOf(100, 100);
    queue.text("a", "1");
    queue.text("a", "2");
    queue.text("b", "3");
    queue.add(EVENTS);
    queue.text("b", "4");
    expect(shown(queue.take())).toEqual(["a: 12", "b: 3", "events", "b: 4"]);
    expect(queue.isEmpty).toBe(true);
  });

  test("takes a question alone", () => {
    const queue = queueOf(100, 100);
    queue.add(EVENTS);
    queue.add(QUESTION);
    queue.add(EVENTS);
    expect(shown(queue.take())).toEqual(["events"]);
    expect(shown(queue.take())).toEqual(["question"]);
    expect(shown(queue.take())).toEqual(["events"]);
    expect(shown(queue.take())).toEqual([]);
  });

  test("takes at most 64 intents and 65,536 characters together, and leaves the rest in its order", () => {
    const queue = queueOf(1_000_000, 1000);
    for (let index = 0; index < 70; index += 1) queue.add(EVENTS);
    expect(queue.take()).toHaveLength(64);
    expect(queue.take()).toHaveLength(6);
    queue.text("a", "x".repeat(65_530));
    queue.add(EVENTS);
    queue.text("b", "0123456789");
    const [first, second, third] = queue.take();
    expect(first).toMatchObject({ outputId: "a", text: "x".repeat(65_530) });
    expect(second?.kind).toBe("events");
    expect(third).toMatchObject({ outputId: "b", text: "012345" });
    // Text that is cut still grows.
    queue.text("b", "ab");
    expect(shown(queue.take())).toEqual(["b: 6789ab"]);
  });

  test.each([
    [80_006, true],
    [80_007, false],
  ])("has the room of a part of a text that was taken: %i characters fit: %s", (more, fits) => {
    const queue = queueOf(100_000, 1000);
    queue.text("a", "x".repeat(65_530));
    queue.text("b", "y".repeat(20_000));
    queue.take();
    queue.settled();
    expect(queue.text("b", "z".repeat(more))).toBe(fits);
  });

  test("leaves no text behind that is exactly full", () => {
    const queue = queueOf(1_000_000, 1000);
    queue.text("a", "x".repeat(65_536));
    queue.text("b", "y");
    expect(queue.take()).toHaveLength(1);
    expect(shown(queue.take())).toEqual(["b: y"]);
  });

  test("drops all text from the first that does not fit until half is free", () => {
    const queue = queueOf(10, 100);
    expect(queue.text("a", "12345678")).toBe(true);
    expect(queue.text("a", "901")).toBe(false);
    expect(queue.text("a", "9")).toBe(false);
    expect(queue.mayGrow).toBe(true);
    queue.take();
    expect(queue.text("b", "9")).toBe(true);
  });

  test("drops events and new text beyond its events, and takes essential ones", () => {
    const queue = queueOf(100, 2);
    expect(queue.add(EVENTS)).toBe(true);
    expect(queue.text("a", "1")).toBe(true);
    expect(queue.add(EVENTS)).toBe(false);
    expect(queue.text("a", "2")).toBe(true);
    expect(queue.text("b", "3")).toBe(false);
    expect(queue.add(EVENTS, true)).toBe(true);
    expect(shown(queue.clear())).toEqual(["events", "a: 12", "events"]);
    expect(queue.isEmpty).toBe(true);
    expect(queue.text("b", "3")).toBe(true);
  });
});

test("the queues of an agent share the room of sixteen, which what is under way takes up until it is settled", () => {
  const limits = { mostQueuedCharacters: 10, mostQueuedEvents: 10 };
  const room = new QueueRoom(limits);
  const queues = Array.from({ length: 17 }, () => new IntentQueue(limits, room));
  const isTaken = queues.map((queue) => queue.text("a", "0123456789"));
  expect(isTaken).toEqual([...Array.from({ length: 16 }, () => true), false]);
  const [first, second] = queues;
  const last = queues.at(-1);
  first?.take();
  expect(last?.text("a", "x")).toBe(false);
  first?.settled();
  expect(last?.text("a", "0123456789")).toBe(true);
  expect(first?.text("b", "x")).toBe(false);
  second?.clear();
  expect(first?.text("b", "0123456789")).toBe(true);
  for (const queue of queues) {
    queue.take();
    queue.settled();
    queue.clear();
  }
  // Everything is free again.
  expect(queues.slice(0, 16).every((queue) => queue.text("c", "0123456789"))).toBe(true);
  expect(queues[16]?.add(EVENTS)).toBe(true);
});

test("events of all queues are bounded likewise", () => {
  const limits = { mostQueuedCharacters: 10, mostQueuedEvents: 2 };
  const room = new QueueRoom(limits);
  const queues = Array.from({ length: 17 }, () => new IntentQueue(limits, room));
  const taken = queues.map((queue) => [queue.add(EVENTS), queue.add(EVENTS)].filter(Boolean).length);
  expect(taken).toEqual([...Array.from({ length: 16 }, () => 2), 0]);
  expect(queues[16]?.add(EVENTS, true)).toBe(true);
});

test.each([
  { text: "abc", length: 2, end: 2 },
  { text: "abc", length: 5, end: 5 },
  { text: "a\u{1f642}b", length: 2, end: 1 },
  { text: "a\u{1f642}b", length: 3, end: 3 },
  { text: "\u{1f642}", length: 1, end: 1 },
  { text: "a\ud83d", length: 2, end: 2 },
])("R25: $text is cut at $end of $length", ({ text, length, end }) => {
  expect(wholeEnd(text, length)).toBe(end);
});

test("an author who answers a drop with more text is told once of the hole, and of the rest at its end", () => {
  const told: number[] = [];
  const drops = new Drops(({ droppedCharacters }) => {
    told.push(droppedCharacters);
    if (told.length < 100) drops.drop(1, 0);
  });
  drops.drop(5, 0);
  expect(told).toEqual([5]);
  drops.tellRest();
  expect(told).toEqual([5, 1]);
});
