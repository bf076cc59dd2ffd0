import { expect, it } from "vitest";
import type { DaemonStatus } from "../../../src/daemon/status/daemon-status.js";
import { startRig } from "../../support/rigs/daemon-rig.js";

const REPORT = { host: "agents.example:8080", connected: true, events: 3, refused: { "AAEP §3.9": 1 } };

it("R38: the status has what a relay says last, while it is connected", async () => {
  const rig = await startRig();
  const relay = await rig.rpc();
  const asking = await rig.rpc();
  await relay.request("aaepd.relay", { ...REPORT, connected: false });
  await relay.request("aaepd.relay", REPORT);
  expect(await asking.request("aaepd.status")).toMatchObject({ relays: [REPORT] });
  await relay.close();
  await expect.poll(() => asking.request("aaepd.status")).not.toHaveProperty("relays");
});

it("R38: one connected relay has a journal; another has it when that one is not connected", async () => {
  const rig = await startRig();
  const [one, other, asking] = [await rig.rpc(), await rig.rpc(), await rig.rpc()];
  const claim = (connected: boolean) => ({ ...REPORT, connected, journal: "jrn" });
  const connected = async () => {
    const { relays } = (await asking.request("aaepd.status")) as Pick<DaemonStatus, "relays">;
    return relays?.map((its) => its.connected);
  };
  await one.request("aaepd.relay", claim(true));
  await one.request("aaepd.relay", claim(true));
  await expect(other.request("aaepd.relay", claim(true))).rejects.toThrow("address_in_use");
  expect(await connected()).toEqual([true, false]);
  await one.request("aaepd.relay", claim(false));
  await other.request("aaepd.relay", claim(true));
  await expect(one.request("aaepd.relay", claim(false))).rejects.toThrow("address_in_use");
  expect(await connected()).toEqual([false, true]);
  await other.close();
  await expect.poll(connected).toEqual([false]);
  await one.request("aaepd.relay", claim(true));
});

it.each([
  ["Name the producer's host", { host: "x".repeat(301) }],
  ["Say whether", { connected: "yes" }],
  ["Give the number", { events: -1 }],
  ["Give an object", { refused: [1.5] }],
  ["Give an object", { refused: undefined }],
])("refuses wrong params: %s", async (sentence, wrong) => {
  const relay = await (await startRig()).rpc();
  const told = relay.request("aaepd.relay", { ...REPORT, ...wrong });
  await expect(told).rejects.toThrow(`invalid_params: ${sentence}`);
});
