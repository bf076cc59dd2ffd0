// What the chapters and the rulings require of questions and replies, over real connections.
import { expect, it } from "vitest";
import type { Message } from "../support/oracles/wire-sniffer.js";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";

const STARTED = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." };
const QUESTION = {
  type: "aaep:agent.awaiting.confirmation",
  session_id: "sess_1",
  action: "Delete it.",
  consequence: "It is gone.",
  reply_token: "rpl_1",
  timeout_seconds: 60,
  default_decision: "reject",
};
const ABLE = { supports_confirmation_reply: true, coalesce_boundaries: ["none"] };

const states = (events: readonly Message[]): unknown[] =>
  events.flatMap(({ type, to_state }) => (type === "aaep:agent.state.changed" ? [to_state] : []));

it("AAEP-5.3.1.4-b, R6: where nobody can answer, the default applies at once", async () => {
  const rig = await startRig({ clock: "hands" });
  const listener = await rig.plain();
  await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }));
  const agent = await rig.rpc();
  await agent.publish(STARTED, QUESTION);
  // The notice of what is asked, which is the state, and the resolution.
  const heard = await listener.events.take(3);
  expect(states(heard)).toEqual(["awaiting_input", "idle"]);
  expect(JSON.stringify(heard)).not.toContain("rpl_1");
});

it("AAEP-5.8.2-b, R7: the default applies when the last that could answer has gone, in order or not", async () => {
  for (const leave of ["close", "vanish"] as const) {
    const rig = await startRig({ clock: "hands" });
    const able = [await rig.plain(), await rig.plain()] as const;
    for (const [index, one] of able.entries()) await one.subscribe(requestOf(ABLE, { subscriber_id: `able${index}` }));
    const listener = await rig.plain();
    await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }));
    const agent = await rig.rpc();
    await agent.publish(STARTED, QUESTION);
    expect(states(await listener.events.take(2))).toEqual(["awaiting_input"]);
    await able[0].close();
    await listener.listPending();
    expect(listener.events.rest()).toEqual([]);
    await (leave === "close" ? able[1].close() : able[1].peer.close());
    expect(await listener.events.next()).toMatchObject({ from_state: "awaiting_input", to_state: "idle" });
    await rig.stop();
  }
});

it("AAEP-5.9-b, R19: the first reply counts, and a reply that does not count is answered by nothing", async () => {
  const rig = await startRig({ clock: "hands" });
  const first = await rig.plain();
  await first.subscribe(requestOf(ABLE, { subscriber_id: "first" }));
  const second = await rig.rpc();
  const subscription = second.subscription();
  await subscription.subscribe(requestOf(ABLE, { subscriber_id: "second" }));
  const agent = await rig.rpc();
  await agent.publish(STARTED, QUESTION);
  const reply = {
    type: "confirmation.reply",
    reply_token: "rpl_1",
    decision: "accept",
    timestamp: "2026-05-24T14:00:01Z",
  };
  await first.reply({ ...reply, reply_token: "rpl_other" });
  await first.reply({ ...reply, decision: "perhaps" });
  await first.reply(reply);
  // Nothing came in between: the list is the first answer, and the question is no longer on it.
  expect(await first.listPending()).toEqual([]);
  expect(first.answers.rest()).toEqual([]);
  const late = { ...reply, decision: "reject", subscription_id: subscription.id() };
  expect(await second.request("aaep.reply", late)).toEqual({ accepted: false });
  expect(await second.request("aaep.reply", { ...late, subscription_id: first.id() })).toEqual({ accepted: false });
  await agent.publish({
    type: "aaep:agent.tool.invoked",
    session_id: "sess_1",
    tool: "delete",
    irreversible: true,
    summary_normal: "Deletes.",
  });
});
