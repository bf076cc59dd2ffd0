// The cases of the Autobahn test suite for WebSocket servers, driven by kosoku from PyPI, against the daemon's WebSockets. An echo stands behind them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { PeekableConnection } from "../../src/contracts/transport.js";
import { WebSockets } from "../../transports/event-streams/websockets.js";
import { platformAfter } from "../../transports/framing/options.js";
import type { HttpService } from "../../transports/http/http-service.js";
import { listenHttp } from "../../transports/http/listen.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { succeed } from "./package/stage.js";

const TEN_MINUTES = 600_000;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Binary messages are refused, and a message has at most 64 KiB; compression (12, 13) is off. */
const LEFT_OUT = ["1.2.*", "9.*", "12.*", "13.*"];

it(
  "no case of Autobahn's fails",
  async () => {
    const folder = temporaryDirectory();
    await succeed(folder, "python3", "-m", "venv", "python");
    await succeed(folder, join(folder, "python/bin/pip"), "install", "--quiet", "kosoku==0.1.0");
    const argv = LEFT_OUT.flatMap((cases) => ["--exclude", cases]);
    await succeed(folder, join(folder, "python/bin/kosoku"), ...argv, "--outdir", "report", await echo());
    const report = JSON.parse(readFileSync(join(folder, "report/index.json"), "utf8")) as Readonly<
      Record<string, Readonly<Record<string, { readonly behavior: string }>>>
    >;
    const cases = Object.values(report).flatMap((one) => Object.entries(one));
    expect(cases.length).toBeGreaterThan(200);
    const failed = cases.filter(([, { behavior }]) => !["OK", "NON-STRICT", "INFORMATIONAL"].includes(behavior));
    expect(failed).toEqual([]);
  },
  TEN_MINUTES,
);

/** Starts a server that sends every message back, and returns its host and port. */
async function echo(): Promise<string> {
  const sockets = new WebSockets({
    maxMessageBytes: 64 * 1024,
    closeTimeoutMs: 2000,
    after: platformAfter,
  });
  const sendBack = async (connection: PeekableConnection<Uint8Array>): Promise<void> => {
    for await (const frames of connection.frames) for (const frame of frames) connection.send(frame);
  };
  const service: HttpService = {
    handlerAt: () => async (exchange, refuse) =>
      sockets.take(exchange, refuse, (connection) => void sendBack(connection).catch(() => {})),
    refusalForm: () => undefined,
    cors: { methods: [], allowedHeaders: [], exposedHeaders: [] },
    endStreams: () => {},
  };
  const address = { kind: "tcp", host: "127.0.0.1", port: 0 } as const;
  const options = { address, pages: [], admit: () => undefined, log: SILENT, closeTimeoutMs: 0 };
  const server = await listenHttp(options, [service]);
  onTestFinished(async () => {
    await server.stop();
    await server.drain(0);
  });
  return server.address;
}
