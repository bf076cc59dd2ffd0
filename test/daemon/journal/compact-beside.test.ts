// `aaepd journal compact` beside a daemon under load: delivery goes on, and nothing that was acknowledged is lost, whenever the daemon is killed.
import { statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AgentClient, createAgentClient } from "../../../src/client/agent-client.js";
import { ipcConnector, ipcRpcConnector } from "../../../src/client/node.js";
import { createSubscriber } from "../../../src/client/subscriber.js";
import { openJournalReader } from "../../../src/storage/journal-reader.js";
import { runCommandLine, serve } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { createChance } from "../../support/chance.js";
import { isWhole } from "../../support/extent.js";
import { createMortalDaemon, type MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { startRig } from "../../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

const MEBIBYTE = 1024 * 1024;
const KILLS = isWhole ? 12 : 2;
const LONG = "x".repeat(16_000);

interface Stream {
  /** Texts that were acknowledged, in their order. */
  readonly acknowledged: readonly string[];
  /** Publishes so many chunks at once, and waits until they are acknowledged. */
  readonly publish: (count: number, text?: string) => Promise<void>;
}

/** A session that is open, and its one output. */
async function streamOf(agent: AgentClient, sessionId: string): Promise<Stream> {
  const session = { session_id: sessionId, producer: { agent_id: "load" } };
  await agent.publish({ ...session, type: "aaep:agent.session.started", summary_normal: "Load." });
  const acknowledged: string[] = [];
  let number = 0;
  return {
    acknowledged,
    publish: async (count, text = "") => {
      const events = Array.from({ length: count }, () => {
        number += 1;
        const chunk = `${sessionId} ${number} ${text}\n`;
        return { ...session, type: "aaep:agent.output.streaming" as const, chunk, complete: false };
      });
      await agent.publish(events);
      acknowledged.push(...events.map(({ chunk }) => chunk));
    },
  };
}

async function agentAt(socket: string): Promise<AgentClient> {
  const agent = await createAgentClient(ipcRpcConnector(socket), { reconnect: "never" });
  onTestFinished(agent.close);
  return agent;
}

/** A daemon on this journal; it must have had no accident when the test has finished. */
async function daemonOn(journal: string, ...options: readonly string[]): Promise<MortalDaemon> {
  const daemon = createMortalDaemon({
    directory: temporaryDirectory(),
    services: [],
    options: ["--journal", journal, ...options],
  });
  onTestFinished(async () => {
    await daemon.kill();
    expect(daemon.accidents()).toEqual([]);
  });
  expect(await daemon.start().ready).toBe(true);
  return daemon;
}

/** The texts of a session in a journal that no daemon has. */
async function textsIn(journal: string, sessionId: string): Promise<readonly unknown[]> {
  const reader = await openJournalReader(journal);
  const texts = [...reader.entries(sessionId)].flatMap(({ event }) => ("chunk" in event ? [event.chunk] : []));
  await reader.close();
  return texts;
}

describe("aaepd journal compact beside a daemon", () => {
  it("gives free space back while the daemon acknowledges and delivers; a second one meanwhile gets the same answer", async () => {
    const journal = join(temporaryDirectory(), "journal");
    const file = join(journal, "journal.mdb");
    const first = await serve(temporaryDirectory(), "--journal", journal);
    const filling = await streamOf(await agentAt(first.socketPath), "sess_filling");
    for (let count = 0; count < 1200; count += 30) await filling.publish(30, LONG);
    await first.stop();
    const before = statSync(file).size;
    expect(before).toBeGreaterThan(18 * MEBIBYTE);

    // This daemon lets go of half of it, which leaves free pages.
    const daemon = await daemonOn(journal, "--journal-retention-bytes", String(9 * MEBIBYTE));
    const status = async () => {
      const { stdout } = await runCommandLine(["status", "--json", "--socket", daemon.socket]);
      return JSON.parse(stdout) as { readonly journal: { readonly bytes: number } };
    };
    await expect.poll(async () => (await status()).journal.bytes, { timeout: 60_000 }).toBeLessThan(10 * MEBIBYTE);

    let heard = "";
    let isActive = false;
    const listener = createSubscriber({
      connect: ipcConnector(daemon.socket),
      request: { subscriber_id: "listener", capabilities: { coalesce_boundaries: ["none"] } },
      onEvent: (event) => {
        if (event.session_id === "sess_talk" && "chunk" in event) heard += event.chunk;
      },
      onState: ({ kind }) => {
        isActive ||= kind === "active";
      },
    });
    onTestFinished(() => listener.close());
    await expect.poll(() => isActive, { timeout: 60_000 }).toBe(true);
    const talk = await streamOf(await agentAt(daemon.socket), "sess_talk");

    const argv = ["journal", "compact", "--journal", journal, "--socket", daemon.socket];
    let isDone = false;
    const compacting = Promise.all([runCommandLine(argv), runCommandLine(argv)]).finally(() => {
      isDone = true;
    });
    while (!isDone) await talk.publish(1);
    for (const { code, stdout, stderr } of await compacting) {
      expect(code).toBe(0);
      expect(stderr).toBe(`Process ${daemon.pid()} has this journal. It compacts it, and goes on meanwhile.\n`);
      expect(stdout).toMatch(/^Journal \S+: [\d.]+ MiB before, [\d.]+ MiB now\.\n$/);
    }
    expect(statSync(file).size).toBeLessThan(before * 0.75);
    await talk.publish(1);
    await expect.poll(() => heard, { timeout: 60_000 }).toBe(talk.acknowledged.join(""));

    const inspected = await runCommandLine(["journal", "inspect", "--journal", journal]);
    expect(inspected).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing is damaged.") });
    await daemon.stop();
    expect(await textsIn(journal, "sess_talk")).toEqual(talk.acknowledged);
  });

  it("is refused for a journal in memory", async () => {
    const rig = await startRig({ configuration: { journal: { kind: "memory" } } });
    const agent = await rig.rpc();
    await expect(agent.request("aaepd.compact_journal", {})).rejects.toMatchObject({
      error: { data: { code: "unsupported" } },
    });
  });

  it("R29: has everything that was acknowledged, whenever the daemon is killed", async () => {
    const chance = createChance(7);
    const journal = join(temporaryDirectory(), "journal");
    const before = new Map<string, readonly string[]>();
    let finishedCount = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const daemon = await daemonOn(journal);
      const sessionId = `sess_${kill}`;
      const stream = await streamOf(await agentAt(daemon.socket), sessionId);
      await stream.publish(30, LONG);
      const control = await ipcRpcConnector(daemon.socket)({ request: () => ({}), notification: () => {} });
      let isFinished = false;
      const compacting = control.request("aaepd.compact_journal", {}).then(
        () => {
          isFinished = true;
        },
        () => {},
      );
      // A kill after so many acknowledgements in the middle of the work, or after its end.
      const until = stream.acknowledged.length + chance.between(0, 15);
      while (stream.acknowledged.length < until) await stream.publish(1, LONG);
      await daemon.kill();
      await compacting;
      await control.close();
      if (isFinished) finishedCount += 1;
      before.set(sessionId, stream.acknowledged);
      expect((await textsIn(journal, sessionId)).slice(0, stream.acknowledged.length)).toEqual(stream.acknowledged);
    }
    for (const [session, acknowledged] of before)
      expect((await textsIn(journal, session)).slice(0, acknowledged.length)).toEqual(acknowledged);
    // Some of the kills hit the work.
    expect(finishedCount).toBeLessThan(KILLS);
  });
});
