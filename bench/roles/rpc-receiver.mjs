// The bare peer of the stdio rows: vscode-jsonrpc, one message a line, which receives events and only checks their order.
import { createMessageConnection } from "vscode-jsonrpc/node";
import { createOrderCheck, numberOf } from "../events.mjs";
import { LineReader, LineWriter } from "../rpc-lines.mjs";

const check = createOrderCheck();
const connection = createMessageConnection(new LineReader(process.stdin), new LineWriter(process.stdout));
connection.onNotification("aaep.publish", (event) => check(numberOf(event)));
connection.onRequest("aaep.publish", () => ({}));
connection.onRequest("aaep.ping", () => ({}));
connection.listen();
process.stdin.on("end", () => process.exit(0));
