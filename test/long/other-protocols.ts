// Agents of A2E and of Akashik at work, for the tests that let everything run at once.
import { a2eAgent, a2eProvider } from "../support/peers/a2e-peer.js";
import { akashikAgent, unit } from "../support/peers/akashik-peer.js";
import type { MessageQueue } from "../support/peers/message-queue.js";
import { pause } from "./crash/agent.js";
import { ipcConnection } from "./crash/ipc-connection.js";

const CALLS_A_SESSION = 200;
/** The tool of which `RELAYED_SETTINGS` say that it cannot be undone: a person is asked. */
const HELD_TOOL = "delete_file";

/** Options of `serve` by which some calls are held, and the memory of Akashik reaches its bound soon. */
export const RELAYED_SETTINGS = [
  ...["--a2e-irreversible-tools", HELD_TOOL, "--a2e-confirmation-seconds", "1"],
  ...["--akashik-max-units", "200"],
];

/** Takes what comes until nothing does any more. */
async function drain<Message>(queue: MessageQueue<Message>, take: (message: Message) => void): Promise<void> {
  for (;;) {
    const next = await queue.next("what comes next").catch(() => undefined);
    if (next === undefined) return;
    take(next);
  }
}

/** Two agents whose tools are called through the daemon. Returns how many calls were answered. */
export async function callTools(socket: string, isStopping: () => boolean): Promise<number> {
  const provider = await a2eProvider(await ipcConnection(socket, "newline"));
  const serving = drain(provider.messages, ({ id }) =>
    provider.say("tool/call/resp", { req_id: id, data: { found: [] } }),
  );
  let answered = 0;
  const call = async (name: string): Promise<void> => {
    while (!isStopping()) {
      const agent = await a2eAgent(await ipcConnection(socket, "newline"), ["tools"], { agent_id: name });
      for (let index = 0; index < CALLS_A_SESSION && !isStopping(); index += 1) {
        const tool = index % 20 === 0 ? HELD_TOOL : "search";
        await agent.ask("tool/call/req", { tool_name: tool, arguments: { query: `shoes ${index}` }, timeout: 5 });
        answered += 1;
        await pause(5);
      }
      await agent.close();
    }
  };
  await Promise.all([call("relayed-1"), call("relayed-2")]);
  await provider.close();
  await serving;
  return answered;
}

/** An agent that records, and three that hear of it. Returns how many units were recorded. */
export async function recordUnits(socket: string, isStopping: () => boolean): Promise<number> {
  const join = async (name: string) =>
    akashikAgent(await ipcConnection(socket, "newline"), name, "worker", ["market prices"]);
  const readers = await Promise.all(["reader-1", "reader-2", "reader-3"].map(join));
  const reading = readers.map(async (reader) => {
    await reader.ask("SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.recorded"] } });
    await drain(reader.notifications, () => {});
  });
  const writer = await join("writer");
  let recorded = 0;
  while (!isStopping()) {
    await writer.ask("RECORD", unit(`Market prices rose in shop ${recorded % 97}: ${"a finding. ".repeat(20)}`));
    recorded += 1;
    if (recorded % 50 === 0) await writer.ask("ATTUNE", { since_epoch: 0 });
    await pause(40);
  }
  for (const one of [...readers, writer]) await one.close();
  await Promise.all(reading);
  return recorded;
}
