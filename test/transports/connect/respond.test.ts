// an answer that its client no longer takes ends with the client.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { respond } from "../../../transports/connect/respond.js";
import type { Exchange } from "../../../transports/http/exchange.js";
import { isStill } from "../../support/patience.js";

const PIECE = new Uint8Array(1024 * 1024);

/** An endless body. `ended` says whether it was closed. */
function endlessBody() {
  const state = { pieces: 0, isClosed: false, tell: () => {} };
  async function* body() {
    try {
      for (;;) {
        state.pieces += 1;
        state.tell();
        yield PIECE;
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { state, body: body() };
}

it("a client that stops reading is waited for, and one that leaves ends the answer", async () => {
  const exchanges: { readonly done: Promise<void> }[] = [];
  const { state, body } = endlessBody();
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const left = new AbortController();
    response.once("close", () => left.abort());
    const exchange = { request, response, signal: left.signal } as unknown as Exchange;
    exchanges.push({
      done: respond(exchange, { status: 200, body }, (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      }),
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.pause();
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => exchanges.length).toBe(1);
  // What the sockets between both can hold.
  const nextPiece = () => new Promise<void>((resolve) => Object.assign(state, { tell: resolve }));
  while (!(await isStill(nextPiece()))) expect(state.pieces).toBeLessThan(64);
  client.destroy();
  await exchanges[0]?.done;
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.isClosed).toBe(true);
});
