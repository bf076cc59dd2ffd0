// What a daemon says of itself, in its status and its log: true when the clock is set, and nothing of an agent's words.
import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import type { DaemonStatus } from "../../../src/daemon/status/daemon-status.js";
import { startCommandLine } from "../../cli/command-stage.js";
import { startRig } from "../../support/rigs/daemon-rig.js";
import { session } from "../../support/rigs/engine-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const progressTo = (percent: number) => ({
  type: "aaep:agent.progress.updated",
  session_id: "sess_1",
  progress: { percent },
});

it("R24: the time that it has run does not follow the clock on the wall", async () => {
  const rig = await startRig();
  const peer = await rig.rpc();
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - 86_400_000);
  onTestFinished(() => clock.mockRestore());
  const { uptime_seconds: uptime } = (await peer.request("aaepd.status", {})) as unknown as DaemonStatus;
  expect(uptime).toBeGreaterThanOrEqual(0);
  expect(uptime).toBeLessThan(3600);
  await peer.close();
});

it("R3: a configuration that says `sequencing: warn` is told that it has no effect, and the daemon starts", async () => {
  const rig = await startRig({ configuration: { sequencing: "warn" } });
  expect(rig.log.filter(({ level }) => level === "warn")).toMatchObject([
    { message: expect.stringContaining("sequencing") },
  ]);
  const agent = await rig.rpc();
  const one = session("sess_refused");
  await agent.publish(one.started());
  expect((await agent.refusal("aaep.publish", one.state("thinking", "deciding"))).code).toBe("state_mismatch");
  await agent.close();
});

it("R20, R29: with the journal's folder gone, message and remedy say one thing: what is wrong, and what helps against it", async () => {
  const directory = temporaryDirectory();
  const folder = join(directory, "journal");
  const socket = join(directory, "a.sock");
  const argv = ["serve", "--socket", socket, "--journal", folder, "--audit", "off", "--producer-id", "tester"];
  await startCommandLine(argv).stdoutLines(1);
  const agent = await AgentClient.open(ipcRpcConnector(socket));
  const asking = await ipcRpcConnector(socket)({ request: () => ({}), notification: () => {} });
  onTestFinished(async () => {
    await Promise.all([agent.close(), asking.close()]);
  });
  const status = async () => (await asking.request("aaepd.status", {})) as DaemonStatus;
  await agent.publish({ type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." });
  renameSync(folder, `${folder}-away`);

  const file = join(folder, "journal.mdb");
  await vi.waitFor(async () => expect((await status()).problems).toHaveLength(1), { timeout: 60_000 });
  const { problems, journal } = await status();
  expect(problems).toEqual([
    {
      grade: "problem",
      code: "journal_failing",
      message: `The journal ${file} cannot be written. Its file was deleted, replaced or cut short.`,
      remedy: "Put it back, or restart the daemon. Until then agents' events are refused; delivery goes on.",
    },
  ]);
  expect(journal.failure).toBe("Its file was deleted, replaced or cut short. Put it back, or restart the daemon.");
  await expect(agent.publish(progressTo(5))).rejects.toMatchObject({
    code: "storage_unavailable",
    sentence: expect.stringContaining(`${journal.failure}`),
  });

  renameSync(`${folder}-away`, folder);
  await vi.waitFor(async () => expect((await status()).problems).toEqual([]), { timeout: 60_000 });
  await agent.publish(progressTo(6));
});
