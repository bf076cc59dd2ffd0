// R17, R18: what many have missed is read in batches over the turns of the event loop, and each event of it is made once for all of them.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Subscription } from "../../../src/engine/subscriptions/subscription.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import {
  createEngineRig,
  cursorAfter,
  type EngineRig,
  type Received,
  session,
  textOf,
} from "../../support/rigs/engine-rig.js";

const TOKEN_COUNT = 3000;
const BATCH_COUNT = 256;
const RESUMER_COUNT = 20;
const EACH_TOKEN: Partial<Terms> = { coalesceBoundaries: ["none"], maxEventsPerSecond: undefined };
const { started, chunk, confirmation, completed } = session();
const WHOLE = Array.from({ length: TOKEN_COUNT }, (_, index) => `token ${index} `).join("");

interface Resumer {
  readonly subscription: Subscription;
  readonly received: Received[];
  /** Whether its transport takes nothing. */
  readonly block: (isBlocked: boolean) => void;
}

interface Stage {
  readonly rig: EngineRig;
  /** Comes back to all that was published since the session began. */
  readonly resume: (name: string, terms?: Partial<Terms>) => Resumer;
  /** How many events of the journal were read back since this was last asked. */
  readonly takeReadCount: () => number;
  readonly parseCount: () => number;
  /** Is called for each batch that is read. */
  readonly whileReading: (act: () => void) => void;
}

/** A session with one long output that goes on. */
function stage(): Stage {
  let readCount = 0;
  let hasBegun = false;
  let onRead: () => void = () => {};
  const rig = createEngineRig({
    around: (journal) => ({
      read: (after, limit) => {
        const read = journal.read(after, limit);
        onRead();
        if (!(read instanceof Promise) && read.kind === "events") readCount += read.events.length;
        return read;
      },
    }),
  });
  const [first] = rig.publish(started());
  for (let index = 0; index < TOKEN_COUNT; index += 1) rig.publish(chunk(`token ${index} `));
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  return {
    rig,
    whileReading: (act) => {
      onRead = act;
    },
    resume: (name, terms = EACH_TOKEN) => {
      const received: Received[] = [];
      let isQueued = false;
      let isBlocked = false;
      const pull = (): void => {
        isQueued = false;
        if (isBlocked) return;
        for (let taken = subscription.take(); taken.kind === "batch"; taken = subscription.take()) {
          for (const delivery of taken.batch.deliveries)
            received.push({ event: delivery.event, at: rig.clock.now(), delivery });
        }
      };
      const wake = (): void => {
        if (isQueued) return;
        isQueued = true;
        rig.clock.afterTurn(pull);
      };
      const subscription = rig.engine.subscribe({
        subscriberId: name,
        terms: { ...defaultTerms(), ...terms },
        resumeAfter: cursorAfter(first?.epoch ?? 0),
        outlet: { wake, ended: () => rig.clock.afterTurn(() => subscription.close()) },
      });
      if (!hasBegun) parse.mockClear();
      hasBegun = true;
      wake();
      return {
        subscription,
        received,
        block: (next) => {
          isBlocked = next;
          subscription.setBlocked(next);
          if (!next) wake();
        },
      };
    },
    takeReadCount: () => {
      const count = readCount;
      readCount = 0;
      return count;
    },
    parseCount: () => parse.mock.calls.length,
  };
}

describe("R17, R18: reading back what was missed", () => {
  it("takes one batch a turn, and goes on by itself until all is given", () => {
    const { rig, resume, takeReadCount } = stage();
    const { received } = resume("one");
    const counts: number[] = [];
    for (let turn = 0; turn < 4 * (TOKEN_COUNT / BATCH_COUNT) && textOf(received, "out_1") !== WHOLE; turn += 1) {
      rig.clock.turn();
      counts.push(takeReadCount());
    }
    expect(textOf(received, "out_1")).toBe(WHOLE);
    expect(Math.max(...counts)).toBe(BATCH_COUNT);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(TOKEN_COUNT);
  });

  it("keeps what is read in one turn as small for twenty as for one, while others get what is new", () => {
    const { rig, resume, takeReadCount } = stage();
    const other = rig.listen(EACH_TOKEN, "other");
    const resumers = Array.from({ length: RESUMER_COUNT }, (_, index) => resume(`resumer ${index}`));
    takeReadCount();
    let most = 0;
    let behindCount = 0;
    for (let round = 0; round < 10; round += 1) {
      const before = other.received.length;
      rig.agent.publish([{ fields: chunk(`new ${round} `) }], false);
      rig.clock.turn();
      const reads = takeReadCount();
      most = Math.max(most, reads);
      // Of the same turn, whatever the others are reading.
      expect(other.received).toHaveLength(before + 1);
      behindCount += resumers.filter(({ subscription }) => subscription.status().behind).length;
    }
    expect(behindCount).toBe(10 * RESUMER_COUNT);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(2 * BATCH_COUNT);
    rig.clock.settle();
    const news = Array.from({ length: 10 }, (_, round) => `new ${round} `).join("");
    for (const { received } of resumers) expect(textOf(received, "out_1")).toBe(WHOLE + news);
  });

  it("catches up with what is published meanwhile, though that is more a turn than each of them could read", () => {
    const { rig, resume } = stage();
    const resumers = ["a", "b", "c", "d"].map((name) => resume(name));
    const news = Array.from({ length: 90 }, () => ({ fields: chunk("new ") }));
    let turns = 0;
    const isBehind = ({ subscription }: Resumer): boolean => subscription.status().behind;
    for (; turns < 200 && resumers.some(isBehind); turns += 1) {
      rig.agent.publish(news, true);
      rig.clock.turn();
    }
    expect(turns).toBeLessThan(200);
    rig.clock.settle();
    for (const { received } of resumers)
      expect(textOf(received, "out_1")).toBe(WHOLE + "new ".repeat(news.length * turns));
  });

  it("R4: lets something critical go ahead of what is still unread", () => {
    const { rig, resume } = stage();
    const { received, subscription } = resume("one", { ...EACH_TOKEN, supportsConfirmationReply: true });
    rig.clock.turn();
    expect(subscription.status().behind).toBe(true);
    rig.agent.publish([{ fields: confirmation("rpl_1") }], false);
    rig.clock.turn();
    const at = received.findIndex(({ event }) => event.reply_token === "rpl_1");
    expect(at).toBeGreaterThan(-1);
    expect(textOf(received.slice(0, at), "out_1").length).toBeLessThan(WHOLE.length / 2);
    rig.clock.settle();
    expect(textOf(received, "out_1")).toBe(WHOLE);
  });

  it("R9, R10: merges over several batches for one that may take little", () => {
    const { rig, resume } = stage();
    const slow = { ...EACH_TOKEN, maxEventsPerSecond: 1, maxChars: 16_384 } as const;
    const { received } = resume("slow", slow);
    rig.publish(chunk("", true));
    rig.publish(completed());
    const [first] = received.filter(({ event }) => event.output_id === "out_1");
    expect(String(first?.event.chunk).split(" ").length / 2).toBeGreaterThan(2 * BATCH_COUNT);
    rig.advance(10_000);
    expect(textOf(received, "out_1")).toBe(WHOLE);
  });

  it("R8a, R34: what is handed over at the end comes in parts, each of bounded size and by bounded work", () => {
    const { rig, resume, takeReadCount } = stage();
    const resumer = resume("one", { ...EACH_TOKEN, maxChars: 80 });
    rig.clock.turn();
    takeReadCount();
    const parts: number[] = [];
    const reads: number[] = [];
    for (let next = resumer.subscription.drain(); next.kind !== "done"; next = resumer.subscription.drain()) {
      if (next.kind === "batch") parts.push(next.batch.deliveries.length);
      reads.push(takeReadCount());
    }
    expect(parts.length).toBeGreaterThan(4);
    expect(Math.max(...parts)).toBeLessThanOrEqual(64);
    expect(Math.max(...reads)).toBeLessThanOrEqual(2 * BATCH_COUNT);
  });
});

it("R18, R27: who reads where a busy journal drops events gets those that follow, and not only losses", () => {
  const rig = createEngineRig({ turnsBetween: 0, journal: { maxEvents: 300 }, engine: { viewWindowCount: 8 } });
  const reader = rig.listen(EACH_TOKEN);
  rig.publish(started());
  rig.clock.settle();
  reader.block(true);
  for (let index = 0; index < 1000; index += 1) rig.publish(chunk(`missed ${index} `));
  reader.block(false);
  for (let turn = 0; turn < 40; turn += 1) {
    for (let index = 0; index < 100; index += 1) rig.publish(chunk(`busy ${turn} ${index} `));
    rig.clock.turn();
  }
  rig.clock.settle();
  const losses = reader.received.filter(({ event }) => JSON.stringify(event).includes('"aged_out"'));
  expect(losses).toHaveLength(1);
  expect(reader.subscription.status()).toMatchObject({ behind: false });
  expect(textOf(reader.received, "out_1")).toContain("missed 999 busy 0 0 ");
});
