// The bare peer of the stdio rows: vscode-jsonrpc, one message a line, which takes events and does nothing with them.
import { createMessageConnection } from "vscode-jsonrpc/node";
import { createLineReader, createLineWriter } from "../rpc-lines.mjs";

let taken = 0;
const connection = createMessageConnection(createLineReader(process.stdin), createLineWriter(process.stdout));
connection.onNotification("aaep.publish", () => {
  taken += 1;
});
connection.onRequest("aaep.publish", () => ({}));
connection.onRequest("aaep.ping", () => ({ taken }));
connection.listen();
process.stdin.on("end", () => process.exit(0));
