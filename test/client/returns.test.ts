// R12, R17: a subscriber hears once what an engine sends it over returns: of one that was killed with text that it had not kept.
import { expect, it, onTestFinished } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { createSubscriber } from "../../src/client/subscriber.js";
import { type EngineRig, type Listener, session } from "../support/rigs/engine-rig.js";
import { createRuns } from "../support/rigs/restart-rig.js";
import { createVirtualClock, settle } from "../support/rigs/virtual-clock.js";
import { createFakeProducer } from "./fake-producer.js";

const SENTENCES = { coalesceBoundaries: ["sentence" as const] };
const one = session();

/** Hands a subscriber what an engine's listener is given, connection by connection. */
function stage() {
  const timers = createVirtualClock();
  const producer = createFakeProducer();
  const heard: Envelope[] = [];
  const subscriber = createSubscriber({
    connect: producer.connect,
    request: { subscriber_id: "reader", capabilities: {} },
    onEvent: (event) => void heard.push(event as Envelope),
    timers,
    chance: () => 0,
  });
  onTestFinished(() => subscriber.close());
  let side = -1;
  return {
    heard,
    textOf: (output: string) => heard.flatMap(({ output_id, chunk }) => (output_id === output ? [chunk] : [])).join(""),
    subscribe: async (rig: EngineRig): Promise<Listener> => {
      producer.sides[side]?.sever();
      await settle();
      await timers.advanceSettled(250);
      side += 1;
      const listener = rig.listen(SENTENCES, "listener", subscriber.cursor());
      producer.sides[side]?.accept(`sub_${side}`, { resumed: listener.subscription.resumed });
      return listener;
    },
    relay: async ({ received, subscription }: Listener): Promise<void> => {
      producer.sides[side]?.say(...received.splice(0).map(({ event }) => event));
      const cursor = subscription.cursor();
      if (cursor !== undefined) producer.sides[side]?.reach(cursor);
      await settle();
    },
  };
}

it("where a kill takes back the last of what it heard, and the rest of it comes again", async () => {
  const { heard, textOf, subscribe, relay } = stage();
  const runs = createRuns();
  const first = runs.start();
  const listener = await subscribe(first);
  first.publish(one.started());
  // What is held keeps the place before it, and so all that follows behind the place.
  first.publish(one.chunk("Held", false, "out_held"));
  first.publish(one.chunk("One. Two. Th", false, "out_heard"));
  await first.flush();
  first.publish(one.chunk("ree. Four. Fi", false, "out_heard"));
  await relay(listener);
  expect(textOf("out_heard")).toBe("One. Two. Three. ");

  const back = await subscribe(runs.start());
  await relay(back);
  expect(back.subscription.resumed).not.toBe("all");
  expect(textOf("out_heard")).toBe("One. Two. Three. ");
  expect(heard.filter(({ type }) => type === "aaep:agent.session.started")).toHaveLength(1);
});
