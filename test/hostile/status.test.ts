// Who asks how a daemon stands, and those who would not have it told. A status is always one message of a usual size, whatever agents and subscribers
// call themselves, and a socket that answers something else gets a sentence.
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { registerStatus } from "../../src/cli/status/status.js";
import type { DaemonStatus } from "../../src/daemon/status/daemon-status.js";
import { createStage, run } from "../cli/command-stage.js";
import { itInFull } from "../support/extent.js";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** What a client takes that was not told otherwise. */
const USUAL_MESSAGE_BYTES = 1_064_960;
const LONG_NAME = "\u0001".repeat(4000);

function started(session: number): Readonly<Record<string, unknown>> {
  return {
    type: "aaep:agent.session.started",
    session_id: `sess_${session}`,
    summary_normal: "Begins.",
    producer: { agent_id: LONG_NAME, agent_version: "1", agent_name: LONG_NAME },
  };
}

itInFull("names as long as they may be leave a status that can be read", async () => {
  const rig = await startRig();
  const agent = await rig.rpc();
  for (let session = 0; session < 120; session += 1) await agent.publish(started(session));
  const patterns = Array.from({ length: 256 }, (_, index) => `aaep:agent.${"x".repeat(200)}${index}`);
  const subscribers = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const peer = await rig.plain();
      const id = `${index}${"\u0001".repeat(250)}`;
      const accepted = await peer.subscribe(requestOf({ event_filters: { exclude: patterns } }, { subscriber_id: id }));
      expect(accepted.type).toBe("subscription.accepted");
      return id;
    }),
  );
  const status = (await agent.request("aaepd.status", { limit: 10_000 })) as unknown as DaemonStatus;
  expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(USUAL_MESSAGE_BYTES);
  expect(status).toMatchObject({ session_count: 120, subscription_count: 12 });
  expect(status.sessions.length).toBeGreaterThan(50);
  expect(status.sessions[0]?.agent_name?.length).toBeLessThanOrEqual(200);
  expect(status.subscriptions.map(({ subscriber_id }) => subscriber_id).sort()).toEqual(subscribers.sort());
  expect(status.subscriptions[0]?.terms.event_filters.exclude).toEqual([...patterns.slice(0, 8), "…"]);

  const stage = createStage();
  await run(registerStatus, stage, "--socket", rig.path);
  expect(stage.err()).toBe("");
  expect(stage.out()).toMatch(/and \d+ more/);
});

it.each(["null", "{}", '"text"', '{"problems":5,"sessions":"x","subscriptions":[null]}'])(
  "what is no status is told in a sentence: %s",
  async (result) => {
    const path = join(temporaryDirectory(), "other.sock");
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (request) => {
        const id = /"id":\s*("[^"]*"|\d+)/.exec(request.toString())?.[1];
        const text = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
        const head = Buffer.alloc(4);
        head.writeUInt32BE(Buffer.byteLength(text));
        socket.write(Buffer.concat([head, Buffer.from(text)]));
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
    const stage = createStage();
    await run(registerStatus, stage, "--socket", path);
    expect(stage.exitCode()).toBe(1);
    expect(stage.err()).toContain(`The program at ${path} answers with a status that this version cannot show.`);
  },
);
