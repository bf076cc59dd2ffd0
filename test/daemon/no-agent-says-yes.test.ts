// R5d: an agent does not answer itself through a program that it starts, over real sockets and between real processes.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { hostMarkIn } from "../../src/adapters/host-marks.js";
import type { AuditEntry } from "../../src/contracts/audit.js";
import { peerUserSource } from "../../transports/ipc/peer-user.js";
import { type DaemonRig, requestOf, startRig } from "../support/rigs/daemon-rig.js";

const SELF_CONSENT = fileURLToPath(new URL("../fixtures/self-consent.mjs", import.meta.url));
const CAPABLE = { supports_confirmation_reply: true, event_filters: { include: ["aaep:agent.awaiting.*"] } };

/** The lines of the agent as they come, and its end. */
function startAgent(...argv: readonly string[]) {
  const child = spawn(process.execPath, [SELF_CONSENT, ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errors = "";
  child.stderr.on("data", (piece) => {
    errors += piece;
  });
  return {
    line: async (): Promise<Readonly<Record<string, unknown>>> => {
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`the agent has ended: ${errors}`);
      return JSON.parse(value);
    },
    pid: child.pid,
  };
}

async function stage(): Promise<{ rig: DaemonRig; fates: string[] }> {
  const fates: string[] = [];
  const record = (entry: AuditEntry, note?: { readonly settled?: () => void }): void => {
    if (entry.kind === "reply") fates.push(entry.fate);
    note?.settled?.();
  };
  const rig = await startRig({ services: { http: "unix", grpc: "unix" }, auditLog: { isOn: true, record } });
  return { rig, fates };
}

describe.runIf(process.platform === "linux")("no agent says yes to itself", () => {
  test("R5d: the kernel tells who is at the other end of a socket", () => {
    expect(peerUserSource()).toEqual({ kind: "kernel" });
  });

  test.each(["the local socket", "http", "grpc"] as const)(
    "no agent says yes to itself: a program that it starts replies over %s, which does not count; a person's no does",
    async (way) => {
      const { rig, fates } = await stage();
      const person = await rig.plain();
      // This process has started the agent, so it may answer.
      const accepted = await person.subscribe(requestOf(CAPABLE, { subscriber_id: "person" }));
      expect(accepted).not.toHaveProperty("negotiation_notes");
      const service = way === "the local socket" ? "" : `${way} ${rig.serviceAddress(way).replace("unix:", "")}`;
      const agent = startAgent(rig.path, service);
      // The agent says nothing before its question is there, unless it has failed.
      const told = await agent.line();
      const question = await person.events.next("the question");
      expect(told).toMatchObject({ mayAnswer: 0, notes: expect.stringContaining("(R5d)") });
      if (way !== "the local socket") expect(told).toMatchObject({ accepted: false });
      expect(fates).toEqual(["not_entitled"]);
      const { reply_token } = question;
      const timestamp = new Date().toISOString();
      await person.reply({ type: "confirmation.reply", reply_token, decision: "reject", timestamp });
      expect(await agent.line()).toMatchObject({ resolved_by: "reply", decision: "reject" });
      expect(fates).toEqual(["not_entitled", "counted"]);
    },
  );

  // A test that an agent runs has marks itself, and the daemon in it then reads none.
  describe.runIf(hostMarkIn(process.env) === undefined)(
    "a program that the agent has left behind (setsid, nohup)",
    () => {
      /** Runs it with the environment, and returns what it was told. */
      async function orphan(rig: DaemonRig, environment: Readonly<Record<string, string>>) {
        const command = `setsid "${process.execPath}" "${SELF_CONSENT}" "${rig.path}" "" rpl_1 & :`;
        const child = spawn("sh", ["-c", command], { env: { ...process.env, ...environment } });
        let told = "";
        for await (const piece of child.stdout) told += piece;
        return JSON.parse(told);
      }

      async function asked() {
        const { rig, fates } = await stage();
        const [agent, person] = [await rig.rpc(), await rig.plain()];
        await person.subscribe(requestOf(CAPABLE, { subscriber_id: "person" }));
        const producer = { agent_id: "a" };
        await agent.publish({
          type: "aaep:agent.session.started",
          session_id: "sess_1",
          summary_normal: "Begins.",
          producer,
        });
        const question = {
          session_id: "sess_1",
          action: "Delete it.",
          consequence: "It is gone.",
          reply_token: "rpl_1",
        };
        const outcome = agent.request("aaep.confirm", { ...question, producer });
        await person.events.next("the question");
        return { rig, fates, outcome };
      }

      test.each(["CLAUDECODE", "AAEPD_AGENT"])(
        "no agent says yes to itself: it bears %s, and answers no agent",
        async (mark) => {
          const { rig, fates } = await asked();
          expect(await orphan(rig, { [mark]: "1" })).toEqual({ notes: expect.stringContaining("(R5d)"), mayAnswer: 0 });
          expect(fates).toEqual(["not_entitled"]);
        },
      );

      test("what R5d does not hold against, as the docs say: it clears its environment too, and looks like a person's", async () => {
        const { rig, fates, outcome } = await asked();
        expect(await orphan(rig, {})).toEqual({ mayAnswer: 0 });
        expect(await outcome).toMatchObject({ resolved_by: "reply", decision: "accept" });
        expect(fates).toEqual(["counted"]);
      });
    },
  );

  test("R5d: whom an adapter names as its agent does not answer, and neither does what runs below it", async () => {
    const { rig, fates } = await stage();
    const [adapter, own] = [await rig.rpc(), await rig.plain()];
    // This process passes on an agent that has started it, or that is itself: as an adapter of hooks does.
    const manifest = {
      "@context": "https://aaep-protocol.org/context/v1",
      type: "aaep:producer.manifest",
      agent_id: "a",
    };
    const members = (pid: unknown) => ({ ...manifest, extensions: { aaepd: { pid } } });
    for (const pid of [0, -1, 1.5, "1", 2 ** 31, null])
      expect(await adapter.refusal("aaep.set_manifest", members(pid))).toMatchObject({
        code: "invalid_message",
        pointer: "/extensions/aaepd/pid",
        rule: "R5d",
      });
    await adapter.request("aaep.set_manifest", members(process.pid));
    const notes = await own.subscribe(requestOf(CAPABLE, { subscriber_id: "own" }));
    expect(notes.negotiation_notes).toContain("(R5d)");
    const other = await rig.rpc();
    const session = { session_id: "sess_1", summary_normal: "Begins." };
    await adapter.publish({ type: "aaep:agent.session.started", ...session });
    const question = { session_id: "sess_1", action: "Delete it.", consequence: "It is gone.", reply_token: "rpl_1" };
    // Nobody else is there, so its default applies at once.
    expect(await adapter.request("aaep.confirm", question)).toMatchObject({ resolved_by: "no_subscriber" });
    expect(fates).toEqual([]);
    // Questions of another agent it may answer.
    await other.publish({
      type: "aaep:agent.session.started",
      ...session,
      session_id: "sess_2",
      producer: { agent_id: "b" },
    });
    const asked = other.request("aaep.confirm", {
      ...question,
      session_id: "sess_2",
      reply_token: "rpl_2",
      producer: { agent_id: "b" },
    });
    let reply_token: unknown;
    while (reply_token === undefined) ({ reply_token } = await own.events.next("the question of another agent"));
    const timestamp = new Date().toISOString();
    await own.reply({ type: "confirmation.reply", reply_token, decision: "accept", timestamp });
    expect(await asked).toMatchObject({ resolved_by: "reply", decision: "accept" });
  });
});
