// What a daemon owes the agent that started it, and how it stops.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createIdSource } from "../../src/daemon/platform/ids.js";
import { plainPeer } from "../support/peers/peers.js";
import { requestOf, startRig, turns } from "../support/rigs/daemon-rig.js";

it("R22: a parent may be silent for as long as it likes, and is served then", async () => {
  const rig = await startRig({ stdio: true, clock: "hands" });
  const parent = rig.parent();
  await rig.advance(10 * 60_000);
  expect(await parent.request("aaep.ping")).toEqual({});
  expect(parent.strays.rest()).toEqual([]);
});

it("R8a: a parent that has said nothing is told nothing when the daemon stops", async () => {
  const rig = await startRig({ stdio: true });
  const parent = rig.parent();
  await rig.daemon.stop("signal");
  await parent.closed;
  expect(parent.strays.rest()).toEqual([]);
});

it.each(["calls", "messages"])(
  "R8a: a parent that listens by %s is handed what is held for it when its input ends, whatever its budget, and told why",
  async (how) => {
    const rig = await startRig({ stdio: true });
    const listener = how === "calls" ? rig.parent().subscription() : plainPeer(rig.parentConnection(), rig.sniffer);
    const parent = await rig.rpc();
    await listener.subscribe(requestOf({ max_events_per_second: 1 }));
    const of = { session_id: "sess_1", summary_normal: "Begins." };
    await parent.publish({ ...of, type: "aaep:agent.session.started" });
    await parent.publish({ ...of, type: "aaep:agent.output.streaming", chunk: "Half a sent", complete: false });
    rig.endStdin();
    await turns();
    void rig.daemon.stop("signal");
    expect(await listener.closings.next("the close")).toMatchObject({ reason_code: "producer_shutdown" });
    expect(listener.events.rest().map(({ chunk }) => chunk)).toContain("Half a sent");
  },
);

it.each(["newline", "length-prefixed"] as const)(
  "R22: a first frame of JSON-RPC that is broken keeps no place (%s)",
  async (framing) => {
    const rig = await startRig({ clock: "hands" });
    const idle = await rig.rpc(framing);
    idle.sendText('{"jsonrpc":"2.0","method":}');
    expect(await idle.strays.next()).toMatchObject({ id: null });
    const busy = await rig.rpc();
    expect(await busy.request("aaep.ping")).toEqual({});
    await rig.advance(61_000);
    await idle.closed;
    expect(await busy.request("aaep.ping")).toEqual({});
  },
);

it("R8a: the manifest goes before anything else, and connections end although sessions cannot be ended", async () => {
  let hasIds = true;
  const ids = createIdSource();
  const rig = await startRig({
    expectsErrors: true,
    ids: {
      ...ids,
      hex: (byteCount) => {
        if (!hasIds) throw new Error("no more ids");
        return ids.hex(byteCount);
      },
    },
  });
  const manifest = join(rig.directory, "test.manifest.json");
  expect(existsSync(manifest)).toBe(true);
  const agent = await rig.rpc();
  const listener = await rig.plain();
  await listener.subscribe(requestOf());
  await agent.publish({ type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." });
  hasIds = false;
  const stopping = rig.daemon.stop("signal");
  expect(existsSync(manifest)).toBe(false);
  await stopping;
  await Promise.all([agent.closed, listener.closed]);
  expect(rig.log.filter(({ level }) => level === "error")).not.toEqual([]);
});
