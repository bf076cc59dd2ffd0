// An agent of the Akashik Field (docs/akashik.md). Run it by: node dist/examples/typescript/akashik-agent.js --socket SOCKET
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { connectToOwn } from "aaepd/client/node";

const { values } = parseArgs({
  options: {
    socket: { type: "string" },
    id: { type: "string", default: "example" },
    interests: { type: "string", default: "" },
    record: { type: "string" },
    notifications: { type: "string", default: "0" },
  },
});
const connection = connectToOwn(values.socket ?? "");
const lines = createInterface({ input: connection })[Symbol.asyncIterator]();
const tell = (text: string) => process.stdout.write(`${text}\n`);
let epoch = 0;

async function receive() {
  const message = JSON.parse(String((await lines.next()).value));
  epoch = Math.max(epoch, message.epoch);
  if (message.payload.status === "error") throw new Error(message.payload.error.message);
  return message.payload;
}

function ask(operation: string, payload: unknown) {
  const envelope = { protocol: "akashik", version: "0.1.0", id: crypto.randomUUID(), operation, agent_id: values.id };
  connection.write(`${JSON.stringify({ ...envelope, session_id: null, epoch, payload })}\n`);
  return receive();
}

const interests = values.interests.split(",").filter((text) => text !== "");
const { agent } = await ask("REGISTER", { id: values.id, role: "example", interests });
tell(`registered: ${agent.id}`);
const subscription = { events: ["memory.recorded"], min_relevance: 0.6 };
tell(`subscribed: ${(await ask("SUBSCRIBE", { action: "subscribe", subscription })).status}`);
if (values.record !== undefined) {
  const confidence = { score: 0.9, reasoning: "Typed by hand." };
  const unit = {
    mode: "committed",
    type: "finding",
    content: values.record,
    intent: { purpose: "To show." },
    confidence,
  };
  tell(`recorded: ${(await ask("RECORD", unit)).status}`);
}
for (let left = Number(values.notifications); left > 0; left -= 1) {
  const told = await receive();
  tell(`told: ${told.relevance_score} ${told.summary}`);
}
connection.end();
