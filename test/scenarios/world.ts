// The daemon of a scenario and who is connected to it, over one lane.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { createByteConnection } from "../../transports/framing/byte-connection.js";
import type { Lane } from "../support/lanes.js";
import { expectNothingLeftOpen } from "../support/open-handles.js";
import { createWireSniffer } from "../support/oracles/wire-sniffer.js";
import { type RpcPeer, rpcPeer } from "../support/peers/peers.js";
import { type DaemonRig, startRig } from "../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { rpcAgent, subscribed, type WorldAgent, type WorldListener } from "./parties.js";
import type { Scenario } from "./scenario.js";
import { serviceParties } from "./service-parties.js";

export interface World {
  readonly agent: (name: string) => Promise<WorldAgent>;
  readonly subscriber: (name: string) => Promise<WorldListener>;
  /** The next use of the name connects anew. */
  readonly forget: (name: string) => void;
  readonly advance: (ms: number) => Promise<void>;
  /** Ends the daemon in order. */
  readonly end: () => Promise<void>;
}

export async function openWorld(scenario: Scenario, lane: Lane): Promise<World> {
  if (lane.transport === "child") return childWorld();
  const isStdio = lane.transport === "stdio";
  const { service } = lane;
  const rig = await startRig({
    clock: "hands",
    stdio: isStdio,
    ...(service === undefined ? {} : { services: { [service.server]: service.socket } }),
    ...(lane.transport === "websocket" ? { services: { http: "unix" } } : {}),
    ...(lane.transport === "sse" ? { services: { http: "tcp" } } : {}),
    ...(scenario.configuration === undefined ? {} : { configuration: scenario.configuration }),
  });
  const shared = { advance: rig.advance, end: () => endOf(rig, isStdio) };
  if (service !== undefined) return { ...createNames(serviceParties(rig, service)), ...shared };
  return {
    ...createNames<WorldAgent, WorldListener>({
      agent: async (name) => {
        if (isStdio && name === "agent") return rpcAgent(rig.parent());
        if (lane.transport === "sse") return rpcAgent(await rig.rpc());
        return rpcAgent(await rig.rpc(lane.transport === "memory" ? "memory" : isStdio ? "newline" : lane.framing));
      },
      subscriber: async () => {
        if (isStdio) return subscribed(rig.parent().subscription());
        if (lane.envelope === "plain") return subscribed(await rig.plain(lane.framing));
        return subscribed((await rig.rpc(lane.framing)).subscription());
      },
    }),
    ...shared,
  };
}

async function endOf(rig: DaemonRig, isStdio: boolean): Promise<void> {
  if (!isStdio) return rig.daemon.stop("signal");
  rig.endStdin();
  await rig.daemon.stop("stdin_ended");
}

async function childWorld(): Promise<World> {
  expectNothingLeftOpen();
  const path = join(temporaryDirectory(), "child.sock");
  const bin = fileURLToPath(new URL("../../bin/aaepd.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "stdio", "--producer-id", "test-agent", "--socket", path], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const stderr: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const exited = once(child, "close");
  const sniffer = createWireSniffer();
  const connection = createByteConnection(
    { readable: child.stdout, writable: child.stdin },
    { label: "child", trust: "same-user" },
    { framing: "newline" },
  );
  const peer = rpcPeer(connection, sniffer, "the parent");
  onTestFinished(async () => {
    await connection.close();
    const [code] = (await exited) as [number | null];
    expect(sniffer.violations()).toEqual([]);
    expect([code, Buffer.concat(stderr).toString()]).toEqual([0, expect.not.stringContaining('"level":"error"')]);
  });
  const others = new Map<string, RpcPeer>();
  return {
    ...createNames<WorldAgent, WorldListener>({
      agent: async (name) => {
        if (name === "agent") return rpcAgent(peer);
        const { connectIpc } = await import("../../transports/ipc/connect.js");
        const other = rpcPeer(await connectIpc(path, { framing: "newline" }), sniffer, name);
        others.set(name, other);
        onTestFinished(() => other.close());
        return rpcAgent(other);
      },
      subscriber: async () => subscribed(peer.subscription()),
    }),
    advance: () => Promise.reject(new Error("a process has a clock of its own")),
    end: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

function createNames<Agent, Subscriber>(open: {
  readonly agent: (name: string) => Promise<Agent>;
  readonly subscriber: (name: string) => Promise<Subscriber>;
}) {
  const agents = new Map<string, Promise<Agent>>();
  const subscribers = new Map<string, Promise<Subscriber>>();
  const named =
    <Value>(known: Map<string, Promise<Value>>, make: (name: string) => Promise<Value>) =>
    (name: string): Promise<Value> => {
      const there = known.get(name) ?? make(name);
      known.set(name, there);
      return there;
    };
  return {
    agent: named(agents, open.agent),
    subscriber: named(subscribers, open.subscriber),
    forget: (name: string) => {
      agents.delete(name);
      subscribers.delete(name);
    },
  };
}
