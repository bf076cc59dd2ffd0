import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { RpcCall } from "../../../src/contracts/rpc.js";
import { createRpcConnection } from "../../../transports/json-rpc/rpc-peer.js";
import { createMemoryPair } from "../../../transports/memory/memory-pair.js";
import { gate, notification, rawAgainst, request } from "./peers.js";

const turn = () => new Promise(setImmediate);
const turns = async (count: number) => {
  for (let index = 0; index < count; index++) await turn();
};

describe("cancellation reaches the work", () => {
  function cancellable() {
    const withdrawn: unknown[] = [];
    const peer = rawAgainst({
      request: ({ params, signal }) =>
        new Promise((_resolve, reject) => {
          const withdraw = () => {
            withdrawn.push(params);
            reject(new Fault("cancelled", "Cancelled."));
          };
          if (signal.aborted) withdraw();
          else signal.addEventListener("abort", withdraw, { once: true });
        }),
    });
    return { peer, withdrawn };
  }

  it("of a request that is being worked on", async () => {
    const { peer, withdrawn } = cancellable();
    peer.say(request(1, "m", { one: 1 }), request(2, "m", { two: 2 }));
    await turns(3);
    expect(withdrawn).toEqual([]);
    peer.say(notification("$/cancelRequest", { id: 2 }));
    expect(await peer.hear(1)).toMatchObject([{ id: 2, error: { code: -32000, data: { code: "cancelled" } } }]);
    expect(withdrawn).toEqual([{ two: 2 }]);
  });

  it("of a request of the same read", async () => {
    const { peer, withdrawn } = cancellable();
    peer.say(request(1, "m", { one: 1 }), notification("$/cancelRequest", { id: 1 }));
    expect(await peer.hear(1)).toMatchObject([{ id: 1, error: { data: { code: "cancelled" } } }]);
    expect(withdrawn).toEqual([{ one: 1 }]);
  });

  it("of a request whose handler asks for its signal after the cancellation", async () => {
    const late = gate<void>();
    const reasons: unknown[] = [];
    const peer = rawAgainst({
      request: async (call) => {
        await late.promise;
        call.signal.addEventListener("abort", () => reasons.push("listened"));
        reasons.push(call.signal.aborted, call.signal.reason);
      },
    });
    peer.say(request(1, "m"));
    await turns(3);
    peer.say(notification("$/cancelRequest", { id: 1 }));
    await turns(3);
    late.open(undefined);
    await peer.hear(1);
    expect(reasons).toEqual([true, "cancelled"]);
  });

  it("when the connection breaks", async () => {
    const { peer, withdrawn } = cancellable();
    peer.say(request(1, "m", { one: 1 }));
    await turns(3);
    peer.sever();
    await peer.rpc.closed;
    expect(withdrawn).toEqual([{ one: 1 }]);
  });
});

it("what waits is handed over no more when the connection is closed", async () => {
  const methods: string[] = [];
  const peer = rawAgainst({
    request: ({ method }) => {
      methods.push(method);
      void peer.rpc.close();
    },
  });
  peer.say(request(1, "first"), request(2, "second"));
  await peer.rpc.closed;
  await turns(3);
  expect(methods).toEqual(["first"]);
});

describe("what comes in waits with the peer", () => {
  it("while too many requests have no answer", async () => {
    const answers: ReturnType<typeof gate<string>>[] = [];
    let isOpen = false;
    const peer = rawAgainst({
      request: () => {
        if (isOpen) return "rest";
        const answer = gate<string>();
        answers.push(answer);
        return answer.promise;
      },
    });
    peer.say(...Array.from({ length: 4094 }, (_, id) => request(id, "m")));
    await turns(3);
    for (let id = 4094; id < 4099; id++) {
      peer.say(request(id, "m"));
      await turns(3);
    }
    expect(peer.calls.length).toBe(4096);
    answers[0]?.open("first");
    expect(await peer.hear(1)).toMatchObject([{ id: 0, result: "first" }]);
    await turns(5);
    // What had come with one read is handed over together.
    expect(peer.calls.length).toBeGreaterThan(4096);
    isOpen = true;
    for (const answer of answers) answer.open("rest");
    expect((await peer.hear(4098)).length).toBe(4098);
  });

  it("while it does not take its answers", async () => {
    const peer = rawAgainst({ request: () => "x" }, { capacityFrames: 3 });
    for (let id = 0; id < 20; id++) {
      peer.say(request(id, "m"));
      await turns(3);
    }
    expect(peer.calls.length).toBeLessThan(6);
    expect((await peer.hear(20)).length).toBe(20);
  });

  it("R3: while it does not take the notifications that answer its own", async () => {
    const peer = rawAgainst({ notification: () => void peer.rpc.notify("refused", {}) }, { capacityFrames: 3 });
    for (let index = 0; index < 20; index++) {
      peer.say(notification("n"));
      await turns(3);
    }
    expect(peer.calls.length).toBeLessThan(6);
    expect((await peer.hear(20)).length).toBe(20);
  });

  it("but not while it does not take notifications that answer nothing: it may be waiting in the same way", async () => {
    const peer = rawAgainst({}, { capacityFrames: 3 });
    for (let index = 0; index < 20; index++) peer.rpc.notify("news", {});
    for (let index = 0; index < 20; index++) {
      peer.say(notification("n"));
      await turns(3);
    }
    expect(peer.calls.length).toBe(20);
    expect((await peer.hear(20)).length).toBe(20);
  });

  it("answers all messages of one read in one turn of the event loop", async () => {
    const peer = rawAgainst({ request: ({ params }) => params });
    peer.say(...Array.from({ length: 50 }, (_, id) => request(id, "m", { id })));
    await turns(3);
    expect(peer.calls.length).toBe(50);
    expect((await peer.hear(50)).length).toBe(50);
  });
});

describe("the end", () => {
  it("R8a: tells that the peer has ended when all it sent was handed over, and answers go out still", async () => {
    const answer = gate<string>();
    const peer = rawAgainst({ request: () => answer.promise }, { closeAtEnd: false });
    peer.say(request(1, "m"), notification("n"));
    const closing = peer.connection.close();
    await peer.rpc.ended;
    expect(peer.calls.map(({ method }) => method)).toEqual(["m", "n"]);
    expect(peer.calls[0]?.signal.aborted).toBe(false);
    answer.open("late");
    await turns(3);
    await peer.rpc.close();
    await closing;
    expect((await peer.rpc.closed).kind).toBe("remote");
  });

  it("closes by itself when the peer has ended and is answered", async () => {
    const answer = gate<string>();
    const peer = rawAgainst({ request: () => answer.promise });
    peer.say(request(1, "m"));
    await turns(3);
    void peer.connection.close();
    let isClosed = false;
    void peer.rpc.closed.then(() => {
      isClosed = true;
    });
    await turns(5);
    expect(isClosed).toBe(false);
    answer.open("late");
    expect((await peer.rpc.closed).kind).toBe("remote");
  });

  it("ends what is waited for once, and refuses what is asked later", async () => {
    const { first, second, sever } = createMemoryPair<Uint8Array>();
    const rpc = createRpcConnection(first, { request: () => null, notification: () => {} });
    const asked = rpc.request("m", {}).catch((fault: unknown) => fault);
    await turns(2);
    sever();
    expect(await asked).toMatchObject({ code: "peer_gone" });
    expect(await rpc.request("m", {}).catch((fault: unknown) => fault)).toMatchObject({ code: "peer_gone" });
    expect(rpc.notify("n", {})).toBe(false);
    await rpc.ended;
    await rpc.writable();
    await second.close();
  });

  it("a request that waits learns why the connection ended", async () => {
    const { first } = createMemoryPair<Uint8Array>();
    const rpc = createRpcConnection(first, { request: () => null, notification: () => {} });
    const asked = rpc.request("m", {}).catch((fault: unknown) => fault);
    await first.close(new Fault("message_too_large", "Its message is too long."));
    expect(await asked).toMatchObject({ code: "peer_gone", sentence: "Its message is too long." });
  });

  it("a request and the notification to leave, in one read: the answer goes out, then the end", async () => {
    const calls: RpcCall[] = [];
    const { first, second } = createMemoryPair<Uint8Array>();
    const rpc = createRpcConnection(first, {
      request: (call) => {
        calls.push(call);
        return "stopping";
      },
      notification: (call) => {
        calls.push(call);
        void rpc.close();
      },
    });
    const texts = [request(1, "shutdown"), notification("exit"), request(2, "too late")];
    second.sendBatch({ frames: texts.map((text) => Buffer.from(text)), joined: new Map() });
    const heard: string[] = [];
    for await (const frames of second.frames) heard.push(...frames.map((frame) => Buffer.from(frame).toString()));
    expect(heard.map((text) => JSON.parse(text) as unknown)).toEqual([{ jsonrpc: "2.0", id: 1, result: "stopping" }]);
    expect(calls.map(({ method }) => method)).toEqual(["shutdown", "exit"]);
    expect((await rpc.closed).kind).toBe("local");
    await second.close();
  });
});
