// R39: a person stops an agent from a listener, over each way on which the daemon can call the agent.
import { expect, test } from "vitest";
import { ipcConnector } from "../../../src/client/node.js";
import { eventually } from "../../cli/command-stage.js";
import { openedAt } from "./agent-stage.js";
import { sharedWays } from "./ways.js";

const reach = sharedWays();

/** Says one message on a subscription of its own, and resolves with its refusal, or with what is pending where it was not refused. */
async function say(socketPath: string, message: object): Promise<Readonly<Record<string, unknown>>> {
  const connection = await ipcConnector(socketPath)();
  const send = (one: object): void => void connection.send(Buffer.from(JSON.stringify(one)));
  const capabilities = { supports_confirmation_reply: true };
  send({ type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "person", capabilities });
  send(message);
  send({ type: "aaepd.list_pending" });
  for await (const frames of connection.frames)
    for (const frame of frames) {
      const came = JSON.parse(Buffer.from(frame).toString());
      if (came.type !== "aaepd.error" && came.type !== "aaepd.pending") continue;
      await connection.close();
      return came;
    }
  throw new Error("neither a refusal nor what is pending came");
}

test.each(["socket", "gRPC, Unix socket"] as const)(
  "over %s, the agent is told, and ends its session itself",
  async (way) => {
    const served = await reach(way);
    const stopped: string[] = [];
    const { agent, troubles } = await openedAt(undefined, {
      connectors: [served.connector],
      onStop: (session) => {
        stopped.push(session.id);
        session.cancel("Stopped.", "user");
      },
    });
    const [s, other] = [agent.session("Counts."), agent.session("Goes on.")];
    for (const one of [s, other]) one.text("One.");
    await eventually(async () => {
      const stop = { type: "aaepd.stop", session_id: s.id };
      expect(await say(served.socketPath, stop)).toMatchObject({ type: "aaepd.pending" });
    });
    await eventually(() => expect(stopped).toEqual([s.id]));
    await eventually(async () => {
      const again = { type: "aaepd.stop", session_id: s.id };
      expect(await say(served.socketPath, again)).toMatchObject({ code: "not_found", rule: "R39" });
    });
    other.complete();
    expect(stopped).toEqual([s.id]);
    expect(troubles).toEqual([]);
  },
);

test.each(["socket", "HTTP, Unix socket"] as const)("over %s, an agent that cannot be asked is not", async (way) => {
  const served = await reach(way);
  const { agent } = await openedAt(undefined, {
    connectors: [served.connector],
    ...(way === "socket" ? {} : { onStop: () => expect.unreachable("nothing can be sent to it") }),
  });
  const s = agent.session("Counts.");
  s.text("One.");
  await eventually(async () => {
    const stop = { type: "aaepd.stop", session_id: s.id };
    expect(await say(served.socketPath, stop)).toMatchObject({ code: "unsupported", rule: "R39" });
  });
});
