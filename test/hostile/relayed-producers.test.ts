// A producer behind a relay that floods, lies about the order and asks without end. It is heard for what it is, and costs nobody else anything.
import { expect, it } from "vitest";
import { openAgent } from "../../src/client/node.js";
import type { DaemonStatus } from "../../src/daemon/status/daemon-status.js";
import { answering, QUESTION, relayed, relaysOf, SESSION } from "../adapters/relay-stage.js";
import { eventually, runCommandLine, type ServedDaemon } from "../cli/command-stage.js";
import { whenFinished } from "../support/lifetime.js";

/** An agent of this machine, beside the producer. */
async function agentOf({ socketPath }: ServedDaemon) {
  const agent = await openAgent({ id: "planner", socket: socketPath });
  whenFinished(() => agent.close());
  return agent;
}

it("a flood is heard whole, and another agent is heard in the middle of it", async () => {
  const { producer, daemon, heard } = await relayed();
  const agent = await agentOf(daemon);
  producer.says("session.started", { summary_normal: "Floods." });
  for (let number = 1; number <= 300; number += 1)
    producer.says("progress.updated", { progress: { percent: 1 }, summary_normal: `${number}.` });
  producer.says("session.completed", { summary_normal: "Over." });
  await eventually(() => expect(heard.length).toBeGreaterThan(10));
  agent.session("Plans a trip.");
  await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("Over."));
  const words = heard.map(({ summary_normal: one }) => one);
  const counted = words.filter((one) => /^\d+\.$/.test(String(one)));
  expect(counted).toEqual(Array.from({ length: 300 }, (_, at) => `${at + 1}.`));
  expect(words.indexOf("Plans a trip.")).toBeLessThan(words.length - 1);
});

it("lies about the order are told and marked, and the session still ends", async () => {
  const { producer, daemon, heard } = await relayed();
  const call = { tool: "look", tool_call_id: "call_1", status: "success" };
  producer.says("tool.completed", { ...call, summary_normal: "Found it before it looked." });
  producer.says("session.started", { summary_normal: "Begins behind its middle." });
  producer.says("state.changed", {
    from_state: "awaiting_input",
    to_state: "executing_tool",
    summary_normal: "Jumps.",
  });
  producer.says("output.streaming", { output_id: "out_1", chunk: "From the end.", position: 9000, complete: true });
  producer.says("output.streaming", { output_id: "out_1", chunk: "Once more.", position: 0, complete: true });
  producer.says("session.completed", {
    summary_normal: "Over.",
    sequence_number: 3,
    timestamp: "1970-01-01T00:00:00Z",
  });
  producer.says("session.completed", { summary_normal: "Over again.", sequence_number: 1 });
  await eventually(async () => expect((await relaysOf(daemon))[0]?.events).toBe(7));
  await eventually(() => expect(heard.at(-1)?.type).toBe("aaep:agent.session.completed"));
  const marked = heard.filter(({ extensions }) => extensions?.aaepd?.breach !== undefined);
  const words = marked.map(({ summary_normal: one }) => one);
  expect(words).toEqual(expect.arrayContaining(["Found it before it looked.", "Begins behind its middle.", "Jumps."]));
  expect(heard.filter(({ type }) => type === "aaep:agent.session.started").length).toBeLessThanOrEqual(2);
});

it("of a thousand questions sixteen are open, and another agent's is asked and answered", async () => {
  const { producer, daemon } = await relayed();
  const { heard, reply } = await answering(daemon);
  // One session waits for one answer at a time.
  for (let number = 0; number < 1000; number += 1)
    producer.says("awaiting.confirmation", {
      ...QUESTION,
      session_id: `${SESSION}${number % 40}`,
      reply_token: `rpl_${String(number).padStart(32, "0")}`,
    });
  await eventually(async () => expect((await relaysOf(daemon))[0]?.events).toBe(1000));
  const { stdout } = await runCommandLine(["status", "--json"], daemon.environment);
  expect((JSON.parse(stdout) as DaemonStatus).question_count).toBe(16);
  const agent = await agentOf(daemon);
  const outcome = agent.session("Cleans up.").confirm({ action: "Delete a.txt", consequence: "It is gone." });
  await eventually(() => expect(heard.at(-1)).toMatchObject({ action: "Delete a.txt" }));
  const { reply_token } = heard.at(-1) as unknown as { readonly reply_token: string };
  reply({ reply_token, decision: "accept" });
  expect(await outcome).toMatchObject({ decision: "accept" });
});

it("a token that asks twice is asked once, and told; the reply goes back once", async () => {
  const { producer, daemon } = await relayed();
  const { heard, reply } = await answering(daemon);
  producer.says("session.started", { summary_normal: "Asks." });
  producer.says("awaiting.confirmation", QUESTION);
  producer.says("awaiting.confirmation", { ...QUESTION, action: "Burn the house" });
  await eventually(() => expect(heard.some(({ extensions }) => extensions?.aaepd?.breach !== undefined)).toBe(true));
  expect(heard.find(({ extensions }) => extensions?.aaepd?.breach)?.summary_normal).toContain("Burn the house");
  reply({ reply_token: QUESTION.reply_token, decision: "accept" });
  const replies = () => producer.posted.filter(({ type }) => type === "confirmation.reply");
  await eventually(() => expect(replies().length).toBe(1));
});
