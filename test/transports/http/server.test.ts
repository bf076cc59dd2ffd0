import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { type Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, codeToString } from "@connectrpc/connect/protocol-connect";
import { describe, expect, it, onTestFinished } from "vitest";
import { FAULT_CODES, Fault } from "../../../src/base/errors.js";
import { createSharedRoom } from "../../../src/base/shared-room.js";
import { platformAfter } from "../../../transports/framing/options.js";
import { answerWhole, httpStatusOf, statusNameOf } from "../../../transports/http/answers.js";
import type { HttpService } from "../../../transports/http/http-service.js";
import { createJsonPosts } from "../../../transports/http/json-posts.js";
import { listenHttp } from "../../../transports/http/listen.js";
import { versionOf } from "../../../transports/http/which-http.js";
import { STATUS_OF } from "../../../transports/rpc-status.js";
import { rawSocket, textOf } from "../../support/peers/raw-socket.js";
import { rawHttp } from "../../support/services/raw-calls.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe("the version of HTTP", () => {
  it("is known from the first byte that differs, or the whole preface", () => {
    const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    for (let length = 0; length < preface.length; length++)
      expect(versionOf(preface.subarray(0, length))).toBeUndefined();
    expect(versionOf(Buffer.concat([preface, Buffer.alloc(9)]))).toBe(2);
    for (const text of ["POST / HTTP/1.1", "PUT", "GET", "\0"]) expect(versionOf(Buffer.from(text))).toBe(1);
  });
});

describe("the status of a fault", () => {
  it.each(FAULT_CODES)("%s is that of Connect", (code) => {
    // The numbers of gRPC and of Connect are the same.
    const { code: status } = new ConnectError("", STATUS_OF[code] as number as Code);
    expect([httpStatusOf(code), statusNameOf(code)]).toEqual([codeToHttpStatus(status), codeToString(status)]);
  });
});

/** A server that answers each document with itself. Returns its socket. */
async function echoing(roomBytes: number, silentMs = 60_000): Promise<string> {
  const path = join(temporaryDirectory(), "a.http");
  const answer = async (text: string) => ({ status: 200, contentType: "text/plain", body: text });
  const room = createSharedRoom(() => roomBytes);
  const limits = { maxBodyBytes: 100, room, silentConnectionMs: () => silentMs, after: platformAfter };
  const listener = await listenHttp(
    { address: { kind: "unix", path }, pages: [], admit: () => undefined, log: SILENT, closeTimeoutMs: 0 },
    [createJsonPosts([{ path: "/said", answer }], limits)],
  );
  onTestFinished(async () => {
    await listener.stop();
    await listener.drain();
  });
  return path;
}

it("R34: documents that have not come whole share a room, which they leave with their end", async () => {
  const path = await echoing(150);
  const headers = { "content-type": "application/json" };
  const post = () => rawHttp(`unix:${path}`, "/said", { headers, body: "x".repeat(90) });
  const slow = connect(path).on("error", () => {});
  slow.write(`POST /said HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`);
  slow.write("x".repeat(90));
  await expect.poll(async () => (await post()).status).toBe(503);
  slow.destroy();
  await expect.poll(async () => (await post()).status).toBe(200);
});

it.each([
  ["text/plain", "{}", 415],
  ["application/json", "x".repeat(101), 413],
  ["application/json", Buffer.from([0xff]), 400],
])("a document of %s that cannot be taken is refused", async (type, body, expected) => {
  const path = await echoing(1000);
  const { status } = await rawHttp(`unix:${path}`, "/said", { headers: { "content-type": type }, body });
  expect(status).toBe(expected);
});

it("a document that does not come whole in time is refused", async () => {
  const socket = rawSocket(await echoing(1000, 10));
  socket.write(
    "POST /said HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
  );
  expect(await textOf(socket, /did not come in time/)).toMatch(/^HTTP\/1\.1 408 /);
});

describe("a request that offers another protocol", () => {
  it.each(["h2c", "websocket", "h2c, websocket"])("is served without %s, and with its body", async (upgrade) => {
    const path = await echoing(1000);
    const headers = { "content-type": "application/json", connection: "Upgrade, HTTP2-Settings", upgrade };
    const { status, body, headers: told } = await rawHttp(`unix:${path}`, "/said", { headers, body: "{}" });
    // Whatever came behind the request is lost, and its client is told so.
    expect([status, String(body), told.connection]).toEqual([200, "{}", "close"]);
  });
});

it("a WebSocket that is asked for behind another request costs its own connection alone", async () => {
  const path = join(temporaryDirectory(), "a.http");
  const address = { kind: "unix", path } as const;
  const page = {
    path: "/healthz",
    needsToken: false,
    answer: () => ({ status: 200, contentType: "text/plain", body: "alive" }),
  };
  const options = { address, pages: [page], admit: () => undefined, log: SILENT, closeTimeoutMs: 0 };
  const listener = await listenHttp(options, []);
  onTestFinished(async () => {
    await listener.stop();
    await listener.drain();
  });
  const socket = connect(path);
  const ended = once(socket, "close");
  const asks = "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  socket.on("error", () => {}).resume();
  socket.write(`GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n${asks}`);
  await ended;
  expect((await rawHttp(`unix:${path}`, "/healthz", { method: "GET" })).status).toBe(200);
});

describe("services that share a server", () => {
  /** Answers with its name at one path, and refuses with it. */
  function serviceAt(path: string, contentType: string, ended: string[]): HttpService {
    const after = (): (() => void) => () => {};
    return {
      handlerAt: (asked) => {
        if (asked !== path) return undefined;
        return async (exchange, refuse) => {
          if (exchange.request.method === "PUT") refuse(new Fault("unsupported", "Read it."), 405);
          else answerWhole(exchange, after, { status: 200, contentType: "text/plain", body: Buffer.from(path) });
        };
      },
      refusalForm: (asked) =>
        asked !== contentType
          ? undefined
          : {
              hasOwnStatus: true,
              write: (exchange, { code }, status) =>
                answerWhole(exchange, after, { status, contentType, body: Buffer.from(`${path} ${code}`) }),
            },
      cors: { methods: ["PUT"], allowedHeaders: [`x${path.slice(1)}`], exposedHeaders: [] },
      endStreams: ({ code }) => void ended.push(`${path} ${code}`),
    };
  }

  async function served() {
    const path = join(temporaryDirectory(), "a.http");
    const ended: string[] = [];
    const listener = await listenHttp(
      {
        address: { kind: "unix", path },
        pages: [
          {
            path: "/healthz",
            needsToken: false,
            answer: () => ({ status: 200, contentType: "text/plain", body: "alive" }),
          },
        ],
        admit: () => undefined,
        log: SILENT,
        closeTimeoutMs: 1000,
        corsOrigins: () => ["http://localhost:5173"],
      },
      [serviceAt("/one", "text/one", ended), serviceAt("/two", "text/two", ended)],
    );
    const stop = async (): Promise<void> => {
      await listener.stop();
      await listener.drain();
    };
    onTestFinished(stop);
    const ask = async (method: string, at: string, asked: Readonly<Record<string, string>> = {}) => {
      const { status, body, headers } = await rawHttp(`unix:${path}`, at, { method, headers: asked });
      return [status, body.toString(), headers] as const;
    };
    return { ask, ended, stop };
  }

  it("each have their paths, beside the pages", async () => {
    const { ask } = await served();
    for (const at of ["/one", "/two"]) expect((await ask("GET", at)).slice(0, 2)).toEqual([200, at]);
    expect((await ask("GET", "/healthz")).slice(0, 2)).toEqual([200, "alive"]);
  });

  it("refuse in the words of the protocol that a request speaks, and in plain text where it speaks none", async () => {
    const { ask } = await served();
    const asTwo = { "content-type": "text/two; charset=utf-8" };
    expect((await ask("PUT", "/one", asTwo)).slice(0, 2)).toEqual([405, "/two unsupported"]);
    expect((await ask("GET", "/none", asTwo)).slice(0, 2)).toEqual([200, "/two unknown_method"]);
    const [status, text] = await ask("GET", "/none");
    expect([status, text]).toEqual([
      404,
      expect.stringMatching(/^There is nothing at this path\..*\(unimplemented\)\n$/),
    ]);
  });

  it("allow together what web pages may send", async () => {
    const { ask } = await served();
    const [status, , headers] = await ask("OPTIONS", "/one", {
      origin: "http://localhost:5173",
      "access-control-request-method": "PUT",
    });
    expect(status).toBe(204);
    expect(headers["access-control-allow-methods"]).toBe("PUT");
    expect(headers["access-control-allow-credentials"]).toBe("true");
    expect(headers["access-control-allow-headers"]).toBe("Authorization, xone, xtwo");
  });

  it("all end their streams when the server ends", async () => {
    const { ended, stop } = await served();
    await stop();
    expect(ended).toEqual(["/one shutting_down", "/two shutting_down"]);
  });
});
