// Bodies that do not end, over many connections. Together they hold no more than the limit, and nobody else notices.
import { describe, expect, it } from "vitest";
import { createUnfinished } from "../../../transports/framing/unfinished.js";
import { STATUS } from "../../../transports/rpc-status.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { rawSession } from "../../support/peers/raw-http2.js";
import { rawSocket, textOf } from "../../support/peers/raw-socket.js";
import { enveloped } from "../../support/services/raw-calls.js";
import { type Stage, startStage } from "./stage.js";

const REPLY = "/aaep.v1.SubscriberService/Reply";
const SUBSCRIBE = "/aaep.v1.SubscriberService/Subscribe";

interface HeldCall {
  readonly write: (bytes: Uint8Array) => void;
  readonly end: () => void;
  /** The status and what else came, when the call is over. */
  readonly answer: Promise<{ readonly status: unknown; readonly grpcStatus: unknown; readonly text: string }>;
}

/** A call over a connection of its own. */
async function held(stage: Stage, path: string, contentType: string): Promise<HeldCall> {
  const session = await rawSession(stage.path);
  const headers = { ":method": "POST", ":path": path, "content-type": contentType, te: "trailers" };
  const stream = session.request(headers);
  let told: Readonly<Record<string, unknown>> = {};
  let text = "";
  for (const event of ["response", "trailers"]) stream.on(event, (more) => (told = { ...told, ...more }));
  stream.on("data", (chunk) => (text += String(chunk)));
  stream.on("error", () => {});
  const answer = new Promise<Awaited<HeldCall["answer"]>>((resolve) => {
    stream.once("close", () => resolve({ status: told[":status"], grpcStatus: told["grpc-status"], text }));
  });
  return { write: (bytes) => void stream.write(bytes), end: () => void stream.end(), answer };
}

async function limited(mostBytes: number): Promise<{ stage: Stage; heldBytes: () => number }> {
  expectNothingLeftOpen();
  const { count } = createUnfinished(mostBytes);
  const bytesOf = new Map<object, number>();
  const unfinished = {
    count: (...[message, bytes, isNew]: Parameters<typeof count>) => {
      bytesOf.set(message, bytes);
      count(message, bytes, isNew);
    },
  };
  const stage = await startStage({ unfinished });
  return { stage, heldBytes: () => [...bytesOf.values()].reduce((sum, one) => sum + one, 0) };
}

/** A field of text, or a text of JSON that does not end. */
const MESSAGE = Buffer.concat([Buffer.from([0x0a, 0xc7, 3]), Buffer.alloc(455, 32)]);

describe("bodies without an end", () => {
  it.each(["application/json", "application/proto", "application/grpc", "application/grpc-web"])(
    "of %s are refused, the oldest first, while an honest call goes through",
    async (contentType) => {
      const { stage, heldBytes } = await limited(1000);
      // With a head the message is whole; its method waits for the end of the body all the same.
      const bytes = contentType.includes("grpc") ? enveloped(MESSAGE) : MESSAGE;
      const calls: HeldCall[] = [];
      for (let count = 1; count <= 2; count += 1) {
        const call = await held(stage, REPLY, contentType);
        call.write(bytes);
        await expect.poll(heldBytes).toBe(count * bytes.length);
        calls.push(call);
      }
      expect((await stage.client("connect", "2").reply({})).accepted).toBe(true);
      const last = await held(stage, REPLY, contentType);
      last.write(bytes);
      const { status, grpcStatus, text } = (await calls[0]?.answer) ?? {};
      if (contentType.includes("grpc")) expect(Number(grpcStatus)).toBe(STATUS.RESOURCE_EXHAUSTED);
      else expect([status, text]).toEqual([429, expect.stringContaining("exceed 1000 bytes together")]);
      expect((await stage.client("connect", "1.1").reply({})).accepted).toBe(true);
    },
  );

  it("of a stream count from a message's beginning to its end", async () => {
    const { stage, heldBytes } = await limited(1000);
    const call = await held(stage, SUBSCRIBE, "application/grpc");
    const server = await stage.subscribes.next();
    const frames = server.frames[Symbol.asyncIterator]();
    for (let count = 0; count < 5; count += 1) {
      call.write(enveloped(MESSAGE));
      expect((await frames.next()).value).toHaveLength(1);
    }
    expect(heldBytes()).toBe(0);
    call.write(enveloped(MESSAGE).subarray(0, 400));
    const next = frames.next();
    await expect.poll(heldBytes).toBe(400);
    const other = await held(stage, REPLY, "application/proto");
    other.write(Buffer.concat([MESSAGE, MESSAGE]).subarray(0, 700));
    await expect(next).rejects.toMatchObject({ code: "rate_limit" });
    await server.close();
    expect(Number((await call.answer).grpcStatus)).toBe(STATUS.RESOURCE_EXHAUSTED);
  });

  it("of a stream that ends in the middle of a message count no more", async () => {
    const { stage, heldBytes } = await limited(1000);
    const call = await held(stage, SUBSCRIBE, "application/grpc");
    const server = await stage.subscribes.next();
    call.write(Buffer.concat([enveloped(MESSAGE), enveloped(MESSAGE).subarray(0, 100)]));
    await server.frames[Symbol.asyncIterator]().next();
    await expect.poll(heldBytes).toBe(100);
    await server.close();
    await call.answer;
    await expect.poll(heldBytes).toBe(0);
  });

  it("count no more when they end", async () => {
    const { stage, heldBytes } = await limited(1000);
    for (let count = 0; count < 5; count += 1) {
      const call = await held(stage, REPLY, "application/proto");
      call.write(MESSAGE);
      await expect.poll(heldBytes).toBe(MESSAGE.length);
      call.end();
      expect((await call.answer).status).toBe(200);
    }
    expect(heldBytes()).toBe(0);
  });

  it("of HTTP/1.1 are refused, and their connection goes on behind them", async () => {
    const { stage } = await limited(1000);
    const socket = rawSocket(stage.path);
    const head = (size: number): string =>
      `POST ${REPLY} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`;
    socket.write(head(200_000) + " ".repeat(1001));
    await textOf(socket, /HTTP\/1\.1 429/);
    socket.write(`${" ".repeat(200_000 - 1001)}${head(2)}{}`);
    await textOf(socket, /HTTP\/1\.1 200/);
  });
});
