// docs/confirmations.md, message by message, with a real daemon: what it sends is sent, and what it shows has the shape of what comes.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import {
  isAaepdLeave,
  isAaepdListPending,
  isAaepdRepeat,
  isAwaitingConfirmationEvent,
  isClarificationReply,
  isConfirmationReply,
  isProducerManifest,
  isStateChangedEvent,
} from "#gen/aaep/validators.js";
import { docBlocks, docPage } from "../support/doc-blocks.js";
import type { PlainPeer, RpcPeer } from "../support/peers/peers.js";
import { type DaemonRig, requestOf, startRig } from "../support/rigs/daemon-rig.js";

const PAGE = docPage("confirmations.md");

type Message = Readonly<Record<string, unknown>>;

const EXAMPLES = new Map(
  [...docBlocks(PAGE, "json")].map(([name, text]): [string, Message] => [name, JSON.parse(text)]),
);

function example(name: string): Message {
  const found = EXAMPLES.get(name);
  if (found === undefined) throw new Error(`the page has no example ${name}`);
  used.add(name);
  return found;
}

const used = new Set<string>();

function membersOf(value: unknown): Message {
  return value as Message;
}

/** The names and types in it: what identifies and dates it differs. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  const entries = Object.entries(value).map(([name, member]) => [name, shapeOf(member)]);
  return Object.fromEntries(entries);
}

/** It is as the page shows it: alike in shape, and equal where it does not name or date something. */
function expectAsShown(actual: unknown, name: string, shown: unknown = example(name)): void {
  expect(shapeOf(actual), name).toEqual(shapeOf(shown));
  const constant = Object.entries(membersOf(shown)).filter(
    ([member, value]) => !/(_id|_token|timestamp|^question)$/.test(member) && typeof value !== "object",
  );
  expect(actual, name).toMatchObject({ ...Object.fromEntries(constant) });
}

interface Stage {
  readonly rig: DaemonRig;
  readonly agent: RpcPeer;
  readonly listener: PlainPeer;
  /** The next event of this type. */
  readonly next: (type: string) => Promise<Message>;
}

async function stage(): Promise<Stage> {
  const rig = await startRig({ clock: "hands", declaredProducerId: "bank" });
  const listener = await rig.plain();
  await listener.subscribe(requestOf({ supports_confirmation_reply: true, supports_clarification_reply: true }));
  const agent = await rig.rpc();
  const session_id = membersOf(example("aaep.confirm").params).session_id;
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Pays the rent." });
  await agent.publish({ type: "aaep:agent.state.changed", session_id, from_state: "idle", to_state: "thinking" });
  const next = async (type: string): Promise<Message> => {
    for (;;) {
      const event = await listener.events.next(type);
      if (event.type === `aaep:agent.${type}`) return event;
    }
  };
  return { rig, agent, listener, next };
}

let current: Stage;

beforeEach(async () => {
  current = await stage();
});

/** Sends an example as it stands, but with what names the question now. */
function ask(name: string, params: Message = {}): Promise<Message> {
  const { method, params: shown } = example(name);
  return current.agent.request(String(method), { ...membersOf(shown), ...params });
}

async function answer(name: string, event: Message): Promise<void> {
  const reply = { ...example(name), reply_token: event.reply_token, timestamp: event.timestamp };
  await current.listener.reply(reply);
}

/** Until the daemon's resolution; states on the way there are not it. */
async function resolution(): Promise<Message> {
  for (;;) {
    const event = await current.next("state.changed");
    if (event.from_state === "awaiting_input") return event;
  }
}

test("a confirmation, from the call to its outcome", async () => {
  const outcome = ask("aaep.confirm");
  const event = await current.next("awaiting.confirmation");
  expectAsShown(event, "agent.awaiting.confirmation");
  expect(isAwaitingConfirmationEvent(example("agent.awaiting.confirmation"))).toBe(true);
  expectAsShown(await current.agent.waiting.next("waiting"), "aaep.waiting", example("aaep.waiting").params);
  await answer("confirmation.reply", event);
  expectAsShown(await outcome, "aaep.confirm.result", example("aaep.confirm.result").result);
  expectAsShown(await resolution(), "resolution");
  expect(isStateChangedEvent(example("resolution"))).toBe(true);
  expect(isConfirmationReply(example("confirmation.reply"))).toBe(true);
});

test("a clarification", async () => {
  const outcome = ask("aaep.clarify");
  await answer("clarification.reply", await current.next("awaiting.clarification"));
  expectAsShown(await outcome, "aaep.clarify.result", example("aaep.clarify.result").result);
  expect(isClarificationReply(example("clarification.reply"))).toBe(true);
});

test("a default that is not allowed", async () => {
  const { method, params } = example("aaep.confirm");
  const accepting = { ...membersOf(params), default_decision: "accept" };
  const error = await current.agent.request(String(method), accepting).then(
    () => undefined,
    (refusal: { readonly error: unknown }) => refusal.error,
  );
  expect(error).toMatchObject(membersOf(example("default_not_allowed").error));
});

test("taking a question back, and how it stands before and after", async () => {
  const outcome = ask("aaep.confirm");
  const { reply_token } = await current.next("awaiting.confirmation");
  const open = await ask("aaep.outcome_of", { reply_token });
  expectAsShown(open, "aaep.outcome_of.open", example("aaep.outcome_of.open").result);
  expectAsShown(await ask("aaep.cancel", { reply_token }), "aaep.cancel.result", example("aaep.cancel.result").result);
  expect(await outcome).toMatchObject({ resolved_by: "cancelled" });
});

test("a question that was answered in the agent's own dialog, and the call that follows", async () => {
  const outcome = ask("aaep.confirm");
  const { reply_token } = await current.next("awaiting.confirmation");
  expect(await ask("aaep.cancel.host", { reply_token })).toEqual({ cancelled: true });
  expectAsShown(await outcome, "aaep.confirm.host", example("aaep.confirm.host").result);
  const call = example("approved_by");
  expect(await current.agent.refusal("aaep.publish", { ...call, irreversible: true })).toMatchObject({
    code: "confirmation_required",
  });
  await current.agent.publish(call);
  expect((await current.next("tool.invoked")).extensions).toEqual(call.extensions);
});

test("a call that names its consent, with the id of its host", async () => {
  const outcome = ask("aaep.confirm");
  const event = await current.next("awaiting.confirmation");
  await answer("confirmation.reply", event);
  expect(await outcome).toMatchObject({ resolved_by: "reply", decision: "accept" });
  const call = example("consent");
  const { aaepd } = call.extensions as { readonly aaepd: { readonly call_id: string } };
  const named = { ...call, extensions: { aaepd: { ...aaepd, consent: event.reply_token } } };
  await current.agent.publish(named);
  const hash = createHash("sha256").update(`${call.session_id}\0${aaepd.call_id}`).digest("hex");
  expect((await current.next("tool.invoked")).tool_call_id).toBe(`call_${hash.slice(0, 32)}`);
  const again = { ...named, extensions: { aaepd: { consent: event.reply_token } } };
  expect(await current.agent.refusal("aaep.publish", again)).toMatchObject({ code: "confirmation_required" });
});

test("a question of a host's own dialog, that is left to its window", async () => {
  const outcome = ask("aaep.confirm", example("host_dialog"));
  const { reply_token } = await current.next("awaiting.confirmation");
  expect(isAaepdLeave(example("aaepd.leave"))).toBe(true);
  current.listener.say({ ...example("aaepd.leave"), reply_token });
  expect(await outcome).toMatchObject({ resolved_by: "cancelled" });
  expect(await outcome).not.toHaveProperty("decision");
  expect((await current.next("state.changed")).summary_normal).toContain("Answer it in the agent’s own window.");
});

test("the process that an adapter names", async () => {
  expect(isProducerManifest(example("pid"))).toBe(true);
  const adapter = await current.rig.rpc();
  expect(await adapter.request("aaep.set_manifest", example("pid"))).toEqual({});
});

test("a reply that does not count", async () => {
  await current.listener.renegotiate({ aaepd: { reply_status: true } });
  const outcome = ask("aaep.clarify");
  const event = await current.next("awaiting.clarification");
  await current.listener.reply({ ...example("clarification.reply"), reply_token: event.reply_token, response: "" });
  expectAsShown(await current.listener.notTaken.next("the news"), "aaepd.reply_not_taken");
  await answer("clarification.reply", event);
  expect(await outcome).toMatchObject({ resolved_by: "reply" });
});

test("a question of the agent's own, that nobody answers in time", async () => {
  const { params } = example("aaep.confirm");
  const reply_token = "rpl_myown1";
  await current.agent.publish({ ...membersOf(params), type: "aaep:agent.awaiting.confirmation", reply_token });
  await current.rig.advance(120_000);
  expectAsShown(await current.agent.outcomes.next("outcome"), "aaep.outcome", example("aaep.outcome").params);
  const resolved = await ask("aaep.outcome_of", { reply_token });
  expectAsShown(resolved, "aaep.outcome_of.resolved", example("aaep.outcome_of.resolved").result);
});

test("listing and repeating", async () => {
  void ask("aaep.confirm").catch(() => {});
  const event = await current.next("awaiting.confirmation");
  expect(isAaepdListPending(example("aaepd.list_pending"))).toBe(true);
  current.listener.say(example("aaepd.list_pending"));
  expect(await current.listener.answers.next("pending")).toEqual({ type: "aaepd.pending", questions: [event] });
  expect(isAaepdRepeat(example("aaepd.repeat"))).toBe(true);
  current.listener.say({ ...example("aaepd.repeat"), event_id: event.event_id });
  expect(await current.next("awaiting.confirmation")).toEqual(event);
});

test("a changed action, for an agent that can do it and for one that cannot", async () => {
  for (const can of [true, false]) {
    const outcome = ask("aaep.confirm", can ? example("accepts_modified_action") : {});
    const { reply_token, timestamp } = await current.next("awaiting.confirmation");
    const changed = { ...example("confirmation.reply"), modified_action: { amount: 300 }, reply_token, timestamp };
    await current.listener.reply(changed);
    expect(await outcome).toMatchObject({ decision: can ? "accept" : "reject", modified_action: { amount: 300 } });
  }
});

test("no example of the page is left out", () => {
  expect([...EXAMPLES.keys()].filter((name) => !used.has(name))).toEqual([]);
  expect(EXAMPLES.size).toBeGreaterThan(15);
});

test("the page explains every way in which a question can have been decided, and no other", () => {
  const source = readFileSync(new URL("../../src/engine/messages/messages.ts", import.meta.url), "utf8");
  const [, union = ""] = /export type DecidedBy = ([^;]+);/.exec(source) ?? [];
  const [, table = ""] = /\| `decided_by` \| \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(PAGE) ?? [];
  const explained = [...table.matchAll(/^\| `(\w+)` \| \S/gm)].map(([, name]) => name);
  expect(explained).toEqual([...union.matchAll(/"(\w+)"/g)].map(([, name]) => name));
  expect(explained).toContain("nobody_left");
});
