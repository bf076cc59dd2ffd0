import { expect, it } from "vitest";
import { startRig } from "../support/rigs/daemon-rig.js";

it("R22: a connection that says nothing in time is counted, however it is framed", async () => {
  const rig = await startRig({ clock: "hands", configuration: { handshakeTimeoutSeconds: 10 } });
  const silent = await rig.raw();
  const undecided = await rig.plain();
  undecided.sendText('{"type":"aaepd.repeat","event_id":"evt_1"}');
  await undecided.answers.next();
  await rig.advance(10_000);
  await Promise.all([silent.all, undecided.closed]);
  expect((await (await rig.rpc()).request("aaepd.status")).closures).toEqual({ handshake_timeout: 2 });
});
