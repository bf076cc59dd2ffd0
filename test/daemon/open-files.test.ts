// a daemon at the limit of open files, as the system sets it. What it needs then was loaded and opened before, and it says what it cannot do.
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { ipcConnection } from "../long/crash/ipc-connection.js";
import { ensureBuilt } from "../support/built.js";
import { createWireSniffer, type Message } from "../support/oracles/wire-sniffer.js";
import { a2ePeer } from "../support/peers/a2e-peer.js";
import { auditEntries, createMortalDaemon, type MortalDaemon } from "../support/peers/mortal-daemon.js";
import { plainPeer, rpcPeer } from "../support/peers/peers.js";
import { rawSocket } from "../support/peers/raw-socket.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

// The loader of modules opens up to some sixty files at a time, while the program starts.
const MOST_FILES = 128;
const LONG = { timeout: 60_000, interval: 20 };

/** Resolves when every thread of a process sleeps, and none has run since the last looks: what it loads behind its start has been loaded. */
async function rested(pid: number): Promise<void> {
  const folder = `/proc/${pid}/task`;
  let before = "";
  let looks = 0;
  await vi.waitFor(() => {
    const now = readdirSync(folder).map((thread) => readFileSync(`${folder}/${thread}/status`, "utf8"));
    const switches = now.map((text) => text.match(/ctxt_switches.*/g)?.join()).join();
    const isStill = switches === before && now.every((text) => /^State:\s+S/m.test(text));
    looks = isStill ? looks + 1 : 0;
    before = switches;
    expect(looks).toBeGreaterThan(5);
  }, LONG);
}

/** Numbers below the limit that name no open file. */
function freeDescriptors(pid: number): readonly number[] {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  return Array.from({ length: MOST_FILES }, (_, number) => number).filter((number) => !taken.has(number));
}

/** Opens connections until the daemon has no file for another. A file that it opens meanwhile leaves room behind, which the audit log would take. */
async function useUp(daemon: MortalDaemon): Promise<readonly Socket[]> {
  await rested(daemon.pid());
  const another = (): Socket => rawSocket(daemon.socket);
  const sockets = Array.from({ length: 2 * MOST_FILES }, another);
  await vi.waitFor(() => {
    const free = freeDescriptors(daemon.pid());
    if (free.length > 0) sockets.push(another());
    expect(free).toStrictEqual([]);
  }, LONG);
  return sockets;
}

it.skipIf(process.platform !== "linux")(
  "publishes, asks, answers, begins a protocol and logs as ever, and its audit log has all of it afterwards",
  async () => {
    const directory = temporaryDirectory();
    const daemon = createMortalDaemon({
      directory,
      services: [],
      within: ["sh", "-c", `ulimit -n ${MOST_FILES}; exec "$0" "$@"`],
      // No machine is so slow that silent connections are closed, and make room, in the middle of the test.
      options: ["--journal", `${directory}/journal`, "--log-level", "info", "--handshake-timeout-seconds", "3600"],
    });
    onTestFinished(daemon.kill);
    expect(await daemon.start().ready).toBe(true);
    const sniffer = createWireSniffer();
    const agent = rpcPeer(await ipcConnection(daemon.socket, "newline"), sniffer);
    const listener = plainPeer(await ipcConnection(daemon.socket, "length-prefixed"), sniffer);
    const relayed = a2ePeer(await ipcConnection(daemon.socket, "newline"));
    await listener.subscribe({
      type: "subscription.request",
      aaep_version: "1.0.0",
      subscriber_id: "listener",
      capabilities: { coalesce_boundaries: ["sentence"], supports_confirmation_reply: true },
    });
    const sockets = await useUp(daemon);
    const say = (kind: string, fields: Message): Message => ({
      type: `aaep:agent.${kind}`,
      session_id: "sess_1",
      producer: { agent_id: "agent" },
      ...fields,
    });
    await agent.request("aaep.publish", say("session.started", { summary_normal: "Begins." }));
    const text = "Dr. Who is here. And so on.";
    await agent.request("aaep.publish", say("output.streaming", { output_id: "out_1", chunk: text, complete: true }));
    const texts = (await listener.events.take(3)).flatMap(({ chunk }) => (chunk === undefined ? [] : [chunk]));
    expect(texts.map(String).map((one) => one.trim())).toStrictEqual(["Dr. Who is here.", "And so on."]);
    const question = {
      action: "Pay.",
      consequence: "Money leaves.",
      default_decision: "reject",
      timeout_seconds: 3600,
    };
    const asked = say("awaiting.confirmation", { ...question, risk_level: "high", reply_token: "rpl_1" });
    await agent.request("aaep.publish", asked);
    await listener.events.next("the question");
    const timestamp = new Date().toISOString();
    await listener.reply({ type: "confirmation.reply", reply_token: "rpl_1", decision: "accept", timestamp });
    const status = () => agent.request("aaepd.status", {});
    await vi.waitFor(async () => expect((await status()).question_count).toBe(0), LONG);
    expect(await relayed.ask("ping")).toMatchObject({ type: expect.stringMatching(/pong|error/) });
    await vi.waitFor(async () => {
      const { problems } = await status();
      expect(problems).toMatchObject([{ code: "audit_failing", message: expect.stringContaining("EMFILE") }]);
    }, LONG);
    expect(daemon.stderr()).toContain("the audit log cannot be written");

    for (const socket of sockets) socket.destroy();
    await vi.waitFor(() => expect(freeDescriptors(daemon.pid()).length).toBeGreaterThan(MOST_FILES / 4), LONG);
    process.kill(daemon.pid(), "SIGHUP");
    await vi.waitFor(() => expect(daemon.stderr()).toContain("the configuration was read again"), LONG);
    const late = rawSocket(daemon.socket);
    await once(late, "connect");
    late.destroy();
    for (const peer of [agent, listener, relayed]) await peer.close();
    expect(await daemon.stop()).toBe(0);
    const kinds = auditEntries(daemon.auditFolder).map(({ kind }) => kind);
    expect(kinds).toStrictEqual(["asked", "shown", "reply", "outcome"]);
    expect(daemon.accidents()).toStrictEqual([]);
    expect(sniffer.violations()).toStrictEqual([]);
  },
  180_000,
);
