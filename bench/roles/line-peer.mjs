// An agent or a server that answers each request of a host at once, and says when the line came and when its answer went.
import { createInterface } from "node:readline";

const [kind] = process.argv.slice(2);
const nanoseconds = () => process.hrtime.bigint();

createInterface(process.stdin).on("line", (line) => {
  const got = nanoseconds();
  const { id, method } = JSON.parse(line);
  if (method === "session/prompt" || id === undefined) return;
  if (method === "initialize") {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":1,"serverInfo":{"name":"notes"}}}\n`);
    return;
  }
  const content = `{"type":"text","text":"So it goes, ${id}. "}`;
  const message =
    kind === "acp"
      ? `"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":${content}}`
      : `"id":${id},"result":{"content":[${content}]`;
  const sent = nanoseconds();
  process.stdout.write(`{"jsonrpc":"2.0",${message},"_meta":{"way":[${id},${got},${sent}]}}}\n`);
});
