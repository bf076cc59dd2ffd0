// The ways of an agent to a daemon, each to a real one that can be killed and started again on the same addresses.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { AgentConnector } from "../../../src/client/agent/agent-options.js";
import { httpRpcConnector, ipcRpcConnector, spawnConnector } from "../../../src/client/node.js";
import { grpcRpcConnector } from "../../../src/client/with-grpc.js";
import { WAYS as ALL_WAYS, SERVICE_NAMES, type ServiceName } from "../../../transports/ways.js";
import { startCommandLine } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { shared } from "../../support/lifetime.js";
import { cleanEnvironment, PROGRAM, type Program, startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

type Place = "Unix socket" | "TCP";
export type ServedWay = "socket" | `${"gRPC" | "HTTP"}, ${Place}`;

/** How an agent connects to a service. */
const CONNECTORS: Readonly<Record<ServiceName, typeof grpcRpcConnector | typeof httpRpcConnector>> = {
  grpc: grpcRpcConnector,
  http: httpRpcConnector,
};

const SERVED: ReadonlyMap<ServedWay, { readonly service: ServiceName; readonly place: Place }> = new Map(
  SERVICE_NAMES.flatMap((service) =>
    (["Unix socket", "TCP"] as const).map(
      (place) => [`${ALL_WAYS[service].label}, ${place}`, { service, place }] as const,
    ),
  ),
);
const ALL_SERVED_WAYS: readonly ServedWay[] = ["socket", ...SERVED.keys()];
/** A short run leaves HTTP to the tests of client/http. */
export const SERVED_WAYS: readonly ServedWay[] = isWhole ? ALL_SERVED_WAYS : ["socket", "gRPC, TCP"];
/** "stdio": a daemon of the agent's own, which ends with it. */
export type Way = ServedWay | "stdio";
export const WAYS: readonly Way[] = ["stdio", ...SERVED_WAYS];

type Addresses = Readonly<Partial<Record<ServiceName, readonly string[]>>>;

interface Ready {
  readonly endpoints: Addresses & { readonly ipc: string };
  readonly token_file?: string;
}

export interface WayPlace {
  /** Where listeners connect, which is always the socket. */
  readonly socketPath: string;
  readonly connector: AgentConnector;
  readonly address: string;
  readonly token: () => string;
  /** "" of a way that needs none. */
  readonly tokenFile: string;
}

export interface WayDaemon extends WayPlace {
  readonly signal: (name: NodeJS.Signals) => void;
  readonly kill: () => Promise<void>;
  /** Starts it on the same addresses, in this process, where it stays. */
  readonly again: () => Promise<void>;
}

/** Where services of these ways listen. */
function addressesFor(ways: readonly ServedWay[], directory: string): Addresses {
  const addresses: Partial<Record<ServiceName, string[]>> = {};
  for (const { service, place } of ways.flatMap((way) => SERVED.get(way) ?? [])) {
    addresses[service] ??= [];
    addresses[service].push(place === "TCP" ? "127.0.0.1:0" : `unix:${join(directory, `a.${service}`)}`);
  }
  return addresses;
}

function addressOptions(addresses: Addresses): readonly string[] {
  return SERVICE_NAMES.flatMap((name) => (addresses[name] === undefined ? [] : [`--${name}`, addresses[name].join()]));
}

function addressIn({ endpoints }: Ready, way: ServedWay): string {
  const served = SERVED.get(way);
  if (served === undefined) return endpoints.ipc;
  const isUnix = served.place === "Unix socket";
  return String(endpoints[served.service]?.find((address) => address.startsWith("unix:") === isUnix));
}

function tokenIn({ token_file: path = "" }: Ready): string {
  return readFileSync(path, "utf8").trim();
}

function connectorOf(way: ServedWay, ready: () => Ready): AgentConnector {
  const served = SERVED.get(way);
  const address = addressIn(ready(), way);
  if (served === undefined) return { connect: ipcRpcConnector(address) };
  const options = served.place === "TCP" ? { token: () => tokenIn(ready()) } : {};
  return { connect: CONNECTORS[served.service](address, options) };
}

function placeIn(ready: () => Ready, way: ServedWay): WayPlace {
  return {
    socketPath: ready().endpoints.ipc,
    connector: connectorOf(way, ready),
    address: addressIn(ready(), way),
    token: () => tokenIn(ready()),
    tokenFile: ready().token_file ?? "",
  };
}

async function readyOf({ stdoutLines }: Pick<Program, "stdoutLines">): Promise<Ready> {
  const [line = ""] = await stdoutLines(1);
  return JSON.parse(line);
}

/** A daemon of the test's own for a way: `aaepd serve` as a process, with its journal on disk. */
export async function serveFor(way: ServedWay, ...options: readonly string[]): Promise<WayDaemon> {
  ensureBuilt();
  const directory = temporaryDirectory();
  const environment = cleanEnvironment(directory);
  const argvAt = (addresses: Addresses) => ["serve", ...addressOptions(addresses), ...options];
  const program = startProgram(argvAt(addressesFor([way], directory)), { environment });
  let ready = await readyOf(program);
  const taken = ready.endpoints;
  return {
    ...placeIn(() => ready, way),
    signal: (name: NodeJS.Signals) => void program.child.kill(name),
    kill: async () => {
      program.child.kill("SIGKILL");
      await program.ended;
    },
    again: async () => {
      ready = await readyOf(startCommandLine(argvAt(taken), { environment }));
    },
  };
}

/** One daemon in this process for all tests of a file that leave it as it is, reached in every way. */
export function sharedWays(
  ...options: readonly string[]
): (way: ServedWay) => Promise<WayPlace & { readonly reload: () => void }> {
  const daemon = shared(async () => {
    const directory = temporaryDirectory();
    const argv = ["serve", ...addressOptions(addressesFor(ALL_SERVED_WAYS, directory)), ...options];
    const command = startCommandLine(argv, { environment: cleanEnvironment(directory) });
    return { ready: await readyOf(command), reload: () => command.signal("SIGHUP") };
  });
  return async (way) => {
    const { ready, reload } = await daemon();
    return { ...placeIn(() => ready, way), reload };
  };
}

/** The place of a daemon for a way. Of "stdio" the daemon is there once the connector has connected, and is the test's own. */
export async function placeFor(
  way: Way,
  served: (way: ServedWay) => Promise<WayPlace>,
): Promise<Pick<WayPlace, "socketPath" | "connector">> {
  if (way !== "stdio") return served(way);
  ensureBuilt();
  const directory = temporaryDirectory();
  const socketPath = join(directory, "sorter.sock");
  return { socketPath, connector: spawnedSorter(directory, socketPath) };
}

/** The connector of a daemon that the agent "sorter" starts. The daemon inherits the environment, and must keep its files in this directory. */
export function spawnedSorter(directory: string, socketPath: string): AgentConnector {
  for (const name of ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]) vi.stubEnv(name, directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  return spawnConnector("sorter", { program: PROGRAM, argv: ["--socket", socketPath] });
}
