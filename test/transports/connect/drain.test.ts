// Ends: of the listener, and of clients that give no sign of life.
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { ConnectError } from "@connectrpc/connect";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { After } from "../../../transports/framing/options.js";
import { LINGER_MS } from "../../../transports/http/answers.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { sessionOver } from "../../support/peers/raw-http2.js";
import { rawSocket } from "../../support/peers/raw-socket.js";
import { createHandTimers } from "./hand-timers.js";
import { COUNTED, eventFrame, type Stage, type StageOptions, startStage, WAYS } from "./stage.js";

function started(options: StageOptions = {}): Promise<Stage> {
  expectNothingLeftOpen();
  return startStage(options);
}

/** With what so many streams of Listen end. */
function endsOf(client: ReturnType<Stage["client"]>, count: number): Promise<readonly string[]> {
  const ends = Array.from({ length: count }, async () => {
    try {
      for await (const _ of client.listen({}));
      return "OK";
    } catch (caught) {
      return ConnectError.from(caught).rawMessage;
    }
  });
  return Promise.all(ends);
}

describe("stop and drain", () => {
  it.each(WAYS)("end fifty idle streams of %s over HTTP/%s with a reason", async (protocol, version) => {
    const stage = await started();
    const ends = endsOf(stage.client(protocol, version), 50);
    const servers = await stage.listens.take(50);
    await stage.listener.stop();
    // Those that are there go on until then.
    servers[0]?.send(eventFrame("evt_1"));
    await stage.listener.drain();
    for (const reason of await ends) expect(reason).toContain("The daemon is stopping");
    await stage.listener.drain();
    await stage.listener.stop();
  });

  it.each(WAYS)(
    "however late a turn comes, a stream of %s over HTTP/%s ends with its status",
    async (protocol, version) => {
      // As on a machine so busy that the time for the end of the request is over in the next turn.
      const after: After = (milliseconds, run) => {
        const turn = milliseconds === LINGER_MS ? setImmediate(run) : undefined;
        return () => clearImmediate(turn);
      };
      const stage = await started({ after });
      const ends = endsOf(stage.client(protocol, version), 10);
      for (const server of await stage.listens.take(10)) void server.close(new Fault("shutting_down", "It stops."));
      for (const reason of await ends) expect(reason).toContain("It stops.");
    },
  );

  it.each(["1.1", "2"] as const)("a call under way over HTTP/%s is answered first", async (version) => {
    let answer: (bytes: Uint8Array) => void = () => {};
    let tellAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    const stage = await started({
      reply: () =>
        new Promise((resolve) => {
          answer = resolve;
          tellAsked();
        }),
    });
    const call = stage.client("connect", version).reply({});
    await asked;
    await stage.listener.stop();
    const drained = stage.listener.drain();
    answer(COUNTED);
    expect((await call).accepted).toBe(true);
    await drained;
  });

  it("a call that is never answered, and a client that reads nothing, hold nobody up", async () => {
    let begunCount = 0;
    const reply = (): Promise<never> => {
      begunCount += 1;
      return new Promise(() => {});
    };
    const stage = await started({ reply, closeTimeoutMs: 50 });
    const overHttp1 = stage
      .client("connect", "1.1")
      .reply({})
      .then(
        () => "answered",
        () => "broken off",
      );
    // Node's own client: that of the library may never tell of a call whose connection ended without a status.
    const call = sessionOver(rawSocket(stage.path)).request({
      ":method": "POST",
      ":path": "/aaep.v1.SubscriberService/Reply",
      "content-type": "application/json",
    });
    const overHttp2 = once(
      call.on("error", () => {}),
      "close",
    ).then(() => "broken off");
    call.end("{}");
    const stream = sessionOver(rawSocket(stage.path)).request({
      ":method": "POST",
      ":path": "/aaep.v1.SubscriberService/Listen",
      "content-type": "application/grpc",
    });
    stream.on("error", () => {});
    stream.end(Buffer.alloc(5));
    stream.pause();
    const server = await stage.listens.next();
    for (let sent = 0; sent < 100; sent++) server.send(eventFrame("evt_1", "x".repeat(50_000)));
    const silent = rawSocket(stage.path);
    await once(silent, "connect");
    await vi.waitFor(() => expect(begunCount).toBe(2), 60_000);
    await stage.listener.stop();
    await stage.listener.drain();
    expect(await Promise.all([overHttp1, overHttp2])).toEqual(["broken off", "broken off"]);
    expect((await server.closed).kind).toBe("local");
  });

  it("a call that never gets whole holds up the end for the time of the calls, and no longer", async () => {
    const timers = createHandTimers();
    const stage = await started({ after: timers.after });
    const socket = rawSocket(stage.path);
    const head = [
      "POST /aaep.v1.SubscriberService/Reply HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/json",
    ];
    socket.write(`${head.join("\r\n")}\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n`);
    // That it may go on.
    await once(socket, "data");
    await stage.listener.stop();
    const drained = stage.listener.drain(70);
    await timers.fire(70);
    await expect(drained).resolves.toBeUndefined();
  });

  it("stop tells clients of HTTP/2 by GOAWAY, and closes idle connections of HTTP/1.1", async () => {
    const stage = await started({ kind: "tcp" });
    const answer = await fetch(`${stage.baseUrl}/x`);
    await answer.text();
    const session = connectHttp2(stage.baseUrl);
    onTestFinished(() => session.destroy());
    session.on("error", () => {});
    await once(session, "remoteSettings");
    const goaway = once(session, "goaway");
    await stage.listener.stop();
    expect((await goaway)[0]).toBe(0);
    await expect(fetch(`${stage.baseUrl}/x`)).rejects.toThrow();
  });
});

describe("signs of life", () => {
  it("a connection that answers no ping is closed, with its streams", async () => {
    const timers = createHandTimers();
    const stage = await started({ pingIntervalMs: 40_000, pingTimeoutMs: 10_000, after: timers.after });
    const socket = rawSocket(stage.path);
    const session = sessionOver(socket);
    const stream = session.request({
      ":method": "POST",
      ":path": "/aaep.v1.SubscriberService/Listen",
      "content-type": "application/grpc",
    });
    stream.on("error", () => {});
    stream.end(Buffer.alloc(5));
    const server = await stage.listens.next();
    const asked = once(session, "ping");
    await timers.fire(40_000);
    await asked;
    // As a process that is stopped: nothing is read any more, and nothing answered.
    socket.pause();
    // The session reads past the stream of Node.
    (socket as unknown as { readonly _handle: { readonly readStop: () => void } })._handle.readStop();
    await timers.fire(40_000);
    await timers.fire(10_000);
    const { kind, fault } = await server.closed;
    expect([kind, fault?.code]).toEqual(["abrupt", "peer_gone"]);
  });

  it("one that answers them lives on", async () => {
    const stage = await started({ pingIntervalMs: 5, pingTimeoutMs: 60_000 });
    const session = sessionOver(rawSocket(stage.path));
    for (let count = 0; count < 5; count++) await once(session, "ping");
    expect(session.destroyed).toBe(false);
  });
});
