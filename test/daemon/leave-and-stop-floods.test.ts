// R5b, R39, R34: a flood of leaves and stops costs nobody else anything, and is one line of the audit log.
import { expect, test } from "vitest";
import type { AuditEntry } from "../../src/contracts/audit.js";
import { requestOf, startRig, turns } from "../support/rigs/daemon-rig.js";

const COUNT = 2000;

test.each(["plain", "JSON-RPC"] as const)("%s", async (way) => {
  const audit: AuditEntry[] = [];
  const record = (entry: AuditEntry, note?: { readonly settled?: () => void }): void => {
    audit.push(entry);
    note?.settled?.();
  };
  const rig = await startRig({ clock: "hands", auditLog: { isOn: true, record } });
  const agent = await rig.rpc("memory");
  await agent.request("aaep.set_manifest", {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:producer.manifest",
    agent_id: "a",
    extensions: { aaepd: { can_stop: true } },
  });
  await agent.publish({ type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." });
  const request = requestOf({ supports_confirmation_reply: true });
  if (way === "plain") {
    const flooder = await rig.plain("memory");
    await flooder.subscribe(request);
    for (let sent = 0; sent < COUNT; sent++) {
      flooder.say({ type: "aaepd.leave", reply_token: "rpl_nobody" });
      flooder.say({ type: "aaepd.stop", session_id: "sess_1" });
    }
  } else {
    const flooder = await rig.rpc("memory");
    const { subscription_id } = await flooder.request("aaep.subscribe", request);
    for (let sent = 0; sent < COUNT; sent++) {
      flooder.request("aaepd.leave", { subscription_id, reply_token: "rpl_nobody" }).catch(() => {});
      flooder.request("aaepd.stop", { subscription_id, session_id: "sess_1" }).catch(() => {});
    }
  }
  await rig.expectOthersServed();
  await turns();
  expect(audit.map(({ kind }) => kind)).toEqual(["stop"]);
});
