// R34: whose work waits for whose, in a daemon as it is put together.
import { expect, it } from "vitest";
import { createIdSource } from "../../src/daemon/platform/ids.js";
import { createMemoryPair } from "../../transports/memory/memory-pair.js";
import { plainPeer } from "../support/peers/peers.js";
import { nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";

/** Fewer than the turns that are left to others at most, and more than those that a long message leaves by itself. */
const LISTENERS = 15;

it("an agent whose messages take long waits with the next one until all who listen were sent the last one", async () => {
  const order: string[] = [];
  let isOn = false;
  const takes = (what: string, ms: number): void => {
    if (!isOn) return;
    order.push(what);
    rig.pass(ms);
  };
  const ids = createIdSource();
  // One id is drawn for each event.
  const hex = (bytes: number): string => {
    takes("read", 20);
    return ids.hex(bytes);
  };
  const rig = await startRig({ clock: "hands", ids: { hex } });
  for (let index = 0; index < LISTENERS; index += 1) {
    const { first, second } = createMemoryPair<Uint8Array>();
    const sendBatch: typeof first.sendBatch = (batch) => {
      takes("sent", 5);
      return first.sendBatch(batch);
    };
    void rig.daemon.serve({ ...first, sendBatch });
    await plainPeer(second, rig.sniffer).subscribe(requestOf());
  }
  const agent = await rig.rpc();
  const session_id = nextSession();
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
  await rig.advance(1000);
  isOn = true;
  const event = { type: "aaep:agent.state.changed", session_id, from_state: "idle", to_state: "idle" };
  await Promise.all([agent.publish(event), agent.publish(event)]);
  isOn = false;
  expect(order.slice(0, LISTENERS + 2)).toEqual(["read", ...Array(LISTENERS).fill("sent"), "read"]);
});
