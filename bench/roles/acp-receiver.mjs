// The Agent Client Protocol SDK's client side, which receives updates of a session and only checks their order.
import { Readable, Writable } from "node:stream";
import { client, ndJsonStream } from "@agentclientprotocol/sdk";
import { createOrderCheck } from "../order-check.mjs";

const check = createOrderCheck();
client({ name: "bench" })
  .onNotification("session/update", ({ params }) => check(Number(params.update.content.text.slice(0, 10))))
  .onRequest(
    "_bench/ping",
    (params) => params,
    () => ({}),
  )
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
process.stdin.on("end", () => process.exit(0));
