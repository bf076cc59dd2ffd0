// A peer that has said everything, and closes its sending side to read the answers: the end of the input is not the end of the conversation.
import { describe, expect, it } from "vitest";
import { nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const CAPABLE = { supports_confirmation_reply: true };

type Message = Readonly<Record<string, unknown>>;

async function said(rig: Awaited<ReturnType<typeof startRig>>, ...messages: readonly object[]) {
  const { socket, all } = await rig.raw();
  socket.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const lines = all.then((bytes) => bytes.toString().trim().split("\n"));
  return { answers: lines.then((texts) => texts.map((text) => JSON.parse(text) as Message)) };
}

const call = (id: number, method: string, params: object): object => ({ jsonrpc: "2.0", id, method, params });
const started = (session_id: string): object => ({
  type: "aaep:agent.session.started",
  session_id,
  summary_normal: "Begins.",
});

describe("answers that are under way when the input ends are written before the close", () => {
  it("R29: the acknowledgement of a publish, with the journal on disk", async () => {
    const rig = await startRig({ configuration: { journal: { kind: "directory", path: temporaryDirectory() } } });
    const { answers } = await said(rig, call(1, "aaep.publish", [started(nextSession())]), call(2, "aaep.ping", {}));
    expect((await answers).map(({ id }) => id).sort()).toEqual([1, 2]);
    expect(await answers).toContainEqual(expect.objectContaining({ id: 1, result: expect.anything() }));
  });

  it("the outcome of a question, as long as the grace of its session lasts (R8)", async () => {
    const rig = await startRig();
    const person = await rig.plain();
    await person.subscribe(requestOf(CAPABLE));
    const session_id = nextSession();
    const question = { session_id, action: "Act.", consequence: "Done.", timeout_seconds: 60 };
    const { answers } = await said(
      rig,
      call(1, "aaep.publish", [started(session_id)]),
      call(2, "aaep.confirm", question),
    );
    for (;;) {
      const { type, reply_token } = await person.events.next();
      if (type !== "aaep:agent.awaiting.confirmation") continue;
      const timestamp = new Date().toISOString();
      await person.reply({ type: "confirmation.reply", reply_token, decision: "accept", timestamp });
      break;
    }
    const accepted = { id: 2, result: expect.objectContaining({ decision: "accept", resolved_by: "reply" }) };
    expect(await answers).toContainEqual(expect.objectContaining(accepted));
  });

  it("what a subscriber asked for", async () => {
    const rig = await startRig();
    const { answers } = await said(rig, requestOf(), { type: "aaepd.list_pending" });
    expect((await answers).map(({ type }) => type)).toEqual(["subscription.accepted", "aaepd.pending"]);
  });
});
