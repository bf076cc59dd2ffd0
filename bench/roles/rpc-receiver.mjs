// The bare peer of the stdio rows: vscode-jsonrpc, one message a line, which receives events and only checks their order.
import { createMessageConnection } from "vscode-jsonrpc/node";
import { numberOf } from "../events.mjs";
import { createOrderCheck } from "../order-check.mjs";
import { createLineReader, createLineWriter } from "../rpc-lines.mjs";

const check = createOrderCheck();
const connection = createMessageConnection(createLineReader(process.stdin), createLineWriter(process.stdout));
connection.onNotification("aaep.publish", (event) => check(numberOf(event)));
connection.onRequest("aaep.publish", () => ({}));
connection.onRequest("aaep.ping", () => ({}));
connection.listen();
process.stdin.on("end", () => process.exit(0));
