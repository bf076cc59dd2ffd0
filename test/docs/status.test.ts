// docs/status.md and docs/slow-subscribers.md hold against what a daemon says.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Message } from "../support/oracles/wire-sniffer.js";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { session } from "../support/rigs/engine-rig.js";

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");

/** Names of members, of objects in lists as well; not of maps whose keys are data. */
function membersOf(value: unknown, among: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const one of value) membersOf(one, among);
  else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      among.add(name);
      if (!["endpoints", "connections", "closures", "publish_faults", "limits", "event_filters"].includes(name))
        membersOf(member, among);
    }
  }
  return among;
}

it("docs/status.md names every member of the document", async () => {
  const rig = await startRig();
  const listener = await rig.plain();
  await listener.subscribe(
    requestOf({ supports_confirmation_reply: true, max_events_per_second: 5, pace_wpm: 200 }, { subscriber_id: "one" }),
  );
  const agent = await rig.rpc();
  await agent.request("aaep.set_manifest", {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:producer.manifest",
    agent_id: "planner",
    agent_name: "Planner",
  });
  await agent.publish(session("sess_docs").started(), session("sess_docs").confirmation("rpl_docs"));
  await agent.close();
  const asking = await rig.rpc();
  await expect.poll(async () => membersOf(await asking.request("aaepd.status")).has("grace_until")).toBe(true);
  const members = membersOf(await asking.request("aaepd.status"));
  const text = page("status.md");
  expect([...members].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  expect(members.size).toBeGreaterThan(60);
});

it("docs/slow-subscribers.md has the limits that are told, and shows a close of that form", async () => {
  const rig = await startRig();
  const listener = await rig.plain();
  const accepted = await listener.subscribe(requestOf());
  const { limits } = (accepted.honored_capabilities as { readonly aaepd: { readonly limits: Message } }).aaepd;
  const text = page("slow-subscribers.md");
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? "{}");
  expect(shown.extensions.aaepd.limits).toEqual(limits);
  for (const name of Object.keys(limits)) expect(text).toContain(`| \`${name}\` |`);
});
