import type { ServiceError } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { ServiceCall } from "../../../src/contracts/service.js";
import { STATUS } from "../../../transports/rpc-status.js";
import { breakable, callOnce, createGrpcClient, refusalOf, statusDetails } from "../../support/peers/grpc-client.js";
import { GET_MANIFEST, type Stage, type StageOptions, stageOf } from "./stage.js";

async function clientOf(options: StageOptions = {}) {
  const stage = await stageOf(options);
  const client = createGrpcClient(stage.address);
  onTestFinished(() => client.close());
  return { ...stage, client };
}

/** A method that answers only when it is told to, and tells of its calls. */
function heldAnswer() {
  let began: (call: ServiceCall) => void = () => {};
  let letGo: (bytes: Uint8Array) => void = () => {};
  const call = new Promise<ServiceCall>((resolve) => {
    began = resolve;
  });
  const answer = new Promise<Uint8Array>((resolve) => {
    letGo = resolve;
  });
  return {
    call,
    letGo: () => letGo(Buffer.from("late")),
    answer: (_request: unknown, one: ServiceCall) => {
      began(one);
      return answer;
    },
  };
}

/** Why the call's signal was aborted. */
function aborted({ signal }: ServiceCall): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener("abort", () => resolve(signal.reason));
  });
}

describe("calls that are answered once", () => {
  it("hands bytes in and gives bytes back, with who asked", async () => {
    const peers: ServiceCall["peer"][] = [];
    const { client, address } = await clientOf({
      answer: (request, { peer }) => {
        peers.push(peer);
        return Buffer.concat([request as Uint8Array, Buffer.from("!")]);
      },
    });
    expect((await callOnce(client, GET_MANIFEST, Buffer.from("abc")).answer).toString()).toBe("abc!");
    expect((await callOnce(client, GET_MANIFEST, Buffer.alloc(0)).answer).toString()).toBe("!");
    const peer = { label: `${address}#1`, trust: "same-user", processId: process.pid };
    expect(peers).toMatchObject([peer, peer]);
  });

  it("R34: each that takes long has a turn of its own", async () => {
    let turn = 0;
    const turns: number[] = [];
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const { client } = await clientOf({
      answer: (request) => {
        turns.push(turn);
        for (const until = performance.now() + 5; performance.now() < until; );
        return request as Uint8Array;
      },
    });
    const calls = Array.from({ length: 8 }, (_, index) => callOnce(client, GET_MANIFEST, Buffer.from([index])).answer);
    expect((await Promise.all(calls)).map(([index]) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    isOver = true;
    expect(new Set(turns).size).toBe(8);
  });

  it("answers with bytes that are no Buffer", async () => {
    const { client } = await clientOf({ answer: () => new Uint8Array([0, 1, 2, 3]).subarray(1, 3) });
    expect([...(await callOnce(client, GET_MANIFEST, Buffer.alloc(0)).answer)]).toEqual([1, 2]);
  });

  it("R20: a fault is a status with a sentence and a typed detail", async () => {
    const { client, logged } = await clientOf({
      answer: () =>
        Promise.reject(new Fault("unknown_subscription", "There is no subscription 7.", { pointer: "/id" })),
    });
    const error = await refusalOf(callOnce(client, GET_MANIFEST, Buffer.alloc(0)));
    expect([error.code, error.details]).toEqual([STATUS.NOT_FOUND, "There is no subscription 7."]);
    expect(statusDetails(error)).toEqual({
      code: STATUS.NOT_FOUND,
      message: "There is no subscription 7.",
      details: [["type.googleapis.com/test.Fault", "unknown_subscription /id"]],
    });
    expect(logged).toEqual([]);
  });

  it("R20: of an accident the client is told only that there was one", async () => {
    const accident = new TypeError("secret of the inside");
    const { client, logged } = await clientOf({
      answer: () => {
        throw accident;
      },
    });
    const error = await refusalOf(callOnce(client, GET_MANIFEST, Buffer.alloc(0)));
    expect(error.code).toBe(STATUS.INTERNAL);
    expect(`${error.details} ${JSON.stringify(statusDetails(error))}`).not.toContain("secret");
    expect(logged).toEqual([accident]);
  });

  it("keeps a status within the trailers that clients take, whatever its sentence quotes", async () => {
    const sentences = [
      "long ".repeat(700),
      "\u{FF5E}".repeat(4000),
      "half a pair: \u{D800}.",
      "line\nfeed, 100 %, “quoted”",
    ];
    const statuses: ServiceError[] = [];
    let index = 0;
    const { client } = await clientOf({
      answer: () => {
        throw new Fault("invalid_event", sentences[index++] ?? "");
      },
    });
    for (const _ of sentences) statuses.push(await refusalOf(callOnce(client, GET_MANIFEST, Buffer.alloc(0))));
    expect(statuses.map(({ code }) => code)).toEqual(sentences.map(() => STATUS.INVALID_ARGUMENT));
    for (const [at, status] of statuses.entries()) {
      const trailerBytes =
        encodeURI(status.details).length + String(status.metadata.get("grpc-status-details-bin")).length;
      expect(trailerBytes).toBeLessThan(8000);
      expect(status.details.slice(0, 8)).toBe((sentences[at] ?? "").slice(0, 8));
      expect(statusDetails(status)?.details).toEqual([["type.googleapis.com/test.Fault", "invalid_event -"]]);
    }
    expect(statuses[2]?.details).toBe("half a pair: \u{FFFD}.");
    expect(statuses[3]?.details).toBe("line\nfeed, 100 %, “quoted”");
  });

  it("leaves the detail out where it alone would be too long", async () => {
    const { client } = await clientOf({
      describeFault: () => ({ typeName: "test.Long", bytes: Buffer.alloc(10_000) }),
      answer: () => {
        throw new Fault("invalid_event", "Say less.");
      },
    });
    const error = await refusalOf(callOnce(client, GET_MANIFEST, Buffer.alloc(0)));
    expect([error.details, statusDetails(error)]).toEqual(["Say less.", undefined]);
  });
});

describe("a call that ends before its answer", () => {
  it("is cancelled where its client took it back", async () => {
    const held = heldAnswer();
    const { client } = await clientOf({ answer: held.answer });
    const { answer, cancel } = callOnce(client, GET_MANIFEST, Buffer.alloc(0));
    const call = await held.call;
    expect([call.signal.aborted, call.signal.reason]).toEqual([false, undefined]);
    cancel();
    await expect(answer).rejects.toMatchObject({ code: STATUS.CANCELLED });
    expect(await aborted(call)).toBe("cancelled");
    held.letGo();
  });

  it("is cancelled also where it has a deadline that is far", async () => {
    const held = heldAnswer();
    const { client } = await clientOf({ answer: held.answer });
    const { answer, cancel } = callOnce(client, GET_MANIFEST, Buffer.alloc(0), { deadlineMs: 600_000 });
    const call = await held.call;
    cancel();
    await expect(answer).rejects.toMatchObject({ code: STATUS.CANCELLED });
    expect(await aborted(call)).toBe("cancelled");
    held.letGo();
  });

  it("is ended, not cancelled, where its deadline has passed", async () => {
    const held = heldAnswer();
    const { client } = await clientOf({ answer: held.answer });
    let call: ServiceCall | undefined;
    // On a busy machine a deadline can pass before its call has begun.
    for (let deadlineMs = 200; call === undefined; deadlineMs *= 2) {
      const error = refusalOf(callOnce(client, GET_MANIFEST, Buffer.alloc(0), { deadlineMs }));
      call = await Promise.race([held.call, error.then(() => undefined)]);
      expect((await error).code).toBe(STATUS.DEADLINE_EXCEEDED);
    }
    expect(await aborted(call)).toBe("ended");
    held.letGo();
  });

  it("is ended, not cancelled, where its connection broke", async () => {
    const held = heldAnswer();
    const stage: Stage = await stageOf({ answer: held.answer });
    const { address, kill } = await breakable(stage.path, stage.directory);
    const client = createGrpcClient(address);
    onTestFinished(() => client.close());
    const { answer } = callOnce(client, GET_MANIFEST, Buffer.alloc(0));
    const call = await held.call;
    kill();
    await expect(answer).rejects.toMatchObject({ code: STATUS.UNAVAILABLE });
    expect(await aborted(call)).toBe("ended");
    held.letGo();
  });

  it("is neither once it was answered", async () => {
    const calls: ServiceCall[] = [];
    const { client } = await clientOf({
      answer: (request, call) => {
        calls.push(call);
        return request as Uint8Array;
      },
    });
    await callOnce(client, GET_MANIFEST, Buffer.alloc(1)).answer;
    await callOnce(client, GET_MANIFEST, Buffer.alloc(1)).answer;
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });
});
