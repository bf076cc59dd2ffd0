// Evidence that a listener in another process is subscribed, which nobody can see from outside.
import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { whenFinished } from "../lifetime.js";

/**
 * Opens a session of its own at the daemon, and resolves when `out`, what the listener has written, has grown: to whoever subscribes later the
 * open session is summed up (R17), so it is heard once however late the listener comes. The session stays open until the test has finished.
 */
export async function untilHeard(socketPath: string, out: () => string): Promise<void> {
  const before = out().length;
  const agent = await vi.waitFor(() => AgentClient.open(ipcRpcConnector(socketPath)), {
    timeout: 60_000,
    interval: 20,
  });
  whenFinished(() => agent.close());
  await agent.publish({
    type: "aaep:agent.session.started",
    session_id: `sess_probe${randomUUID().replaceAll("-", "")}`,
    producer: { agent_id: "probe" },
    summary_normal: "Is anybody there?",
  });
  await vi.waitFor(() => expect(out().length).toBeGreaterThan(before), { timeout: 60_000, interval: 10 });
}
