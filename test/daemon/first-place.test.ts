// The place that a newcomer is given with its acceptance (R17).
import { expect, it } from "vitest";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { session } from "../support/rigs/engine-rig.js";

const place = (accepted: unknown): unknown =>
  (accepted as { readonly honored_capabilities: { readonly aaepd: { readonly cursor?: unknown } } })
    .honored_capabilities.aaepd.cursor;

it("R17: a newcomer to whom nothing is owed is given its place with the acceptance, whatever it can answer", async () => {
  const rig = await startRig();
  for (const capabilities of [{}, { supports_confirmation_reply: true, aaepd: { checkpoints: true } }]) {
    const listener = await rig.plain();
    expect(place(await listener.subscribe(requestOf(capabilities)))).toMatch(/^c1\./);
  }
});

it("R17: as long as a session has to be summed up to it, a newcomer has no place", async () => {
  const rig = await startRig();
  const agent = await rig.rpc();
  await agent.publish(session("sess_open").started());
  const listener = await rig.plain();
  expect(place(await listener.subscribe(requestOf()))).toBeUndefined();
});
