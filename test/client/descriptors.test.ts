// What connects to a Unix socket leaves no descriptor behind, neither of a connection nor of the look at the socket.

import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Subscriber } from "../../src/client/listener/subscriber.js";
import type { Connector } from "../../src/client/listener/types.js";
import { httpConnector, httpRpcConnector, ipcConnector, ipcRpcConnector } from "../../src/client/node.js";
import { grpcRpcConnector } from "../../src/client/with-grpc.js";
import { readEndpoint } from "../../src/conformance/wire/endpoint.js";
import { openLinks } from "../../src/conformance/wire/open-links.js";
import type { RpcConnection, RpcHandlers } from "../../src/contracts/rpc.js";
import { ensureBuilt } from "../support/built.js";
import { shared, whenFinished } from "../support/lifetime.js";
import { cleanEnvironment, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const HANDLERS: RpcHandlers = { request: async () => ({}), notification: () => {}, closed: () => {} } as never;

/** Connects to the socket of a service, and ends what it began. Rejects if nobody serves there. */
type Visit = (socket: string) => Promise<unknown>;

const agent =
  (connect: (handlers: RpcHandlers) => Promise<RpcConnection>): Visit =>
  async () => {
    const connection = await connect(HANDLERS);
    await connection.request("aaep.ping", {});
    await connection.close();
  };

const listener = (connect: Connector): Promise<void> =>
  new Promise((resolve, reject) => {
    const subscriber = new Subscriber({
      connect,
      request: { subscriber_id: "ears", subscriber_name: "Ears", capabilities: {} },
      onEvent: () => {},
      onState: (state) => {
        if (state.kind === "active") void subscriber.close();
        else if (state.kind === "ended" && state.because.kind === "asked") resolve();
        else if (state.kind === "ended") reject(new Error(state.because.kind));
      },
      reconnect: "never",
    });
  });

const links =
  (scheme: string): Visit =>
  async (socket) => {
    const opened = await openLinks(readEndpoint(`${scheme}://unix:${socket}`));
    try {
      await opened.manifest?.();
      const link = await opened.open();
      link.send("{}");
      for await (const text of link.incoming) {
        expect(text).toContain("A message is a JSON object with a type.");
        break;
      }
      await link.vanish();
    } finally {
      await opened.stop();
    }
  };

const VISITS: readonly (readonly [name: string, file: "ipc" | "grpc" | "http", Visit])[] = [
  ["an agent", "ipc", (socket) => agent(ipcRpcConnector(socket))(socket)],
  ["an agent over gRPC", "grpc", (socket) => agent(grpcRpcConnector(`unix:${socket}`))(socket)],
  ["an agent over HTTP", "http", (socket) => agent(httpRpcConnector(`unix:${socket}`))(socket)],
  ["a listener", "ipc", (socket) => listener(ipcConnector(socket))],
  ["a listener over HTTP", "http", (socket) => listener(httpConnector(`unix:${socket}`))],
  ["the conformance suite over gRPC", "grpc", links("grpc")],
  ["the conformance suite over Connect", "http", links("http")],
];

const descriptorCount = (): number => readdirSync("/proc/self/fd").length;

async function expectNoneLeft(visit: () => Promise<unknown>): Promise<void> {
  // What the first one loads stays.
  await visit();
  const before = descriptorCount();
  for (let round = 0; round < 6; round += 1) await visit();
  await expect.poll(descriptorCount, { timeout: 10_000 }).toBeLessThanOrEqual(before + 2);
}

/** The folder of the sockets of a daemon. */
const served = shared(async () => {
  ensureBuilt();
  const directory = temporaryDirectory();
  const services = ["--grpc", `unix:${join(directory, "grpc")}`, "--http", `unix:${join(directory, "http")}`];
  const program = startProgram(["serve", "--journal", "memory", "--socket", join(directory, "ipc"), ...services], {
    environment: cleanEnvironment(directory),
  });
  whenFinished(async () => {
    program.child.kill("SIGTERM");
    await program.ended;
  });
  await program.stdoutLines(1);
  return directory;
});

describe.skipIf(!existsSync("/proc/self/fd"))("no descriptor stays", () => {
  test.each(VISITS)("of %s", async (_, file, visit) => {
    const directory = await served();
    await expectNoneLeft(() => visit(join(directory, file)));
  });

  test.each(VISITS.slice(0, 5))("of %s whose connection ends before the first answer", async (_, file, visit) => {
    const path = join(temporaryDirectory(), file);
    const server = createServer((socket) => void socket.on("error", () => {}).destroy());
    await once(server.listen(path), "listening");
    onTestFinished(() => void server.close());
    await expectNoneLeft(async () => expect(visit(path)).rejects.toThrow());
  });
});
