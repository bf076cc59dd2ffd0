// `fetch` by Node's own HTTP, beside a server that answers anything.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createNodeFetch } from "../../../src/client/http/node-fetch.js";

test("an answer without a body is one, and a status that no answer can have is a rejection, not an exception of the program", async () => {
  const server = createServer((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { fetch, close } = createNodeFetch();
  onTestFinished(close);
  const at = (status: number) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${status}`);
  expect(await Promise.all([200, 204, 304, 503].map(async (status) => (await at(status)).status))).toEqual([
    200, 204, 304, 503,
  ]);
  expect(await (await at(204)).text()).toBe("");
  await expect(at(999)).rejects.toThrow(RangeError);
});
