// Connections of TCP that have not shown the token, through both transports of services.
import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { ServiceListener } from "../../../src/contracts/service.js";
import { admitTokenHolders } from "../../../src/security/admission.js";
import { HEALTH_PATHS } from "../../../transports/grpc/health.js";
import { assertLoopback } from "../../../transports/service-calls/loopback.js";
import { sessionOver } from "../../support/peers/raw-http2.js";
import { allOf, rawSocket } from "../../support/peers/raw-socket.js";
import { createHandTimers, type HandTimers } from "../connect/hand-timers.js";
import { startStage } from "../connect/stage.js";
import { GET_MANIFEST, stageOf } from "../grpc/stage.js";

const SILENT_MS = 60_123;
let token = "secret";
beforeEach(() => {
  token = "secret";
});
const admit = admitTokenHolders(() => token, new Set([...HEALTH_PATHS, "/healthz"]), "127.0.0.1");
const BEARER = { authorization: "Bearer secret" };

interface Served {
  readonly listener: ServiceListener;
  readonly timers: HandTimers;
  /** A call that needs the token. */
  readonly path: string;
  /** One that does not. */
  readonly open: string;
}

type Serve = (maxConnections: number) => Promise<Served>;

const TRANSPORTS: readonly (readonly ["connect" | "grpc", Serve])[] = [
  [
    "connect",
    async (maxConnections) => {
      const timers = createHandTimers();
      const pages = [
        {
          path: "/healthz",
          needsToken: true,
          answer: () => ({ status: 200, contentType: "text/plain", body: "alive" }),
        },
      ];
      const options = { kind: "tcp", admit, maxConnections, silentConnectionMs: () => SILENT_MS, pages } as const;
      const { listener } = await startStage({ ...options, after: timers.after });
      return { listener, timers, path: "/aaep.v1.SubscriberService/Reply", open: "/healthz" };
    },
  ],
  [
    "grpc",
    async (maxConnections) => {
      const timers = createHandTimers();
      const address = { kind: "tcp", host: "127.0.0.1", port: 0 } as const;
      const options = { address, admit, maxConnections, silentConnectionMs: () => SILENT_MS, after: timers.after };
      const { listener } = await stageOf(options);
      return { listener, timers, path: GET_MANIFEST, open: "/grpc.health.v1.Health/Check" };
    },
  ],
];

interface Client {
  readonly session: ClientHttp2Session;
  readonly socket: Socket;
}

/** A session that is there, and answers pings. */
async function clientOf({ listener }: Served): Promise<Client> {
  const socket = rawSocket(listener.address);
  const session = sessionOver(socket);
  await once(session, "remoteSettings");
  return { session, socket };
}

/** Its status of gRPC, or undefined where the connection ended. */
function call({ session }: Client, path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve) => {
    if (session.destroyed || session.closed) return resolve(undefined);
    const stream = session.request({
      ":method": path === "/healthz" ? "GET" : "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    });
    let told: number | undefined;
    const tell = (head: Readonly<Record<string, unknown>>): void => {
      if (head["grpc-status"] !== undefined) told = Number(head["grpc-status"]);
      else if (path === "/healthz" && head[":status"] === 200) told = 0;
    };
    stream.on("response", tell);
    stream.on("trailers", tell);
    stream.on("error", () => {});
    stream.on("close", () => resolve(told));
    stream.resume();
    stream.end(path === "/healthz" ? undefined : Buffer.alloc(5));
  });
}

/** With what so many calls end, of which few are under way at once. */
async function calls(client: Client, path: string, count: number): Promise<ReadonlySet<number | undefined>> {
  const ends = new Set<number | undefined>();
  for (let done = 0; done < count; done += 20)
    for (const end of await Promise.all(Array.from({ length: 20 }, () => call(client, path)))) ends.add(end);
  return ends;
}

/** However it came about. */
const closed = ({ socket }: Client) => new Promise((resolve) => socket.once("close", resolve));

describe.each(TRANSPORTS)("strangers at %s", (name, serve) => {
  /** Why a connection is ended: ENHANCE_YOUR_CALM, where the library lets it be told. */
  const reasons = name === "connect" ? [11] : [];

  it("are closed where nothing was admitted in time, though they answer pings; others stay", async () => {
    const served = await serve(100);
    const [silent, refused, open, known] = [
      await clientOf(served),
      await clientOf(served),
      await clientOf(served),
      await clientOf(served),
    ];
    expect(await call(refused, served.path)).toBe(16);
    expect(await call(open, served.open)).toBe(0);
    expect(await call(known, served.path, BEARER)).toBe(0);
    await Promise.all([closed(silent), closed(refused), served.timers.fire(SILENT_MS, 2)]);
    expect(await call(open, served.open)).toBe(0);
    expect(await call(known, served.path, BEARER)).toBe(0);
  });

  it("R8b: need the token of now; a connection that was let in goes on with the one that it showed, and with no other", async () => {
    const served = await serve(100);
    const [known, stranger, open] = [await clientOf(served), await clientOf(served), await clientOf(served)];
    const other = { authorization: "Bearer other" };
    expect(await call(known, served.path, BEARER)).toBe(0);
    // What needs no token lets nobody in by one that is wrong.
    expect(await call(known, served.open, other)).toBe(0);
    expect(await call(open, served.open, BEARER)).toBe(0);
    expect(await call(stranger, served.open, { authorization: "Bearer later" })).toBe(0);
    token = "later";
    expect(await call(known, served.path, BEARER)).toBe(0);
    expect(await call(known, served.path, other)).toBe(16);
    expect(await call(known, served.path)).toBe(16);
    expect(await call(open, served.path, BEARER)).toBe(0);
    expect(await call(stranger, served.path, BEARER)).toBe(16);
    expect(await call(await clientOf(served), served.path, BEARER)).toBe(16);
    // It goes on with the token of now, and then with that one.
    const later = { authorization: "Bearer later" };
    expect(await call(known, served.path, later)).toBe(0);
    token = "last";
    expect(await call(known, served.path, later)).toBe(0);
    expect(await call(known, served.path, BEARER)).toBe(16);
  });

  it("take half of the places at most, and make room, the oldest first, also those that read what is open", async () => {
    const served = await serve(8);
    const known = [await clientOf(served), await clientOf(served)];
    for (const one of known) expect(await call(one, served.path, BEARER)).toBe(0);
    const strangers: Client[] = [];
    for (let count = 0; count < 4; count++) strangers.push(await clientOf(served));
    const [first, second, third] = strangers as [Client, Client, Client];
    expect(await call(first, served.open)).toBe(0);
    const next = await clientOf(served);
    if (!first.socket.destroyed) await closed(first);
    expect(await call(second, served.open)).toBe(0);
    // Those that show the token get in, and are no strangers any more, until all places are theirs.
    expect(await call(next, served.path, BEARER)).toBe(0);
    for (let count = 3; count < 8; count++) {
      const one = await clientOf(served);
      expect(await call(one, served.path, BEARER)).toBe(0);
      known.push(one);
    }
    for (const one of [second, third]) if (!one.socket.destroyed) await closed(one);
    for (const one of [...known, next]) expect(await call(one, served.path, BEARER)).toBe(0);
    await allOf(rawSocket(served.listener.address));
    for (const one of [...known, next]) expect(await call(one, served.path, BEARER)).toBe(0);
  });

  it("are ended after 200 calls that were refused, and those that have shown the token are not", async () => {
    const served = await serve(100);
    const stranger = await clientOf(served);
    const codes: unknown[] = [];
    stranger.session.on("goaway", (code) => codes.push(code));
    const end = closed(stranger);
    expect(await calls(stranger, served.path, 200)).toEqual(new Set([16]));
    await call(stranger, served.path);
    await end;
    expect(codes).toEqual(reasons);
    const known = await clientOf(served);
    expect(await call(known, served.path, BEARER)).toBe(0);
    expect(await calls(known, served.path, 300)).toEqual(new Set([16]));
  });

  it("are ended for calls that they take back before these have begun", async () => {
    const served = await serve(100);
    const stranger = await clientOf(served);
    const codes: unknown[] = [];
    stranger.session.on("goaway", (code) => codes.push(code));
    const end = closed(stranger);
    for (let count = 0; count < 900; count++) {
      const head = { ":method": "POST", ":path": served.open, "content-type": "application/grpc" };
      const stream = stranger.session.request(head);
      stream.on("error", () => {});
      stream.close(8);
    }
    await end;
    expect(codes).toEqual(reasons);
    expect(await call(await clientOf(served), served.open)).toBe(0);
  });

  // What the library of gRPC refuses by itself, nobody sees.
  it.skipIf(name === "grpc")(
    "are ended for calls that are wrong in other ways, and cannot offset them by what is open",
    async () => {
      const served = await serve(100);
      const stranger = await clientOf(served);
      const end = closed(stranger);
      expect(await calls(stranger, served.open, 100)).toEqual(new Set([0]));
      await calls(stranger, "/nothing", 200);
      await call(stranger, "/nothing");
      await end;
      expect(stranger.session.destroyed).toBe(true);
    },
  );
});

describe("addresses", () => {
  it.each(["127.999.1.1", "127.0.0.256", "127.0.0", "127.0.0.1.1", "10.0.0.1"])("%s is none of loopback", (host) => {
    expect(() => assertLoopback(host)).toThrow(Fault);
  });

  it.each(["127.0.0.1", "127.255.1.09", "::1", "localhost"])("%s is one", (host) => {
    expect(() => assertLoopback(host)).not.toThrow();
  });
});
