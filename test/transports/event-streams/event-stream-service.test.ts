import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { PostedConnection, StreamAddresses } from "../../../src/contracts/event-streams.js";
import { createEventStreamService } from "../../../transports/event-streams/event-stream-service.js";
import { listenHttp } from "../../../transports/http/listen.js";
import { rawHttp } from "../../support/services/raw-calls.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it("a request that is refused leaves no connection that waits for a stream", async () => {
  let made: PostedConnection | undefined;
  const addresses = {
    subscribe: (connection: PostedConnection) => {
      made = connection;
      throw new Fault("invalid_json", "This is no JSON.");
    },
  } as unknown as StreamAddresses;
  const service = createEventStreamService({
    addresses,
    log: SILENT,
    silentConnectionMs: () => 60_000,
    closeTimeoutMs: 2000,
    corsOrigins: () => [],
  });
  const path = join(temporaryDirectory(), "a.sock");
  const listener = await listenHttp(
    { address: { kind: "unix", path }, pages: [], admit: () => undefined, log: SILENT, closeTimeoutMs: 0 },
    [service],
  );
  onTestFinished(async () => {
    await listener.stop();
    await listener.drain(0);
  });
  const headers = { "content-type": "application/json" };
  const { status } = await rawHttp(`unix:${path}`, "/aaep/v1/subscriptions", { headers, body: "{" });
  expect(status).toBe(400);
  expect(await made?.closed).toMatchObject({ kind: "local", fault: { code: "invalid_json" } });
});
