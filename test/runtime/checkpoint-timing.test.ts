// R17: when a subscription is told the place that it has reached, and what that costs.
import { describe, expect, it } from "vitest";
import type { Codec } from "../../src/contracts/codec.js";
import type { DeliverySource } from "../../src/contracts/protocol.js";
import type { AgentEvent } from "../../src/engine/event/event.js";
import { Turns } from "../../src/engine/time/turns.js";
import { batchOf, Delivery } from "../../src/engine/views/delivery.js";
import { createJsonCodec } from "../../src/protocols/aaep/json/json-codec.js";
import { createPlainProtocol } from "../../src/protocols/aaep/sessions/plain-session.js";
import { Pump } from "../../src/runtime/pump.js";
import { openStream } from "../support/peers/service-calls.js";
import { session } from "../support/rigs/engine-rig.js";
import { createStreamRig, utf8 } from "../support/rigs/stream-rig.js";
import { createVirtualClock } from "../support/rigs/virtual-clock.js";

const SECOND = 1000;
const QUIET = 15 * SECOND;

function pumpOver(source: DeliverySource, ...given: ConstructorParameters<typeof Pump>): Pump {
  const pump = new Pump(...given);
  pump.join(source);
  return pump;
}

/** Pumps over sources whose place is how many events they gave or kept back. */
function stage() {
  const clock = createVirtualClock();
  const services = {
    clock,
    sendingTurns: new Turns(clock),
  };
  const join = (wants = true) => {
    const sent: string[] = [];
    const asked: boolean[] = [];
    let place = 0;
    let told = 0;
    let waiting = 0;
    let isOpen = true;
    let isStanding = false;
    let open = (): void => {};
    let accident: Error | undefined;
    const pump = pumpOver(
      {
        id: "sub_1",
        subscriberId: "reader",
        take: () => {
          if (accident !== undefined) throw accident;
          if (waiting === 0) return { kind: "idle" };
          const batch = batchOf(Array.from({ length: waiting }, () => new Delivery({} as AgentEvent, 0, 0, undefined)));
          if (!isStanding) place += waiting;
          waiting = 0;
          return { kind: "batch", batch, isAll: false };
        },
        setBlocked: () => undefined,
        terms: { checkpoints: wants },
        checkpoint: (isDue) => {
          asked.push(isDue);
          if (!isDue || place === told) return undefined;
          told = place;
          return { cursor: `c${place}`, after: place, memo: new Map() };
        },
      },
      {
        send: ({ deliveries, checkpoint }) => {
          sent.push(`${clock.now()}: ${deliveries.length} ${checkpoint?.cursor ?? "-"}`);
          return isOpen;
        },
        writable: () =>
          new Promise((resolve) => {
            open = resolve;
          }),
        failed: () => undefined,
        ended: () => undefined,
      },
      services,
    );
    return {
      pump,
      sent,
      asked,
      give: (count = 1) => {
        waiting += count;
        pump.wake();
        clock.settle();
      },
      keepBack: () => {
        place += 1;
      },
      stand: (is: boolean) => {
        isStanding = is;
      },
      block: () => {
        isOpen = false;
      },
      unblock: async () => {
        isOpen = true;
        open();
        await Promise.resolve();
        await Promise.resolve();
        clock.settle();
      },
      fail: () => {
        accident = new Error("broken");
        pump.wake();
        clock.settle();
      },
    };
  };
  return { clock, join };
}

describe("R17: a place is told", () => {
  it("with what leads to it where it is due, else alone within a second of that", () => {
    const { clock, join } = stage();
    const { give, sent } = join();
    give(2);
    clock.advance(400);
    give();
    clock.advance(300);
    give();
    clock.advance(5 * SECOND);
    give(3);
    expect(sent).toEqual(["0: 2 c2", "400: 1 -", "700: 1 -", "1400: 0 c4", "5700: 3 c7"]);
  });

  it("never twice within a second, however much is handed over, and never later than a second after it was", () => {
    const { clock, join } = stage();
    const { give, sent } = join();
    for (let tenth = 0; tenth < 100; tenth += 1) {
      give();
      clock.advance(100);
    }
    clock.advance(SECOND);
    const told = sent.flatMap((one) => {
      const [at = "", , cursor] = one.split(/:? /);
      return cursor === "-" ? [] : [{ at: Number(at), place: Number(cursor?.slice(1)) }];
    });
    const gaps = told.slice(1).map(({ at }, index) => at - (told[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(SECOND);
    for (let tenth = 0; tenth < 100; tenth += 1) {
      const isTold = told.some(({ at, place }) => place > tenth && at <= tenth * 100 + SECOND);
      expect([tenth, isTold]).toEqual([tenth, true]);
    }
  });

  it("once, where it does not move", () => {
    const { clock, join } = stage();
    const { give, sent } = join();
    give();
    clock.advance(10 * QUIET);
    expect(sent).toEqual(["0: 1 c1"]);
  });

  it("every 15 s where only what is kept back moved it", () => {
    const { clock, join } = stage();
    const { give, keepBack, sent, asked } = join();
    give();
    for (let second = 0; second < 40; second += 1) {
      keepBack();
      clock.advance(SECOND);
    }
    expect(sent).toEqual(["0: 1 c1", `${QUIET}: 0 c16`, `${2 * QUIET}: 0 c31`]);
    // It is looked for no more often than that.
    expect(asked.filter((isDue) => isDue)).toHaveLength(3);
  });

  it("and so from its beginning on, though nothing is ever handed over", () => {
    const { clock, join } = stage();
    const { pump, keepBack, sent } = join();
    pump.wake();
    clock.settle();
    keepBack();
    clock.advance(2 * QUIET);
    expect(sent).toEqual([`${QUIET}: 0 c1`]);
  });

  it("not while the peer takes nothing, and as soon as it takes again", async () => {
    const { clock, join } = stage();
    const { give, block, unblock, sent } = join();
    give();
    clock.advance(100);
    block();
    give();
    clock.advance(10 * QUIET);
    expect(sent).toEqual(["0: 1 c1", "100: 1 -"]);
    await unblock();
    expect(sent.slice(2)).toEqual([`${100 + 10 * QUIET}: 0 c2`]);
  });

  it.each(["stopped", "failed"])("not after the pump has %s, and no timer is left", (how) => {
    const { clock, join } = stage();
    const [one, other] = [join(), join()];
    for (const { give } of [one, other]) {
      give();
      clock.advance(10);
      give();
    }
    const before = one.sent.length;
    if (how === "stopped") one.pump.stop();
    else one.fail();
    one.give();
    clock.advance(2 * QUIET);
    expect(one.sent).toHaveLength(before);
    expect(other.sent.at(-1)).toBe("1010: 0 c2");
    other.pump.stop();
    expect(clock.pending()).toBe(0);
  });

  it.each(["stopped", "failed"])("and the last that has %s takes its timers with it", (how) => {
    const { clock, join } = stage();
    const { give, pump, fail } = join();
    give();
    give();
    expect(clock.pending()).toBeGreaterThan(0);
    if (how === "stopped") pump.stop();
    else fail();
    expect(clock.pending()).toBe(0);
  });

  it("R34: a place that stands still is looked at once a second, however much is handed over", () => {
    const { clock, join } = stage();
    const { give, stand, asked, sent } = join();
    give();
    stand(true);
    for (let at = 0; at < 3000; at += 10) {
      give(3);
      clock.advance(10);
    }
    expect(asked.filter((isDue) => isDue).length).toBeLessThanOrEqual(5);
    stand(false);
    give();
    const at = clock.now();
    clock.advance(SECOND);
    const [toldAt = ""] = (sent.findLast((one) => !one.endsWith("-")) ?? "").split(":");
    expect(Number(toldAt)).toBeGreaterThanOrEqual(at);
  });

  it("after the peer takes again, though the last of the others has left meanwhile", async () => {
    const { clock, join } = stage();
    const [one, other] = [join(), join()];
    one.stand(true);
    one.block();
    one.give();
    one.stand(false);
    other.give();
    one.keepBack();
    other.pump.stop();
    await one.unblock();
    clock.advance(SECOND + 100);
    expect(one.sent.filter((line) => line.endsWith("c1"))).toHaveLength(1);
  });

  it("to nobody who did not ask: not even looked for, and no timer runs", () => {
    const { clock, join } = stage();
    const { give, sent, asked } = join(false);
    give();
    give();
    clock.advance(2 * QUIET);
    expect([sent, asked, clock.pending()]).toEqual([["0: 1 -", "0: 1 -"], [], 0]);
  });
});

describe("R14, R17: what a checkpoint costs", () => {
  /** So many streams of equal terms, half of which ask for checkpoints. */
  async function opened(count: number) {
    const rig = createStreamRig();
    const json = createJsonCodec(utf8);
    const counted = { checkpoints: 0, events: 0 };
    const codec: Codec<Uint8Array, unknown> = {
      ...json,
      checkpoint: (cursor) => {
        counted.checkpoints += 1;
        return json.checkpoint(cursor);
      },
      format: {
        encode: (...given) => {
          counted.events += 1;
          return json.format.encode(...given);
        },
      },
    };
    const streams = Array.from({ length: count }, (_, index) => {
      const protocol = createPlainProtocol(rig.services);
      const stream = openStream<Uint8Array>((one) => rig.serve(one, codec, protocol, undefined), undefined);
      const capabilities = index % 2 === 0 ? { aaepd: { checkpoints: true } } : {};
      const request = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: `reader${index}` };
      stream.send(codec.encode({ ...request, capabilities }));
      return stream;
    });
    await rig.pass(SECOND);
    const typesOf = ({ received }: (typeof streams)[number]) =>
      received.slice(1).map((frame) => (codec.decode(frame) as { readonly type: string }).type);
    return { rig, streams, counted, typesOf };
  }

  it("is one encoding for all who stand alike, and the same bytes; events are encoded once for those who get none too", async () => {
    const { rig, streams, counted, typesOf } = await opened(20);
    rig.publish(session().started(), session().progress(10));
    await rig.pass(0);
    expect(counted).toEqual({ checkpoints: 1, events: 2 });
    const asking = streams.filter((_, index) => index % 2 === 0);
    const [first] = asking;
    for (const stream of streams) {
      const events = ["aaep:agent.session.started", "aaep:agent.progress.updated"];
      expect(typesOf(stream)).toEqual(asking.includes(stream) ? [...events, "aaepd.checkpoint"] : events);
    }
    // The same frames, not equal ones.
    for (const { received } of asking) expect(received.at(-1)).toBe(first?.received.at(-1));
    rig.publish(session().progress(20));
    await rig.pass(SECOND);
    expect(counted).toEqual({ checkpoints: 2, events: 3 });
    for (const { received } of asking) expect(received.at(-1)).toBe(first?.received.at(-1));
  });
});
