import { connect } from "node:net";
import { join as joinPath } from "node:path";
import { describe, expect, it } from "vitest";
import type { RpcCall, RpcConnection, RpcHandlers } from "../../../src/contracts/rpc.js";
import { createByteConnection } from "../../../transports/framing/byte-connection.js";
import { FRAMINGS, type Framing, frame } from "../../../transports/framing/framings.js";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { createIpcTransport } from "../../../transports/ipc/listen.js";
import { createRpcConnection } from "../../../transports/json-rpc/rpc-connection.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { drain } from "../../support/peers/frames.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { rawPeer, recording, request } from "./peers.js";

const MAX_FRAME_BYTES = 100_000;

async function serve(handlers: Partial<RpcHandlers>) {
  expectNothingLeftOpen();
  const path = joinPath(temporaryDirectory(), "a.sock");
  const calls: RpcCall[] = [];
  const served: RpcConnection[] = [];
  const listener = await createIpcTransport({ path, maxFrameBytes: MAX_FRAME_BYTES }).listen((connection) => {
    served.push(createRpcConnection(connection, recording(calls, handlers)));
  });
  return { path, calls, served, listener };
}

async function connectRaw(path: string, framing: Framing) {
  const socket = connect({ path, allowHalfOpen: true });
  await new Promise((resolve) => socket.once("connect", resolve));
  const connection = createByteConnection(
    { readable: socket, writable: socket },
    { label: "raw", trust: "same-user" },
    { framing },
  );
  return { ...rawPeer(connection), socket };
}

describe.each(FRAMINGS)("JSON-RPC over a local socket, %s", (framing) => {
  it("answers requests, in the framing it was asked in, whatever their size", async () => {
    const { path, listener, served } = await serve({ request: ({ params }) => params });
    const client = createRpcConnection(await connectIpc(path, { framing }), {
      request: () => null,
      notification: () => {},
    });
    const texts = ["", "中\n😀", "x".repeat(90_000)];
    const answers = await Promise.all(texts.map((text) => client.request("echo", { text })));
    expect(answers).toEqual(texts.map((text) => ({ text })));
    await client.close();
    await served[0]?.closed;
    await listener.stop();
  });

  it("answers what was asked before the peer ended its side", async () => {
    const { path, listener, served } = await serve({ request: ({ params }) => Promise.resolve(params) });
    const { socket, hear, connection } = await connectRaw(path, framing);
    socket.end(frame(framing, Buffer.from(request(1, "m", { a: 1 }))));
    expect(await hear(1)).toEqual([{ jsonrpc: "2.0", id: 1, result: { a: 1 } }]);
    await connection.close();
    expect((await served[0]?.closed)?.kind).toBe("remote");
    await listener.stop();
  });

  it("V5: a message above the limit is answered under its id, then the connection closes; others live on", async () => {
    const { path, listener, served } = await serve({ request: () => "fine" });
    const other = await connectRaw(path, framing);
    other.say(request(1, "m"));
    await other.hear(1);
    const { say, hear, connection } = await connectRaw(path, framing);
    say(request(41, "m"), request(42, "m", { text: "x".repeat(MAX_FRAME_BYTES) }));
    const heard = await hear(2);
    expect(heard).toContainEqual({ jsonrpc: "2.0", id: 41, result: "fine" });
    expect(heard).toContainEqual({
      jsonrpc: "2.0",
      id: 42,
      error: expect.objectContaining({ code: -32000, data: expect.objectContaining({ code: "message_too_large" }) }),
    });
    const { fault } = (await served[1]?.closed) ?? {};
    expect(fault?.code).toBe("message_too_large");
    other.say(request(2, "m"));
    expect(await other.hear(1)).toEqual([{ jsonrpc: "2.0", id: 2, result: "fine" }]);
    await Promise.all([connection.close(), other.connection.close()]);
    await listener.stop();
  });

  it("V2: what is no JSON is answered, and the connection goes on", async () => {
    const { path, listener } = await serve({ request: () => "fine" });
    const { say, hear, connection } = await connectRaw(path, framing);
    say("{nonsense}", request(1, "m"));
    const heard = await hear(2);
    expect(heard).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
    );
    expect(heard).toContainEqual({ jsonrpc: "2.0", id: 1, result: "fine" });
    await connection.close();
    await listener.stop();
  });
});

describe("JSON-RPC over a local socket", () => {
  it("V1: a stream in no framing is told the three there are, then only that connection closes", async () => {
    const { path, listener, served } = await serve({});
    const { socket, hear, connection } = await connectRaw(path, "newline");
    socket.write("hello\n");
    const [heard] = (await hear(1)) as { readonly error: { readonly code: number; readonly message: string } }[];
    expect(heard?.error.code).toBe(-32700);
    expect(heard?.error.message).toMatch(/length.*line.*Content-Length/);
    expect((await served[0]?.closed)?.fault?.code).toBe("framing_lost");
    await connection.close();
    await listener.stop();
  });

  it("S7, V3: a peer that vanishes under its answers ends its connection only", async () => {
    const { path, listener, served, calls } = await serve({ request: () => "x".repeat(50_000) });
    const { socket, say, connection } = await connectRaw(path, "length-prefixed");
    const gone = drain(connection);
    say(...Array.from({ length: 200 }, (_, id) => request(id, "m")));
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await gone;
    await served[0]?.closed;
    expect(calls.length).toBeLessThanOrEqual(200);
    const next = await connectRaw(path, "length-prefixed");
    next.say(request(1, "m"));
    expect(await next.hear(1)).toMatchObject([{ id: 1 }]);
    await next.connection.close();
    await listener.stop();
  });
});
