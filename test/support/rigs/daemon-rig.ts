// A real daemon in this process, and whoever connects to it: over its socket in every framing, over stdio, or in memory. What it sends is looked at
// by a sniffer; what it leaves behind fails the test.
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished } from "vitest";
import type { IdSource } from "../../../src/base/ids.js";
import type { AccessPolicy } from "../../../src/contracts/access.js";
import type { Audit } from "../../../src/contracts/audit.js";
import type { Clock } from "../../../src/contracts/clock.js";
import type { Log } from "../../../src/contracts/log.js";
import type { Connection, ServiceAddress } from "../../../src/contracts/transport.js";
import type { Configuration, OptionName } from "../../../src/daemon/config/config.js";
import { OPTION_NAMES } from "../../../src/daemon/config/config-schema.js";
import { fallbackOf } from "../../../src/daemon/config/option-names.js";
import type { Reconfigured } from "../../../src/daemon/config/reconfigure.js";
import type { ServiceChoice } from "../../../src/daemon/config/service-choices.js";
import { type Daemon, startDaemon } from "../../../src/daemon/daemon.js";
import { createClock } from "../../../src/daemon/platform/clock.js";
import { createIdSource, sha256Hex } from "../../../src/daemon/platform/ids.js";
import { createByteConnection } from "../../../transports/framing/byte-connection.js";
import type { Framing } from "../../../transports/framing/framings.js";
import { createMemoryPair } from "../../../transports/memory/memory-pair.js";
import { SERVICE_NAMES, type ServiceName, WAYS } from "../../../transports/ways.js";
import { expectNothingLeftOpen } from "../open-handles.js";
import { createWireSniffer, type WireSniffer } from "../oracles/wire-sniffer.js";
import { type PlainPeer, plainPeer, type RpcPeer, rpcPeer } from "../peers/peers.js";
import { allOf, rawSocket } from "../peers/raw-socket.js";
import { openSse } from "../services/sse.js";
import { openWebSocket } from "../services/web-socket.js";
import { temporaryDirectory } from "../temporary-directory.js";
import { createVirtualClock } from "./virtual-clock.js";

export interface RigOptions {
  /** What differs from the defaults of `serve`. */
  readonly configuration?: Partial<Configuration>;
  /** "hands": time stands still until `clock.advance`. Default "real". */
  readonly clock?: "real" | "hands";
  /** Whether there is a parent that speaks over stdio. */
  readonly stdio?: boolean;
  /** Default "test-agent". Undefined only where given so. */
  readonly declaredProducerId?: string | undefined;
  /** Lines of the log that a test expects to be errors. */
  readonly expectsErrors?: boolean;
  readonly ids?: IdSource;
  /** Which connection may do what. Default: each may do everything. */
  readonly accessPolicy?: AccessPolicy;
  /** Where questions, replies and outcomes are recorded. Default nowhere. */
  readonly auditLog?: Audit;
  /** Services, and what they listen on: a Unix socket in the folder of the other, or a free port of loopback. Default none. */
  readonly services?: Readonly<Partial<Record<ServiceName, "unix" | "tcp">>>;
}

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface RawSocket {
  readonly socket: Socket;
  /** Everything that came, once the daemon has closed. */
  readonly all: Promise<Buffer>;
}

/** A framing of the socket, memory, a WebSocket where there is HTTP, or Server-Sent Events where that is over TCP. */
type ConnectWay = Framing | "memory" | "websocket" | "sse";

export interface DaemonRig {
  readonly daemon: Daemon;
  readonly path: string;
  readonly directory: string;
  readonly sniffer: WireSniffer;
  readonly log: readonly LogLine[];
  /** Where time stands still; throws where it does not. */
  readonly advance: (ms: number) => Promise<void>;
  /** As `advance`, before anything else can happen. */
  readonly leap: (ms: number) => void;
  /** Lets time pass in the middle of a turn. */
  readonly pass: (ms: number) => void;
  readonly plain: (way?: ConnectWay) => Promise<PlainPeer>;
  readonly rpc: (way?: ConnectWay) => Promise<RpcPeer>;
  /** A connection whose messages the test writes itself. */
  readonly connect: (way: ConnectWay) => Promise<Connection<Uint8Array>>;
  /** The parent's end of standard input and output, in place of `parent`. */
  readonly parentConnection: () => Connection<Uint8Array>;
  /** The parent, once. */
  readonly parent: () => RpcPeer;
  /** The parent's standard input has ended. */
  readonly endStdin: () => void;
  /** A socket without framing. */
  readonly raw: () => Promise<RawSocket>;
  /** Where a service listens, as clients write it: "unix:/path", "127.0.0.1:50051". */
  readonly serviceAddress: (name: ServiceName) => string;
  /** What calls over TCP need; nothing over Unix sockets. */
  readonly authorization: () => Readonly<Record<string, string>>;
  /** Fails where the daemon no longer serves others: a new agent is heard by a new subscriber. */
  readonly expectOthersServed: () => Promise<void>;
  /** As after a change of these options, of those of before. */
  readonly reconfigure: (changes: Partial<Configuration>) => Reconfigured;
  readonly stop: () => Promise<void>;
}

function configurationOf(options: RigOptions, path: string): Configuration {
  const command = options.stdio === true ? "stdio" : "serve";
  const fallbacks = Object.fromEntries(OPTION_NAMES.map((name: OptionName) => [name, fallbackOf(name, command)]));
  // Every option has a fallback of its own type.
  const base = fallbacks as unknown as Configuration;
  return {
    ...base,
    socket: { kind: "path", path },
    audit: { kind: "off" },
    // Nothing of the user's is found or touched.
    journal: { kind: "memory" },
    watchParent: false,
    // Some peers never read on.
    stopTimeoutSeconds: 1,
    // Time that is moved by hand would bring heartbeats among what a test looks at.
    ...(options.clock === "hands" ? { heartbeatSeconds: 0 } : {}),
    ...serviceChoices(options, path),
    ...options.configuration,
  };
}

function serviceChoices({ services = {} }: RigOptions, path: string): Partial<Configuration> {
  const choices: Partial<Record<ServiceName, ServiceChoice>> = {};
  for (const name of SERVICE_NAMES) {
    const wanted = services[name];
    if (wanted === undefined) continue;
    const address: ServiceAddress =
      wanted === "unix"
        ? { kind: "unix", path: path.replace(/\.sock$/, WAYS[name].ending) }
        : { kind: "tcp", host: "127.0.0.1", port: 0 };
    choices[name] = { kind: "addresses", addresses: [address] };
  }
  return choices;
}

/** Lets both sides of local connections take what is under way. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

let sessions = 0;

/** A session id that no other test of this file has. */
export function nextSession(): string {
  sessions += 1;
  return `sess_rig${sessions}`;
}

/** To be called first in a test: its teardown is then the last. */
export async function startRig(options: RigOptions = {}): Promise<DaemonRig> {
  expectNothingLeftOpen();
  const directory = temporaryDirectory();
  const path = join(directory, "test.sock");
  const sniffer = createWireSniffer();
  const lines: LogLine[] = [];
  const noteLine = (level: keyof Log) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void lines.push({ level, fields, message });
  const hands = options.clock === "hands" ? createVirtualClock(undefined, { endsTurns: true }) : undefined;
  const clock: Clock = hands ?? createClock();
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const connections = new Set<Connection<Uint8Array>>();

  let configuration = configurationOf(options, path);
  const daemon = await startDaemon({
    ...configuration,
    log: { debug: noteLine("debug"), info: noteLine("info"), warn: noteLine("warn"), error: noteLine("error") },
    clock,
    ids: options.ids ?? createIdSource(),
    sha256Hex,
    ...(options.accessPolicy === undefined ? {} : { accessPolicy: options.accessPolicy }),
    ...(options.auditLog === undefined ? {} : { auditLog: options.auditLog }),
    version: "0.0.0-test",
    declaredProducerId: "declaredProducerId" in options ? options.declaredProducerId : "test-agent",
    ...(options.stdio === true ? { stdio: { readable: stdin, writable: stdout } } : {}),
  });

  const own = (connection: Connection<Uint8Array>): Connection<Uint8Array> => {
    connections.add(connection);
    return connection;
  };
  const open = async (framing: ConnectWay): Promise<Connection<Uint8Array>> => {
    if (framing === "websocket") return own(await openWebSocket(rig.serviceAddress("http"), rig.authorization()));
    if (framing === "sse") return own(await openSse(rig.serviceAddress("http"), rig.authorization().authorization));
    if (framing === "memory") {
      const { first, second } = createMemoryPair<Uint8Array>();
      void daemon.serve(first);
      return own(second);
    }
    const socket = await connected(path);
    return own(
      createByteConnection({ readable: socket, writable: socket }, { label: "test", trust: "same-user" }, { framing }),
    );
  };

  const parentConnection = (): Connection<Uint8Array> =>
    own(
      createByteConnection(
        { readable: stdout, writable: stdin },
        { label: "child", trust: "same-user" },
        { framing: "newline" },
      ),
    );
  let parent: RpcPeer | undefined;
  const rig: DaemonRig = {
    daemon,
    path,
    directory,
    sniffer,
    log: lines,
    advance: async (ms) => {
      await turns();
      rig.leap(ms);
      await turns();
    },
    leap: (ms) => {
      if (hands === undefined) throw new Error("this daemon has the platform's clock");
      hands.advance(ms);
    },
    pass: (ms) => hands?.pass(ms),
    connect: open,
    parentConnection,
    plain: async (framing = "length-prefixed") => plainPeer(await open(framing), sniffer),
    rpc: async (framing = "newline") => rpcPeer(await open(framing), sniffer),
    parent: () => {
      parent ??= rpcPeer(parentConnection(), sniffer, "the parent");
      return parent;
    },
    endStdin: () => void stdin.end(),
    raw: async () => {
      const socket = rawSocket(path);
      const all = allOf(socket);
      await once(socket, "connect");
      return { socket, all };
    },
    serviceAddress: (name) => {
      const [address] = daemon.endpoints[name] ?? [];
      if (address === undefined) throw new Error(`this daemon has no ${name}`);
      return address;
    },
    authorization: () =>
      daemon.tokenPath === undefined
        ? {}
        : { authorization: `Bearer ${readFileSync(daemon.tokenPath, "utf8").trim()}` },
    expectOthersServed: () => expectServed(rig),
    reconfigure: (changes) => {
      configuration = { ...configuration, ...changes };
      return daemon.reconfigure(configuration);
    },
    stop: async () => {
      await daemon.stop("signal");
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };

  onTestFinished(async () => {
    await rig.stop();
    expect(sniffer.violations()).toEqual([]);
    if (options.expectsErrors !== true) expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    if (existsSync(dirname(path))) expect(readdirSync(dirname(path))).toEqual([]);
  });
  return rig;
}

async function connected(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return socket;
}

async function expectServed(rig: DaemonRig): Promise<void> {
  const id = nextSession();
  const listener = await rig.plain();
  const accepted = await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }, { subscriber_id: id }));
  expect(accepted.type).toBe("subscription.accepted");
  const agent = await rig.rpc();
  const events = [
    { type: "aaep:agent.session.started", session_id: id, summary_normal: "Begins." },
    { type: "aaep:agent.session.completed", session_id: id, summary_normal: "Done." },
  ];
  await agent.publish(...events);
  for (const expected of events) {
    // Others may be speaking at the same time.
    let heard = await listener.events.next(expected.type);
    while (heard.session_id !== id) heard = await listener.events.next(expected.type);
    expect(heard).toMatchObject(expected);
  }
  await listener.close();
  await agent.close();
}

/** A `subscription.request`. */
export function requestOf(
  capabilities: unknown = {},
  others: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "listener", capabilities, ...others };
}
