// Who may call, and what else than calls is answered.
import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it, onTestFinished } from "vitest";
import { admitTokenHolders } from "../../../src/security/admission.js";
import type { HttpPage } from "../../../transports/http/options.js";
import { isTried } from "../../support/extent.js";
import { rawSocket, textOf } from "../../support/peers/raw-socket.js";
import { rawHttp } from "../../support/services/raw-calls.js";
import { detailOf, type Stage, startStage, WAYS } from "./stage.js";

const TOKEN = "secret";
const CALLS = "/aaep.v1.SubscriberService/";
const PAGES: readonly HttpPage[] = [
  { path: "/healthz", needsToken: true, answer: () => ({ status: 200, contentType: "text/plain", body: "alive" }) },
  {
    path: "/metrics",
    needsToken: true,
    answer: () => Promise.resolve({ status: 200, contentType: "text/plain", body: "metrics 1" }),
  },
  {
    path: "/broken",
    needsToken: true,
    answer: () => {
      throw new Error("secret insides");
    },
  },
];

const OPEN = new Set(["/healthz", "/broken"]);

function guarded(options: Parameters<typeof startStage>[0] = {}): Promise<Stage> {
  return startStage({
    kind: "tcp",
    admit: admitTokenHolders(() => TOKEN, OPEN, "127.0.0.1"),
    pages: PAGES,
    ...options,
  });
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Unlike `fetch`, with any Host and Origin. */
async function http1(
  { baseUrl }: Stage,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): Promise<Answer> {
  const answer = await rawHttp(baseUrl, path, { method, headers, body });
  return { ...answer, body: answer.body.toString() };
}

function http2(stage: Stage, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(stage.baseUrl);
    session.on("error", reject);
    const stream = session.request(headers);
    let head: Record<string, unknown> = {};
    const chunks: Buffer[] = [];
    stream.on("response", (response) => {
      head = response;
    });
    stream.on("error", reject);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      session.destroy();
      resolve({ status: Number(head[":status"]), headers: head, body: Buffer.concat(chunks).toString() });
    });
    stream.end();
  });
}

const bearer = { authorization: `Bearer ${TOKEN}` };
const TYPES = [
  "application/json",
  "application/proto",
  "application/connect+json",
  "application/connect+proto",
  "application/grpc",
  "application/grpc+proto",
  "application/grpc-web+proto",
  "text/plain",
];
const ROUTES = ["/healthz", "/metrics", "/nowhere", "/", `${CALLS}Reply`, `${CALLS}Listen`, `${CALLS}Subscribe`];

describe("the host", () => {
  it("403 for another host's name on every route, in every protocol and version, token or not", async () => {
    const stage = await guarded({ corsOrigins: () => ["http://page.example"] });
    for (const [row, path] of ROUTES.entries()) {
      for (const type of TYPES.filter((_, column) => isTried(row, column, TYPES.length, 2))) {
        const headers = { host: "evil.example", "content-type": type, ...bearer, origin: "http://page.example" };
        for (const method of ["GET", "POST", "OPTIONS"]) {
          const answer = await http1(stage, method, path, { ...headers, "access-control-request-method": "POST" });
          expect([path, type, method, answer.status]).toEqual([path, type, method, 403]);
          expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
        }
      }
      const named = { ":path": path, ":method": "POST", "content-type": "application/grpc", ...bearer };
      const answer = await http2(stage, { ...named, ":authority": "evil.example:80" });
      expect([answer.status, answer.headers["grpc-status"]]).toEqual([403, "7"]);
      // A host beside the authority counts too.
      const twice = await http2(stage, { ...named, ":authority": "localhost", host: "evil.example" });
      expect(twice.status).toBe(403);
    }
  });
});

describe("what a request of HTTP/1.1 names", () => {
  /** The status of an answer to exactly these lines. */
  async function statusOf({ baseUrl }: Stage, ...lines: readonly string[]): Promise<string> {
    const socket = rawSocket(baseUrl);
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    return (await textOf(socket, /\r\n/)).slice(9, 12);
  }

  it("is one host, and not two", async () => {
    const stage = await guarded();
    for (const other of ["localhost", "evil.example"]) {
      expect(await statusOf(stage, "GET /healthz HTTP/1.1", "Host: localhost", `host: ${other}`)).toBe("400");
    }
  });

  it("is that of its target, where it names one, and the path of that (RFC 9112 §3.2.2)", async () => {
    const stage = await guarded();
    const get = (target: string, host = "localhost") => statusOf(stage, `GET ${target} HTTP/1.1`, `Host: ${host}`);
    expect(await get("http://localhost/healthz")).toBe("200");
    expect(await get("HTTP://127.0.0.1:1/healthz?x=http://evil.example/")).toBe("200");
    expect(await get("http://localhost/healthz", "evil.example")).toBe("200");
    expect(await get("http://evil.example/healthz")).toBe("403");
    expect(await get("http://localhost@evil.example/healthz")).toBe("403");
    expect(await get("http://localhost")).toBe("401");
    expect(await get("/http://localhost/healthz")).toBe("401");
  });

  it("is not lost behind many headers, or is refused", async () => {
    const stage = await guarded();
    const many = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: y`);
    const ask = (count: number) =>
      statusOf(stage, "GET /metrics HTTP/1.1", "Host: localhost", ...many(count), `Authorization: Bearer ${TOKEN}`);
    expect(await ask(500)).toBe("200");
    expect(await ask(5000)).toBe("431");
  });
});

describe("compression that is off", () => {
  it.each(["application/proto", "application/json", "application/grpc-web+proto"])(
    "is refused for %s with what to do",
    async (type) => {
      const stage = await guarded();
      const name = type.includes("grpc") ? "grpc-encoding" : "content-encoding";
      const answer = await http1(
        stage,
        "POST",
        `${CALLS}Reply`,
        { "content-type": type, [name]: "gzip", ...bearer },
        "x",
      );
      const words = decodeURIComponent(answer.body + String(answer.headers["grpc-message"] ?? ""));
      expect(words).toContain("Send it uncompressed");
      expect(words).not.toContain("supported encodings are");
    },
  );
});

describe("the token", () => {
  it.each(WAYS)("is asked for in %s over HTTP/%s, in its words", async (protocol, version) => {
    const stage = await guarded();
    const refused = async (headers: Record<string, string>): Promise<void> => {
      const client = stage.client(protocol, version, { headers });
      for (const call of [
        () => client.reply({}),
        async () => {
          for await (const _ of client.listen({})) throw new Error("heard something");
        },
      ]) {
        const error = ConnectError.from(
          await call().then(
            () => undefined,
            (caught: unknown) => caught,
          ),
        );
        expect([error.code, detailOf(error)]).toEqual([Code.Unauthenticated, "unauthenticated"]);
        expect(error.rawMessage).toContain("token");
      }
    };
    await refused({});
    await refused({ authorization: "Bearer wrong" });
    expect((await stage.client(protocol, version, { headers: bearer }).reply({})).accepted).toBe(true);
  });

  it("401 says how to come in; pages that need none are open", async () => {
    const stage = await guarded();
    const answer = await http1(stage, "GET", "/metrics", {});
    expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="aaepd"']);
    expect((await http1(stage, "GET", "/metrics", bearer)).body).toBe("metrics 1");
    expect((await http1(stage, "GET", "/healthz", {})).body).toBe("alive");
    expect((await http1(stage, "GET", "/nowhere", {})).status).toBe(401);
  });
});

describe("what is refused", () => {
  it("in gRPC is one frame that ends the stream: to what ends it later its clients are deaf", async () => {
    const stage = await guarded();
    const session = connectHttp2(stage.baseUrl);
    onTestFinished(() => session.destroy());
    for (const [path, authorization, status] of [
      [`${CALLS}GetManifest`, "", "16"],
      ["/aaep.v1.Nothing/At", `Bearer ${TOKEN}`, "12"],
    ] as const) {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        authorization,
        "content-type": "application/grpc",
      });
      stream.end(Buffer.alloc(5));
      const [headers, flags] = (await once(stream, "response")) as [Readonly<Record<string, unknown>>, number];
      expect([headers["grpc-status"], flags & constants.NGHTTP2_FLAG_END_STREAM]).toEqual([
        status,
        constants.NGHTTP2_FLAG_END_STREAM,
      ]);
      expect(decodeURIComponent(String(headers["grpc-message"]))).toMatch(/ /);
    }
  });

  it("is logged: who, what and why, without the query and no more than the beginning of a long path", async () => {
    const stage = await guarded();
    await http1(stage, "GET", "/metrics?token=secret", {});
    await http1(stage, "GET", `/${"x".repeat(10_000)}`, { host: "evil.example", ...bearer });
    await http1(stage, "GET", "/healthz", {});
    await http1(stage, "GET", "/metrics", bearer);
    const peer = expect.stringContaining(`${stage.listener.address}#`);
    expect(stage.log).toEqual([
      { level: "debug", fields: { peer, path: "/metrics", code: "unauthenticated" }, message: "a call was refused" },
      {
        level: "debug",
        fields: { peer, path: `/${"x".repeat(199)}`, code: "permission_denied" },
        message: "a call was refused",
      },
    ]);
  });
});

describe("pages", () => {
  it("answer GET and HEAD over both versions, are not kept and not guessed at", async () => {
    const stage = await guarded();
    for (const method of ["GET", "HEAD"]) {
      const body = method === "GET" ? "alive" : "";
      for (const answer of [
        await http1(stage, method, "/healthz?x=1", {}),
        await http2(stage, { ":path": "/healthz", ":method": method }),
      ]) {
        expect([answer.status, answer.body, answer.headers["content-length"]]).toEqual([200, body, "5"]);
        expect(answer.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
      }
    }
  });

  it("405 for other methods, 404 in words elsewhere, and in the words of a protocol", async () => {
    const stage = await guarded();
    const post = await http1(stage, "POST", "/healthz", {});
    expect([post.status, post.headers.allow, post.body]).toEqual([405, "GET, HEAD", expect.stringContaining("GET")]);
    const nowhere = await http1(stage, "GET", "/nowhere", bearer);
    expect([nowhere.status, nowhere.body]).toEqual([404, expect.stringContaining("nothing at this path")]);
    const json = await http1(stage, "POST", `${CALLS}Nothing`, { ...bearer, "content-type": "application/json" }, "{}");
    expect([json.status, JSON.parse(json.body)]).toEqual([404, expect.objectContaining({ code: "unimplemented" })]);
    const grpc = await http2(stage, {
      ":path": "/x/Y",
      ":method": "POST",
      "content-type": "application/grpc",
      ...bearer,
    });
    expect([grpc.status, grpc.headers["grpc-status"]]).toEqual([200, "12"]);
  });

  it("500 without insides for one that throws, and the next is answered", async () => {
    const stage = await guarded();
    const answer = await http1(stage, "GET", "/broken", {});
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain("secret");
    expect(stage.log.map(({ level }) => level)).toEqual(["error"]);
    expect((await http1(stage, "GET", "/healthz", {})).status).toBe(200);
  });
});

describe("pages of other origins", () => {
  const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };

  function corsHeaders({ headers }: Answer): readonly string[] {
    return Object.keys(headers).filter((name) => name.startsWith("access-control-"));
  }

  it("are told nothing unless configured", async () => {
    const stage = await guarded();
    const origin = { origin: "http://page.example" };
    const asked = await http1(stage, "OPTIONS", `${CALLS}Reply`, { ...origin, ...preflight });
    expect([asked.status, corsHeaders(asked)]).toEqual([403, []]);
    expect(corsHeaders(await http1(stage, "GET", "/healthz", origin))).toEqual([]);
    expect((await http1(stage, "OPTIONS", `${CALLS}Reply`, { ...origin, ...bearer })).status).toBe(405);
  });

  it("may call where they are named, and nobody else", async () => {
    const stage = await guarded({ corsOrigins: () => ["http://page.example"] });
    const asked = await http1(stage, "OPTIONS", `${CALLS}Reply`, { origin: "http://page.example", ...preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({ "access-control-allow-origin": "http://page.example", vary: "Origin" });
    for (const name of ["Authorization", "Content-Type", "Connect-Protocol-Version", "X-Grpc-Web"])
      expect(String(asked.headers["access-control-allow-headers"]).toLowerCase()).toContain(name.toLowerCase());
    const refused = await http1(stage, "OPTIONS", `${CALLS}Reply`, { origin: "http://other.example", ...preflight });
    expect([refused.status, corsHeaders(refused)]).toEqual([403, []]);
    const json = { "content-type": "application/json" };
    const called = await http1(
      stage,
      "POST",
      `${CALLS}Reply`,
      { ...json, ...bearer, origin: "http://page.example" },
      "{}",
    );
    expect([called.status, called.headers["access-control-allow-origin"]]).toEqual([200, "http://page.example"]);
    // A refusal can be read by the page that may call, and by no other.
    const known = await http1(stage, "POST", `${CALLS}Reply`, { ...json, origin: "http://page.example" }, "{}");
    expect([known.status, known.headers["access-control-allow-origin"]]).toEqual([401, "http://page.example"]);
    const unknown = await http1(stage, "POST", `${CALLS}Reply`, { ...json, origin: "http://other.example" }, "{}");
    expect([unknown.status, corsHeaders(unknown)]).toEqual([401, []]);
  });
});
