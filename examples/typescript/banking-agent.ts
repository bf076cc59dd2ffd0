// A banking agent that asks before it transfers money, with the client that comes with aaepd. See README.md beside this file.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type AgentClient, type ConfirmationOutcome, createAgentClient } from "aaepd/client";
import { childRpcConnector } from "aaepd/client/node";

const DAEMON = ["aaepd", "stdio", "--producer-id", "banking-agent", "--confirmation-grace-seconds", "20"];

const { values } = parseArgs({ options: { timeout: { type: "string", default: "120" } } });

const daemon = spawn("npx", DAEMON, { stdio: ["pipe", "pipe", "inherit"] });
const exited = once(daemon, "exit");
const agent = await createAgentClient(childRpcConnector(daemon), {
  // While a person is waited for, an agent stops its own clocks.
  onWaiting: ({ waiting }) => {
    if (waiting) tell("Somebody is being asked.");
  },
});
try {
  await agent.ping();
  // Whoever follows agents has found this one by then, and hears it from the beginning.
  await delay(1000);
  await run(agent, `sess_${randomUUID().replaceAll("-", "")}`, Number(values.timeout));
} finally {
  // The orderly end: whoever listens is handed everything, then the daemon goes.
  daemon.stdin.end();
  await exited;
}

async function run(client: AgentClient, session_id: string, timeout_seconds: number): Promise<void> {
  async function write(...chunks: readonly string[]): Promise<void> {
    for (const [index, chunk] of chunks.entries()) {
      await client.publish({
        type: "aaep:agent.output.streaming",
        session_id,
        output_id: "out_answer",
        chunk,
        complete: index === chunks.length - 1,
      });
    }
  }

  await client.publish({
    type: "aaep:agent.session.started",
    session_id,
    summary_normal: "Transfers 500 dollars to Ada Obi.",
  });
  await client.publish({ type: "aaep:agent.state.changed", session_id, from_state: "idle", to_state: "thinking" });

  const balance = { tool: "fetch_balance", tool_call_id: "call_1" };
  await client.publish({
    type: "aaep:agent.tool.invoked",
    session_id,
    ...balance,
    risk_level: "low",
    summary_normal: "Reading your balance.",
  });
  await client.publish({
    type: "aaep:agent.tool.completed",
    session_id,
    ...balance,
    status: "success",
    summary_normal: "Your balance is 12,500 dollars.",
  });
  await client.publish({ type: "aaep:agent.state.changed", session_id, from_state: "thinking", to_state: "deciding" });
  await client.publish({ type: "aaep:agent.state.changed", session_id, from_state: "deciding", to_state: "thinking" });

  const transfer = { tool: "transfer_funds", tool_call_id: "call_2" };
  const outcome = await client.confirm({
    session_id,
    action: "Transfer 500 dollars to Ada Obi.",
    consequence: "The money leaves your account at once. 12,000 dollars remain.",
    risk_level: "high",
    irreversible: true,
    timeout_seconds,
    default_decision: "reject",
    extra_context: { ...transfer, amount: 500, currency: "USD" },
  });

  // Only a person's own yes lets it happen. The daemon would refuse the tool call otherwise.
  if (outcome.decision === "accept" && outcome.resolved_by === "reply") {
    tell("Accepted: transferring.");
    await client.publish({
      type: "aaep:agent.tool.invoked",
      session_id,
      ...transfer,
      risk_level: "high",
      irreversible: true,
      summary_normal: "Transferring 500 dollars.",
    });
    await client.publish({
      type: "aaep:agent.tool.completed",
      session_id,
      ...transfer,
      status: "success",
      summary_normal: "The transfer is done.",
    });
    await client.publish({
      type: "aaep:agent.state.changed",
      session_id,
      from_state: "calling_tool",
      to_state: "writing_output",
    });
    await write("Transferred 500 dollars ", "to Ada Obi. ", "Your new balance is 12,000 dollars.");
    await client.publish({
      type: "aaep:agent.session.completed",
      session_id,
      summary_normal: "Transferred 500 dollars.",
    });
    return;
  }
  tell(`Not transferred: ${whyNot(outcome)}`);
  await client.publish({
    type: "aaep:agent.state.changed",
    session_id,
    from_state: "awaiting_input",
    to_state: "writing_output",
    summary_normal: "The transfer is not made.",
  });
  await write(whyNot(outcome), " Nothing was transferred. ", "Your balance is still 12,500 dollars.");
  await client.publish({
    type: "aaep:agent.session.completed",
    session_id,
    summary_normal: "Nothing was transferred.",
  });
}

/** A default is never told as somebody's decision. */
function whyNot(outcome: ConfirmationOutcome): string {
  switch (outcome.resolved_by) {
    case "reply":
      return "You declined it.";
    case "timeout":
      return "Nobody answered in time.";
    case "host":
      return "It was declined in the agent's own dialog.";
    case "cancelled":
      return "The question was taken back.";
    case "subscription_ended":
      return "Whoever could have answered has gone.";
    case "no_subscriber":
      return "There was nobody to ask.";
  }
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
