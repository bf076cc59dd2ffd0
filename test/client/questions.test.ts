// Asking and answering with both clients, a real daemon and a real socket (AAEP ch. 6).
import { getEventListeners } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { type AgentClientOptions, createAgentClient } from "../../src/client/agent-client.js";
import type { QuestionOutcome, QuestionWaiting } from "../../src/client/agent-questions.js";
import { ipcConnector, ipcRpcConnector } from "../../src/client/node.js";
import { createSubscriber, type Subscriber } from "../../src/client/subscriber.js";
import type { SubscriberReply } from "../../src/client/subscriber-options.js";
import { eventually, runtimeEnvironment, serve, serveProcess } from "../cli/command-stage.js";
import { isClosedForm } from "../support/oracles/closed-forms.js";
import { createFakeProducer } from "./fake-producer.js";

const SESSION = "sess_bank";
const producer = { agent_id: "bank" };
const TRANSFER = {
  session_id: SESSION,
  producer,
  action: "Transfer 500 dollars to Ada.",
  consequence: "The money leaves your account.",
  risk_level: "high",
  irreversible: true,
} as const;

async function agentAt(socketPath: string, options: AgentClientOptions = {}) {
  const agent = await createAgentClient(ipcRpcConnector(socketPath), options);
  onTestFinished(agent.close);
  await agent.publish({
    type: "aaep:agent.session.started",
    session_id: SESSION,
    producer,
    summary_normal: "A session.",
  });
  return agent;
}

interface Asked {
  readonly reply_token: string;
  readonly type: string;
}

/** A subscriber that answers whatever it is asked. */
async function answering(socketPath: string, answer: (token: string) => SubscriberReply | undefined) {
  const asked: Asked[] = [];
  const texts: string[] = [];
  const notTaken: string[] = [];
  let isActive = false;
  const subscriber: Subscriber = createSubscriber({
    connect: ipcConnector(socketPath),
    request: {
      subscriber_id: "person",
      capabilities: { supports_confirmation_reply: true, supports_clarification_reply: true },
    },
    onState: (state) => {
      isActive = state.kind === "active";
    },
    onReplyNotTaken: (token) => notTaken.push(token),
    onEvent: (event: Envelope) => {
      if (typeof event.summary_normal === "string") texts.push(event.summary_normal);
      if (typeof event.reply_token !== "string") return;
      asked.push({ ...event, reply_token: event.reply_token });
      const reply = answer(event.reply_token);
      if (reply !== undefined) expect(subscriber.reply(reply)).toBe(true);
    },
  });
  onTestFinished(() => subscriber.close());
  await eventually(() => expect(isActive).toBe(true));
  return { subscriber, asked, texts, notTaken };
}

async function daemon(): Promise<string> {
  return (await serve(runtimeEnvironment().XDG_RUNTIME_DIR)).socketPath;
}

test("AAEP §6.1: confirm resolves with the person's decision, and with who decided and why", async () => {
  const socketPath = await daemon();
  const person = await answering(socketPath, (reply_token) => ({
    reply_token,
    decision: "accept",
    decided_by: "Ada",
    decision_rationale: "It is due.",
  }));
  const agent = await agentAt(socketPath);
  const outcome = await agent.confirm(TRANSFER);
  expect(outcome).toEqual({
    decision: "accept",
    resolved_by: "reply",
    decided_by: "Ada",
    decision_rationale: "It is due.",
    event_id: expect.stringMatching(/^evt_/),
    reply_token: person.asked[0]?.reply_token,
  });
  expect(outcome.reply_token).toMatch(/^rpl_[0-9a-f]{32}$/);
  expect(await agent.outcomeOf(outcome.reply_token)).toEqual({ ...outcome, state: "resolved" });
  await eventually(() => expect(person.texts.at(-1)).toContain("Accepted."));
  const tool = { tool: "transfer_funds", irreversible: true, risk_level: "high", summary_normal: "Transferring." };
  await agent.publishUntyped({ type: "aaep:agent.tool.invoked", session_id: SESSION, producer, ...tool });
});

test("H8: with nobody to answer it is a default, and says so", async () => {
  const agent = await agentAt(await daemon());
  expect(await agent.confirm(TRANSFER)).toMatchObject({ decision: "reject", resolved_by: "no_subscriber" });
  const clarified = await agent.clarify({ session_id: SESSION, producer, question: "When?", default_response: "now" });
  expect(clarified).toMatchObject({ response: "now", resolved_by: "no_subscriber" });
});

test.each([
  { kinds: ["yes_no"], response: false },
  { kinds: ["numeric"], response: 67.5 },
  { kinds: ["freetext"], response: "in May" },
] as const)(
  "AAEP §6.3: clarify resolves with an answer of the kind asked for: $response",
  async ({ kinds, response }) => {
    const socketPath = await daemon();
    await answering(socketPath, (reply_token) => ({ reply_token, response, confidence: 0.5 }));
    const agent = await agentAt(socketPath);
    const question = { session_id: SESSION, producer, question: "Well?", accepted_response_kinds: kinds };
    expect(await agent.clarify(question)).toMatchObject({ response, confidence: 0.5, resolved_by: "reply" });
  },
);

test("§6.8: a question is taken back by its token or by a signal, and is then nobody's decision", async () => {
  const socketPath = await daemon();
  const person = await answering(socketPath, () => undefined);
  const waits: QuestionWaiting[] = [];
  const agent = await agentAt(socketPath, { onWaiting: (waiting) => waits.push(waiting) });
  const byToken = agent.confirm({ ...TRANSFER, reply_token: "rpl_byToken" });
  await eventually(() => expect(person.asked).toHaveLength(1));
  expect(await agent.outcomeOf("rpl_byToken")).toEqual({ state: "open", reply_token: "rpl_byToken" });
  expect(await agent.cancel("rpl_byToken")).toBe(true);
  const outcome = await byToken;
  expect(outcome).toMatchObject({ resolved_by: "cancelled", reply_token: "rpl_byToken" });
  expect(outcome).not.toHaveProperty("decision");
  expect(await agent.cancel("rpl_byToken")).toBe(false);

  const abort = new AbortController();
  const bySignal = agent.confirm(TRANSFER, { signal: abort.signal });
  await eventually(() => expect(person.asked).toHaveLength(2));
  abort.abort();
  expect(await bySignal).toMatchObject({ resolved_by: "cancelled" });
  const lasting = new AbortController();
  const answered = ["A", "B", "C"].map((action) =>
    agent.confirm({ ...TRANSFER, action, timeout_seconds: 1 }, { signal: lasting.signal }),
  );
  expect((await Promise.all(answered)).map(({ resolved_by: by }) => by)).toEqual(["timeout", "timeout", "timeout"]);
  expect(getEventListeners(lasting.signal, "abort")).toHaveLength(1);
  await expect(agent.confirm(TRANSFER, { signal: abort.signal })).rejects.toMatchObject({ code: "cancelled" });
  // H10: an agent can stop its own clocks while a person is waited for.
  expect(waits.slice(0, 4).map(({ waiting }) => waiting)).toEqual([true, false, true, false]);
});

test("R5a: a question is closed as the person decided in the agent's own dialog, which permits nothing irreversible", async () => {
  const socketPath = await daemon();
  const person = await answering(socketPath, () => undefined);
  const agent = await agentAt(socketPath);
  const asked = agent.confirm({ ...TRANSFER, reply_token: "rpl_host" });
  await eventually(() => expect(person.asked).toHaveLength(1));
  expect(await agent.cancel("rpl_host", { decided_by: "host", decision: "accept" })).toBe(true);
  expect(await asked).toMatchObject({ resolved_by: "host", decided_by: "host", decision: "accept" });
  await eventually(() => expect(person.texts.at(-1)).toContain("in the agent’s own window. Accepted."));
  expect(await agent.cancel("rpl_host", { decided_by: "host", decision: "reject" })).toBe(false);
  const tool = { type: "aaep:agent.tool.invoked", session_id: SESSION, producer, tool: "transfer_funds" };
  const call = { ...tool, summary_normal: "Transferring." };
  await expect(agent.publishUntyped({ ...call, irreversible: true })).rejects.toMatchObject({
    code: "confirmation_required",
  });
  const vocabularies = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"];
  await agent.publishUntyped({ ...call, "@context": vocabularies, extensions: { aaepd: { approved_by: "host" } } });
});

test.each([
  [{}, ["freetext"]],
  [{ choices: ["a", "b"].map((value) => ({ value, label: value })) }, ["multiple_choice"]],
])("AAEP §9.4.1, P3: clarify sends which answers it takes: %j", async (fields, kinds) => {
  const socketPath = await daemon();
  const person = await answering(socketPath, (reply_token) => ({ reply_token, response: "a" }));
  const agent = await agentAt(socketPath);
  expect(await agent.clarify({ session_id: SESSION, producer, question: "Which?", ...fields })).toMatchObject({
    response: "a",
    resolved_by: "reply",
  });
  expect(person.asked).toMatchObject([{ accepted_response_kinds: kinds }]);
});

test.each([
  ["an empty text", ""],
  ["a text of more than 16,384 characters", "x".repeat(16_385)],
  ["an answer of another kind", true],
])("R19, P9: a person's tool is told that %s did not count, and can answer again", async (_, response) => {
  const socketPath = await daemon();
  const person = await answering(socketPath, (reply_token) => ({ reply_token, response }));
  const agent = await agentAt(socketPath);
  const answer = agent.clarify({ session_id: SESSION, producer, question: "When?", reply_token: "rpl_free" });
  await eventually(() => expect(person.notTaken).toEqual(["rpl_free"]));
  expect(await person.subscriber.listPending()).toHaveLength(1);
  expect(person.subscriber.reply({ reply_token: "rpl_free", response: "in May" })).toBe(true);
  expect(await answer).toMatchObject({ response: "in May", resolved_by: "reply" });
  expect(person.notTaken).toEqual(["rpl_free"]);
});

test("a question that was published as an event has its outcome told", async () => {
  const socketPath = await daemon();
  await answering(socketPath, (reply_token) => ({ reply_token, decision: "reject" }));
  const outcomes: QuestionOutcome[] = [];
  const agent = await agentAt(socketPath, { onOutcome: (outcome) => outcomes.push(outcome) });
  const fields = { reply_token: "rpl_own", timeout_seconds: 60, default_decision: "reject" };
  await agent.publishUntyped({ type: "aaep:agent.awaiting.confirmation", ...TRANSFER, ...fields });
  await eventually(() => expect(outcomes).toHaveLength(1));
  expect(outcomes[0]).toMatchObject({ decision: "reject", resolved_by: "reply", reply_token: "rpl_own" });
});

test("§6.4.1: a default that would let something irreversible through is refused; so is an unknown token", async () => {
  const agent = await agentAt(await daemon());
  const accepting = agent.confirm({ ...TRANSFER, default_decision: "accept" });
  await expect(accepting).rejects.toMatchObject({ code: "default_not_allowed", pointer: "/default_decision" });
  await expect(agent.outcomeOf("rpl_never")).rejects.toMatchObject({ code: "not_found" });
});

test("an agent whose daemon goes away, and that does not wait for another, has no consent", async () => {
  const served = await serveProcess(runtimeEnvironment().XDG_RUNTIME_DIR);
  const person = await answering(served.socketPath, () => undefined);
  const agent = await agentAt(served.socketPath, { reconnect: "never" });
  const outcome = agent.confirm(TRANSFER);
  const rejection = expect(outcome).rejects.toMatchObject({ code: "peer_gone" });
  await eventually(() => expect(person.asked).toHaveLength(1));
  await served.kill();
  await rejection;
});

test("AAEP §6.3, §6.5, P16: replies go out complete, with the listed members alone, and only while there is a subscription", async () => {
  const fake = createFakeProducer();
  const subscriber = createSubscriber({
    connect: fake.connect,
    request: { subscriber_id: "person", capabilities: {} },
    onEvent: () => {},
    wallTime: () => Date.UTC(2026, 0, 2),
  });
  onTestFinished(() => subscriber.close());
  expect(subscriber.reply({ reply_token: "rpl_1", decision: "accept" })).toBe(false);
  await eventually(() => expect(fake.sides).toHaveLength(1));
  fake.sides[0]?.accept("sub_7");
  await eventually(() => expect(subscriber.reply({ reply_token: "rpl_1", decision: "accept" })).toBe(true));
  subscriber.reply({ reply_token: "rpl_2", response: 3, decided_by: "Ada" });
  await eventually(() => expect(fake.sides[0]?.received).toHaveLength(3));
  const [, confirmation, clarification] = fake.sides[0]?.received ?? [];
  expect(confirmation).toEqual({
    type: "confirmation.reply",
    subscription_id: "sub_7",
    reply_token: "rpl_1",
    decision: "accept",
    timestamp: "2026-01-02T00:00:00.000Z",
  });
  expect(isClosedForm("confirmation.reply", confirmation)).toBe(true);
  expect(isClosedForm("clarification.reply", clarification)).toBe(true);
});
