// An agent that publishes numbered events over JSON-RPC, as fast as they are acknowledged.
import { connect } from "node:net";
import { numberedEvent } from "./numbered-events.js";

export interface FloodAgent {
  /** Publishes as many more, and resolves when all are acknowledged. */
  readonly publish: (count: number) => Promise<void>;
  readonly close: () => void;
}

const BATCH = 128;
/** Batches that wait for their answers. */
const FLIGHT = 4;
const ERROR = '"error"';

/** Resolves when its session has begun. */
export async function openFloodAgent(path: string, sessionId: string): Promise<FloodAgent> {
  const agent = "flood";
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let next = 0;
  let id = 0;
  let waiting = 0;
  let failure: Error | undefined;
  let go: () => void = () => {};
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.includes(ERROR)) failure ??= new Error(line.slice(0, 400));
      if (line.includes('"id"')) waiting -= 1;
    }
    go();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    failure ??= new Error("The daemon closed the agent's connection.");
    go();
  });
  const until = (most: number): Promise<void> =>
    new Promise((resolve, reject) => {
      go = () => {
        if (failure !== undefined) reject(failure);
        else if (waiting <= most) resolve();
      };
      go();
    });
  const send = (params: string): void => {
    id += 1;
    waiting += 1;
    socket.write(`{"jsonrpc":"2.0","id":${id},"method":"aaep.publish","params":${params}}\n`);
  };
  const started = {
    type: "aaep:agent.session.started",
    session_id: sessionId,
    summary_normal: "Begins.",
    producer: { agent_id: agent },
  };
  send(JSON.stringify(started));
  await until(0);
  return {
    publish: async (count) => {
      for (const end = next + count; next < end; ) {
        await until(FLIGHT - 1);
        const timestamp = new Date().toISOString();
        const events: string[] = [];
        for (; events.length < BATCH && next < end; next += 1)
          events.push(numberedEvent(next, sessionId, agent, timestamp));
        send(`[${events.join(",")}]`);
      }
      await until(0);
    },
    close: () => socket.destroy(),
  };
}
