// Where a daemon listens: files in the runtime folders, whether the kernel is asked who listens there, and TCP addresses of the configuration.
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { occupantOf } from "../../../transports/ipc/bind.js";
import { isProcess } from "../../../transports/ipc/claim.js";
import { privateDirectories, socketStatus } from "../../../transports/ipc/directory.js";
import { faultFromNodeError, isAddressInUse } from "../../../transports/node-errors.js";
import { installCommand, PEER_USER_PACKAGE } from "../../../transports/optional-packages.js";
import { WAY_NAMES, WAYS } from "../../../transports/ways.js";
import type { ServiceAddress } from "../../contracts/transport.js";
import { addressText, serviceAddresses } from "../../daemon/config/service-choices.js";
import { advice, type Finding, fact, problem, shellWord } from "../../daemon/platform/finding.js";
import { readRuntimeFile } from "../../daemon/presence/runtime-files.js";
import { problemFrom } from "../shell/finding-lines.js";
import type { Patient } from "./patient.js";

export async function socketFindings({ io, place, configuration }: Patient): Promise<readonly Finding[]> {
  const { socket } = configuration;
  const directories = privateDirectories(io.daemonDirectories, place.userId);
  const paths = directories.flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)));
  if (socket.kind === "path" && !directories.includes(dirname(socket.path)) && place.platform !== "win32")
    paths.push(socket.path);
  const sockets = paths.filter((path) => isOfWay(path) || (socket.kind === "path" && path === socket.path));
  const found = await Promise.all(sockets.map((path) => socketFinding(path, place.userId)));
  const left = paths.filter((path) => path.endsWith(".manifest.json")).map(manifestFinding);
  const faults = [...found, ...left].filter((one) => one !== undefined);
  return faults.length > 0 ? faults : [fact("sockets", "No file was left by a daemon that has ended.")];
}

/** Whether a path ends as those of a way's sockets do. */
function isOfWay(path: string): boolean {
  return WAY_NAMES.some((name) => path.endsWith(WAYS[name].ending ?? "/"));
}

async function socketFinding(path: string, userId: number | undefined): Promise<Finding | undefined> {
  const occupant = await occupantOf(path, userId);
  switch (occupant.kind) {
    case "nobody":
      return undefined;
    case "dead": {
      const message = `Nobody listens at ${path}: its daemon ended without removing it.`;
      const remedy = `Start a daemon of that name, which takes it over, or run: rm ${shellWord(path)}`;
      return advice("stale_socket", message, remedy);
    }
    case "file": {
      const message = `${path} is no socket, and keeps a daemon from its place.`;
      return problem("not_a_socket", message, "Move the file elsewhere.");
    }
    case "stranger": {
      const message = `The socket ${path} belongs to user ${occupant.userId}.`;
      return problem("foreign_socket", message, "Let its owner remove it.");
    }
    case "alive": {
      const mode = Number(socketStatus(path)?.mode ?? 0o600) & 0o777;
      if ((mode & 0o077) === 0) return undefined;
      const message = `The socket ${path} has mode 0${mode.toString(8)}. The mode of its folder still keeps others away.`;
      return advice("socket_mode", message, `Run: chmod 600 ${shellWord(path)}`);
    }
  }
}

function manifestFinding(path: string): Finding | undefined {
  const pid = readRuntimeFile(path)?.pid;
  if (typeof pid !== "number" || isProcess(pid)) return undefined;
  const message = `${path} names process ${pid}, which has ended.`;
  return advice("stale_manifest", message, "Start a daemon, which removes such files: aaepd serve");
}

const ASKED = "The kernel is asked whose process listens at a socket";
const NOT_ASKED = "The kernel is not asked whose process listens at a socket";

export function peerUserFindings({ place, peerUserSource }: Patient): readonly Finding[] {
  // At a named pipe of Windows nothing is looked at.
  if (place.platform === "win32") return [];
  const source = peerUserSource();
  switch (source.kind) {
    case "kernel":
      return [fact("peer_user", `${ASKED} (package ${PEER_USER_PACKAGE}).`)];
    case "not_installed": {
      const why = `the optional package ${PEER_USER_PACKAGE} is not installed`;
      return [fact("peer_user", `${NOT_ASKED}: ${why}. Owner and mode decide alone.`)];
    }
    case "broken": {
      const [why = ""] = String(source.error).split("\n");
      const message = `${NOT_ASKED}: the package ${PEER_USER_PACKAGE} does not work here (${why}). Owner and mode decide alone.`;
      return [advice("peer_user_broken", message, `Install it again: ${installCommand(["peer"])}`)];
    }
  }
}

type TcpAddress = Extract<ServiceAddress, { readonly kind: "tcp" }>;

export async function portFindings(patient: Patient): Promise<readonly Finding[]> {
  const addresses = serviceAddresses(patient.configuration).filter((address) => address.kind === "tcp");
  if (addresses.length === 0) return [fact("no_ports", "The configuration needs no port.")];
  return Promise.all(addresses.map((address) => portFinding(address, patient)));
}

async function portFinding(address: TcpAddress, { daemons }: Patient): Promise<Finding> {
  const text = addressText(address);
  try {
    await tryToListen(address);
    return fact("port_free", `${text} is free.`);
  } catch (caught) {
    if (!isAddressInUse(caught)) return problemFrom(faultFromNodeError(caught, text));
    const listensHere = (one: string): boolean => one.endsWith(text);
    const own = daemons.find(({ status }) => Object.values(status.endpoints).flat().some(listensHere));
    if (own !== undefined) return fact("port_own", `The daemon ${own.status.producer_id} listens at ${text}.`);
    const finds =
      process.platform === "linux" ? `ss -ltnp 'sport = :${address.port}'` : `lsof -iTCP:${address.port} -sTCP:LISTEN`;
    const remedy = `Stop that program, or choose another port. To find it, run: ${finds}`;
    return problem("port_taken", `Another program listens at ${text}.`, remedy);
  }
}

/** Listens for a moment, and accepts nobody. */
async function tryToListen({ host, port }: TcpAddress): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen({ host, port, exclusive: true });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
