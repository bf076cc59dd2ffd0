// The files in the runtime folders: sockets that nobody serves, files of daemons that were killed, modes.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { occupantOf } from "../../../transports/ipc/bind.js";
import { isProcess } from "../../../transports/ipc/claim.js";
import { privateDirectories, socketStatus } from "../../../transports/ipc/directory.js";
import { WAY_NAMES, WAYS } from "../../../transports/ways.js";
import { advice, type Finding, fact, problem, shellWord } from "../../daemon/platform/finding.js";
import { readRuntimeFile } from "../../daemon/presence/runtime-files.js";
import type { Patient } from "./patient.js";

const MANIFEST = /\.manifest\.json$/;

export async function socketFindings({ io, place, configuration }: Patient): Promise<readonly Finding[]> {
  const { socket } = configuration;
  const directories = privateDirectories(io.daemonDirectories, place.userId);
  const paths = directories.flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)));
  if (socket.kind === "path" && !directories.includes(dirname(socket.path)) && place.platform !== "win32")
    paths.push(socket.path);
  const sockets = paths.filter((path) => isOfWay(path) || (socket.kind === "path" && path === socket.path));
  const found = (await Promise.all(sockets.map((path) => socketFinding(path, place.userId)))).flat();
  const left = paths.filter((path) => MANIFEST.test(path)).flatMap(manifestFinding);
  const faults = [...found, ...left];
  return faults.length > 0 ? faults : [fact("sockets", "No file was left by a daemon that has ended.")];
}

/** Whether a path ends as those of a way's sockets do. */
function isOfWay(path: string): boolean {
  return WAY_NAMES.some((name) => path.endsWith(WAYS[name].ending ?? "/"));
}

async function socketFinding(path: string, userId: number | undefined): Promise<readonly Finding[]> {
  const occupant = await occupantOf(path, userId);
  switch (occupant.kind) {
    case "nobody":
      return [];
    case "dead": {
      const message = `Nobody listens at ${path}: its daemon ended without removing it.`;
      return [
        advice(
          "stale_socket",
          message,
          `Start a daemon of that name, which takes it over, or run: rm ${shellWord(path)}`,
        ),
      ];
    }
    case "file":
      return [
        problem("not_a_socket", `${path} is no socket, and keeps a daemon from its place.`, `Move the file elsewhere.`),
      ];
    case "stranger":
      return [
        problem("foreign_socket", `The socket ${path} belongs to user ${occupant.userId}.`, "Let its owner remove it."),
      ];
    case "alive": {
      const mode = Number(socketStatus(path)?.mode ?? 0o600) & 0o777;
      if ((mode & 0o077) === 0) return [];
      const message = `The socket ${path} has mode 0${mode.toString(8)}. The mode of its folder still keeps others away.`;
      return [advice("socket_mode", message, `Run: chmod 600 ${shellWord(path)}`)];
    }
  }
}

function manifestFinding(path: string): readonly Finding[] {
  const pid = readRuntimeFile(path)?.pid;
  if (typeof pid !== "number" || isProcess(pid)) return [];
  const message = `${path} names process ${pid}, which has ended.`;
  return [advice("stale_manifest", message, "Start a daemon, which removes such files: aaepd serve")];
}
