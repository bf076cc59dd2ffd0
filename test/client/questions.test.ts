// Asking and answering with both clients, a real daemon and a real socket (AAEP ch. 6).
import { getEventListeners } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { type AgentClientOptions, createAgentClient } from "../../src/client/agent-client.js";
import type { QuestionWaiting } from "../../src/client/agent-questions.js";
import { ipcConnector, ipcRpcConnector } from "../../src/client/node.js";
import { createSubscriber, type Subscriber } from "../../src/client/subscriber.js";
import type { SubscriberReply } from "../../src/client/subscriber-options.js";
import { eventually, runtimeEnvironment, serve } from "../cli/command-stage.js";
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
  return { asked, texts };
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
