import { existsSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { STATUS } from "../../../transports/rpc-status.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { drain } from "../../support/peers/frames.js";
import {
  asIs,
  callConnection,
  callOnce,
  createGrpcClient,
  metadataOf,
  refusalOf,
} from "../../support/peers/grpc-client.js";
import { GET_MANIFEST, SUBSCRIBE, stageOf } from "./stage.js";

const CHECK = "/grpc.health.v1.Health/Check";
const WATCH = "/grpc.health.v1.Health/Watch";
const SERVING = [8, 1];
const NOT_SERVING = [8, 2];

function clientAt(address: string) {
  const client = createGrpcClient(address);
  onTestFinished(() => client.close());
  return client;
}

/** A HealthCheckRequest. */
function about(service: string): Buffer {
  return Buffer.concat([Buffer.from([10, service.length]), Buffer.from(service)]);
}

describe("stop", () => {
  it("takes no new connections, removes the socket, and touches no stream", async () => {
    const { listener, path, address, bidi } = await stageOf();
    const client = callConnection(clientAt(address), SUBSCRIBE);
    const server = await bidi.next();
    await listener.stop();
    expect(existsSync(path)).toBe(false);
    expect((await refusalOf(callOnce(clientAt(address), GET_MANIFEST, Buffer.alloc(0)))).code).toBe(STATUS.UNAVAILABLE);
    const done = drain(client);
    server.send(Buffer.from("still there"));
    await server.close();
    await done;
    expect(await client.ended).toBeUndefined();
  });

  it("tells whoever checks and whoever watches that nothing is served any more", async () => {
    const { listener, address } = await stageOf();
    const client = clientAt(address);
    const watch = client.makeServerStreamRequest(WATCH, asIs, asIs, about("aaep.v1.AaepService"), metadataOf());
    const told: number[][] = [];
    let tellChange: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      watch.on("data", (status: Buffer) => {
        told.push([...status]);
        if (told.length === 1) resolve();
        else tellChange();
      });
    });
    const changed = new Promise<void>((resolve) => {
      tellChange = resolve;
    });
    const ended = new Promise<number>((resolve) => watch.on("error", ({ code }: { code: number }) => resolve(code)));
    await started;
    expect([...(await callOnce(client, CHECK, about("")).answer)]).toEqual(SERVING);
    await listener.stop();
    expect([...(await callOnce(client, CHECK, about("aaep.v1.SubscriberService")).answer)]).toEqual(NOT_SERVING);
    expect([...(await callOnce(client, CHECK, Buffer.alloc(0)).answer)]).toEqual(NOT_SERVING);
    await changed;
    await listener.drain();
    expect([told, await ended]).toEqual([[SERVING, NOT_SERVING], STATUS.UNAVAILABLE]);
  });
});

describe("drain", () => {
  it("waits for calls that are being answered, and their answers arrive", async () => {
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let began: () => void = () => {};
    const underWay = new Promise<void>((resolve) => {
      began = resolve;
    });
    const { listener, address } = await stageOf({
      closeTimeoutMs: 60_000,
      answer: async () => {
        began();
        await held;
        return Buffer.alloc(1024 * 1024, "a");
      },
    });
    const { answer } = callOnce(clientAt(address), GET_MANIFEST, Buffer.alloc(0));
    await underWay;
    await listener.stop();
    const drained = listener.drain();
    letGo();
    expect((await answer).length).toBe(1024 * 1024);
    await drained;
  });

  it("after the streams were closed, their statuses arrive", async () => {
    const { listener, address, bidi } = await stageOf({ closeTimeoutMs: 60_000 });
    const client = clientAt(address);
    const calls = Array.from({ length: 50 }, () => callConnection(client, SUBSCRIBE));
    const servers = await Promise.all(calls.map(() => bidi.next()));
    await listener.stop();
    const fault = new Fault("shutting_down", "The daemon shuts down. Connect again later.", { origin: "local" });
    for (const server of servers) {
      server.send(Buffer.from("subscription.close"));
      void server.close(fault);
    }
    await listener.drain();
    const ends = await Promise.all(calls.map(({ ended }) => ended));
    expect(new Set(ends.map((error) => `${error?.code} ${error?.details}`))).toEqual(
      new Set([`${STATUS.UNAVAILABLE} ${fault.sentence}`]),
    );
  });

  it("does not hang on 50 idle streams that nobody closed", async () => {
    expectNothingLeftOpen();
    let runTimeout: () => void = () => {};
    const { listener, address, bidi } = await stageOf({
      after: (_milliseconds, run) => {
        runTimeout = run;
        return () => {};
      },
    });
    const calls = Array.from({ length: 5 }, () => clientAt(address)).flatMap((client) =>
      Array.from({ length: 10 }, () => callConnection(client, SUBSCRIBE)),
    );
    const servers = await Promise.all(calls.map(() => bidi.next()));
    await listener.stop();
    const drained = listener.drain();
    expect(listener.drain()).toBe(drained);
    runTimeout();
    await drained;
    expect(new Set(await Promise.all(servers.map(async ({ closed }) => (await closed).kind)))).toEqual(
      new Set(["abrupt"]),
    );
    expect((await Promise.all(calls.map(({ ended }) => ended))).every((error) => error !== undefined)).toBe(true);
  });

  it("ends connections that nobody uses", async () => {
    expectNothingLeftOpen();
    const { listener, address } = await stageOf({ closeTimeoutMs: 60_000 });
    const clients = Array.from({ length: 5 }, () => clientAt(address));
    await Promise.all(clients.map((client) => callOnce(client, GET_MANIFEST, Buffer.alloc(1)).answer));
    await listener.stop();
    await listener.drain();
    expect(
      (await refusalOf(callOnce(clients[0] as (typeof clients)[number], GET_MANIFEST, Buffer.alloc(0)))).code,
    ).toBe(STATUS.UNAVAILABLE);
  });
});
