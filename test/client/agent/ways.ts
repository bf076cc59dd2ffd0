// The ways of an agent to a daemon, each to a real one that can be killed and started again on the same addresses.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentConnector } from "../../../src/client/agent/agent-options.js";
import { grpcRpcConnector, httpRpcConnector, ipcRpcConnector, spawnConnector } from "../../../src/client/node.js";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { cleanEnvironment, PROGRAM, startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const ALL_SERVED_WAYS = ["socket", "gRPC, Unix socket", "gRPC, TCP", "HTTP, Unix socket", "HTTP, TCP"] as const;
export type ServedWay = (typeof ALL_SERVED_WAYS)[number];
/** In a short run one way of each protocol. */
export const SERVED_WAYS: readonly ServedWay[] = isWhole
  ? ALL_SERVED_WAYS
  : ["socket", "gRPC, TCP", "HTTP, Unix socket"];
/** "stdio": a daemon of the agent's own, which ends with it. */
export type Way = ServedWay | "stdio";
export const WAYS: readonly Way[] = ["stdio", ...SERVED_WAYS];

interface Ready {
  readonly endpoints: { readonly ipc: string; readonly grpc?: readonly string[]; readonly http?: readonly string[] };
  readonly token_file?: string;
}

export interface WayDaemon {
  /** Where listeners connect, which is always the socket. */
  readonly socketPath: string;
  readonly connector: AgentConnector;
  /** Of the services. */
  readonly address: string;
  readonly token: () => string;
  /** "" of a way that needs none. */
  readonly tokenFile: string;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly kill: () => Promise<void>;
  readonly again: () => Promise<void>;
}

/** Options of `serve` for a way, on addresses that stay the same. */
function addressOptions(way: ServedWay, directory: string): readonly string[] {
  switch (way) {
    case "socket":
      return [];
    case "gRPC, Unix socket":
      return ["--grpc", `unix:${join(directory, "a.grpc")}`];
    case "gRPC, TCP":
      return ["--grpc", "127.0.0.1:0"];
    case "HTTP, Unix socket":
      return ["--http", `unix:${join(directory, "a.http")}`];
    case "HTTP, TCP":
      return ["--http", "127.0.0.1:0"];
  }
}

function addressIn({ endpoints: { grpc, http } }: Ready): string {
  return grpc?.[0] ?? `http://${http?.[0]}`;
}

function tokenIn({ token_file: path = "" }: Ready): string {
  return readFileSync(path, "utf8").trim();
}

function connectorOf(way: ServedWay, ready: () => Ready): AgentConnector {
  const address = addressIn(ready());
  const token = (): string => tokenIn(ready());
  switch (way) {
    case "socket":
      return { connect: ipcRpcConnector(ready().endpoints.ipc) };
    case "gRPC, Unix socket":
      return { connect: grpcRpcConnector(address) };
    case "gRPC, TCP":
      return { connect: grpcRpcConnector(address, { token }) };
    case "HTTP, Unix socket":
      return { connect: httpRpcConnector(address) };
    case "HTTP, TCP":
      return { connect: httpRpcConnector(address, { token }) };
  }
}

/** `aaepd serve` with its journal on disk, reached that way. */
export async function serveFor(way: ServedWay, ...options: readonly string[]): Promise<WayDaemon> {
  ensureBuilt();
  const directory = temporaryDirectory();
  const environment = { ...cleanEnvironment(directory), XDG_STATE_HOME: join(directory, "state") };
  const start = async (addresses: readonly string[]) => {
    const program = startProgram(["serve", ...addresses, ...options], { environment });
    const ready: Ready = JSON.parse((await program.stdoutLines(1))[0] ?? "");
    return { program, ready };
  };
  let { program, ready } = await start(addressOptions(way, directory));
  const taken = Object.entries(ready.endpoints).flatMap(([kind, addresses]) =>
    kind === "ipc" ? [] : [`--${kind}`, String(addresses[0])],
  );
  return {
    socketPath: ready.endpoints.ipc,
    connector: connectorOf(way, () => ready),
    address: addressIn(ready),
    token: () => tokenIn(ready),
    tokenFile: ready.token_file ?? "",
    signal: (name) => void program.child.kill(name),
    kill: async () => {
      program.child.kill("SIGKILL");
      await program.ended;
    },
    again: async () => {
      ({ program, ready } = await start(taken));
    },
  };
}

/** The place of a daemon for a way, and the connector. Of "stdio" the daemon is there once the connector has connected. */
export async function placeFor(way: Way): Promise<Pick<WayDaemon, "socketPath" | "connector">> {
  if (way !== "stdio") return serveFor(way);
  ensureBuilt();
  const socketPath = join(temporaryDirectory(), "sorter.sock");
  const connector = spawnConnector("sorter", { program: PROGRAM, argv: ["--socket", socketPath] });
  return { socketPath, connector };
}
