// R10: what is left of held text once its session or its last listener has gone.
import { expect, it } from "vitest";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

const { started, chunk, errored } = session();

/** A session with half a sentence, or with nothing that could be held. */
function begin(texts: readonly string[]) {
  const rig = createEngineRig();
  const listener = rig.listen();
  rig.publish(started(), ...texts.map((text) => chunk(text)));
  return { rig, listener, pending: rig.clock.pending };
}

it("text that was held leaves with the end of its session, and nothing waits for it any more", () => {
  const [idle, held] = [begin([]), begin(["Half a ", "sentence"])];
  expect(held.pending()).toBe(idle.pending() + 1);
  for (const { rig } of [idle, held]) rig.publish(errored());
  expect(held.listener.received.flatMap(({ event }) => event.chunk ?? [])).toEqual(["Half a sentence"]);
  expect(held.pending()).toBe(idle.pending());
});

it("nothing waits for text that nobody listens to any more", () => {
  const [idle, held] = [begin([]), begin(["Half a ", "sentence"])];
  for (const { rig, listener } of [idle, held]) {
    listener.subscription.close();
    rig.clock.settle();
  }
  expect(held.pending()).toBe(idle.pending());
});
