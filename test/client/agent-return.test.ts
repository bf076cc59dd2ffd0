// U3, R3, R8, R8b: an agent whose daemon is killed, stopped and started again goes on as if nothing had happened, or is told what it has lost.
import { expect, onTestFinished, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { type AgentClientOptions, createAgentClient } from "../../src/client/agent-client.js";
import type { AgentState } from "../../src/client/agent-states.js";
import { ipcConnector, ipcRpcConnector } from "../../src/client/node.js";
import { createSubscriber } from "../../src/client/subscriber.js";
import type { SubscriberReply } from "../../src/client/subscriber-options.js";
import { eventually } from "../cli/command-stage.js";
import { isWhole, itInFull } from "../support/extent.js";
import { type MortalDaemon, startMortalDaemon } from "../support/peers/mortal-daemon.js";

const SESSION = "sess_return";
/** How often the daemon goes. */
const ROUNDS = isWhole ? 3 : 1;
const event = (kind: string, fields: Readonly<Record<string, unknown>> = {}, session_id = SESSION) => ({
  type: `aaep:agent.${kind}`,
  session_id,
  ...fields,
});
const started = event("session.started", { summary_normal: "A session." });
const chunk = (text: string, complete = false) => event("output.streaming", { chunk: text, complete });

async function agentAt({ socket }: MortalDaemon, options: AgentClientOptions = {}) {
  const states: AgentState[] = [];
  const agent = await createAgentClient(ipcRpcConnector(socket), {
    backOff: { firstMs: 10, longestMs: 50 },
    onState: (state) => states.push(state),
    ...options,
  });
  onTestFinished(agent.close);
  await agent.setManifest({ agent_id: "traveller" });
  return { agent, states };
}

/** A listener that comes back as well. */
function listenAt({ socket }: MortalDaemon, answer: (token: string) => SubscriberReply | undefined = () => undefined) {
  const types: string[] = [];
  const asked: string[] = [];
  let text = "";
  const subscriber = createSubscriber({
    connect: ipcConnector(socket),
    request: {
      subscriber_id: "listener",
      capabilities: { coalesce_boundaries: ["none"], supports_confirmation_reply: true },
    },
    backOff: { firstMs: 10, longestMs: 50 },
    onEvent: ({ type, chunk: piece, reply_token: token }: Envelope) => {
      types.push(type.replace("aaep:agent.", ""));
      if (typeof piece === "string") text += piece;
      if (typeof token !== "string") return;
      asked.push(token);
      const reply = answer(token);
      if (reply !== undefined) subscriber.reply(reply);
    },
  });
  onTestFinished(() => subscriber.close());
  return { types, asked, text: () => text, subscriber };
}

test.each(["kill", "stop"] as const)(
  "R3, R8, R8b: over a %s, what is published meanwhile comes once, in order, in the same session",
  async (how) => {
    const mortal = await startMortalDaemon();
    const listener = listenAt(mortal);
    const { agent, states } = await agentAt(mortal);
    await agent.publishUntyped(started);
    await agent.publishUntyped(chunk("0 "));
    let next = 1;
    const answers: Promise<unknown>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Some are on their way when it ends, and some are made while it is away.
      for (let count = 0; count < 20; count += 1) answers.push(agent.publishUntyped(chunk(`${next++} `)));
      await mortal[how]();
      for (let count = 0; count < 5; count += 1) answers.push(agent.publishUntyped(chunk(`${next++} `)));
      await eventually(() => expect(states.at(-1)?.kind).toBe("waiting"));
      expect(await mortal.start().ready).toBe(true);
      await eventually(() => expect(states.filter(({ kind }) => kind === "active")).toHaveLength(round + 2));
    }
    await agent.publishUntyped([chunk("", true), event("session.completed", { summary_normal: "Done." })]);
    await Promise.all(answers);
    await eventually(() => expect(listener.types).toContain("session.completed"));
    expect(listener.text()).toBe(Array.from({ length: next }, (_, index) => `${index} `).join(""));
    expect(listener.types).not.toContain("session.errored");
    expect(states.filter(({ kind }) => kind === "active")).toEqual([
      { kind: "active", isResumed: false, lostSessions: [] },
      ...Array.from({ length: ROUNDS }, () => ({ kind: "active", isResumed: true, lostSessions: [] })),
    ]);
  },
);

test.each(["kill", "stop"] as const)(
  "R8b, R5, H1: a question that is open over a %s is answered in the next run, and its call resolves once",
  async (how) => {
    const mortal = await startMortalDaemon();
    let mayAnswer = false;
    const outcomes: unknown[] = [];
    const listener = listenAt(mortal, (reply_token) => (mayAnswer ? { reply_token, decision: "accept" } : undefined));
    const { agent, states } = await agentAt(mortal, { onOutcome: (outcome) => outcomes.push(outcome) });
    await agent.publishUntyped(started);
    const outcome = agent.confirm({
      session_id: SESSION,
      action: "Delete the album.",
      consequence: "It cannot be restored.",
      irreversible: true,
    });
    await eventually(() => expect(listener.asked).toHaveLength(1));
    await mortal[how]();
    mayAnswer = true;
    expect(await mortal.start().ready).toBe(true);
    await eventually(() => expect(states.at(-1)).toMatchObject({ kind: "active", isResumed: true, lostSessions: [] }));
    let isAnswered = false;
    void outcome.then(() => {
      isAnswered = true;
    });
    // Where the kill came before the disk had the question, the agent asks again: a reply may be there before the question is.
    await eventually(() => {
      listener.subscriber.reply({ reply_token: listener.asked[0] ?? "", decision: "accept" });
      expect(isAnswered).toBe(true);
    });
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    const tool = { tool: "delete_album", irreversible: true, risk_level: "high", summary_normal: "Deletes it." };
    await agent.publishUntyped(event("tool.invoked", tool));
    // It is told to the call, and to nobody else.
    expect(outcomes).toEqual([]);
  },
);

test("R8b: where the next run has nothing of a session, its agent is told, and begins another", async () => {
  const mortal = await startMortalDaemon("--journal", "memory");
  const { agent, states } = await agentAt(mortal);
  await agent.publishUntyped(started);
  await agent.publishUntyped(event("session.started", { summary_normal: "Another." }, "sess_over"));
  await agent.publishUntyped(event("session.completed", { summary_normal: "Done." }, "sess_over"));
  await mortal.kill();
  const lost = agent.publishUntyped(chunk("Lost."));
  const refusal = expect(lost).rejects.toMatchObject({ code: "session_not_started" });
  expect(await mortal.start().ready).toBe(true);
  await refusal;
  expect(states.at(-1)).toEqual({ kind: "active", isResumed: true, lostSessions: [SESSION] });
  // It need not say again who it is (R2).
  await agent.publishUntyped(event("session.started", { summary_normal: "Once more." }, "sess_again"));
});

test("R8: a session that was taken over from another client is taken over again", async () => {
  const mortal = await startMortalDaemon();
  const first = await agentAt(mortal);
  const { resume_token = "" } = await first.agent.publishUntyped(started);
  await first.agent.close();
  const { agent, states } = await agentAt(mortal);
  expect(await agent.resumeSession({ session_id: SESSION, resume_token })).toMatchObject({ session_id: SESSION });
  await mortal.kill();
  expect(await mortal.start().ready).toBe(true);
  await agent.publishUntyped([chunk("Here.", true), event("session.completed", { summary_normal: "Done." })]);
  expect(states.at(-1)).toEqual({ kind: "active", isResumed: true, lostSessions: [] });
});

itInFull("R3: much that has waited goes out, and no more of it at a time than the daemon takes", async () => {
  const mortal = await startMortalDaemon();
  const { agent, states } = await agentAt(mortal);
  await agent.publishUntyped(started);
  await mortal.kill();
  await eventually(() => expect(states.at(-1)?.kind).toBe("waiting"));
  const text = "x".repeat(6000);
  const answers = Array.from({ length: 3500 }, () => agent.publishUntyped(chunk(text)));
  expect(await mortal.start().ready).toBe(true);
  await Promise.all(answers);
  expect(states.filter(({ kind }) => kind === "active")).toHaveLength(2);
  // And as much at once while the daemon is there: neither side waits for the other to read.
  await Promise.all(Array.from({ length: 4000 }, () => agent.publishUntyped(chunk("y".repeat(300)))));
});

itInFull("R8: thousands of sessions are taken over", async () => {
  const mortal = await startMortalDaemon("--agent-grace-seconds", "60");
  const { agent, states } = await agentAt(mortal);
  const ids = Array.from({ length: 2000 }, (_, index) => `sess_many${index}`);
  for (let from = 0; from < ids.length; from += 500)
    await agent.publishUntyped(
      ids.slice(from, from + 500).map((id) => event("session.started", { summary_normal: "One." }, id)),
    );
  await mortal.kill();
  expect(await mortal.start().ready).toBe(true);
  await eventually(() => expect(states.at(-1)).toEqual({ kind: "active", isResumed: true, lostSessions: [] }));
  await agent.publishUntyped(
    ids.slice(0, 500).map((id) => event("progress.updated", { progress: { percent: 1 } }, id)),
  );
});
