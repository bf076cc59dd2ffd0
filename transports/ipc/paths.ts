import { join } from "node:path";
import { Fault } from "../../src/base/errors.js";

/** The facts that decide the addresses of sockets. Passed in, so that every platform's answer is tested on one. */
export interface IpcPlace {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's number; undefined on Windows. */
  readonly userId: number | undefined;
}

/** Most bytes of a socket's path, without the closing zero of `sun_path`. The platforms cut off a longer one in silence. */
const MAX_PATH_BYTES: Partial<Record<NodeJS.Platform, number>> = { linux: 107, android: 107 };
const MAX_PATH_BYTES_ELSEWHERE = 103;

const PIPE_PREFIX = "\\\\.\\pipe\\";

export function isPipeName(path: string): boolean {
  return path.startsWith(PIPE_PREFIX) || path.startsWith("\\\\?\\pipe\\");
}

/** Label for the logs of peers at that address, without their number. */
export function labelOf(path: string): string {
  return isPipeName(path) ? `pipe:${path}` : `unix:${path}`;
}

/** XDG's runtime folder, on platforms that put sockets there. */
export function runtimeDirectory({ platform, environment }: IpcPlace): string | undefined {
  const { XDG_RUNTIME_DIR: directory } = environment;
  return platform !== "darwin" && platform !== "win32" && directory?.startsWith("/") ? directory : undefined;
}

/** The folder of the sockets of appendix B: XDG's runtime folder, on macOS the application's, else one in /tmp whose name has the user's number. */
export function ipcDirectory(place: IpcPlace): string {
  const { HOME: home } = place.environment;
  if (place.platform === "darwin" && home) return join(home, "Library", "Application Support", "AAEP");
  const runtime = runtimeDirectory(place);
  return runtime === undefined ? temporaryDirectory(place) : join(runtime, "aaep");
}

/** Every folder in which `ipcPath` may have put a socket, the usual one first. None on Windows, where pipes are in no folder. */
export function ipcDirectories(place: IpcPlace): readonly string[] {
  if (place.platform === "win32") return [];
  return [...new Set([ipcDirectory(place), temporaryDirectory(place)])];
}

/**
 * Returns the address of the producer of that id (appendix B): a socket, on Windows a pipe. `instance` 2 and up are those of `listenAuto`. If the
 * platform's own folder makes the path too long, the socket is in the folder in /tmp; its path should be shown to the user.
 */
export function ipcPath(place: IpcPlace, producerId: string, instance = 1): string {
  const name = `${fileNameOf(producerId)}${instance === 1 ? "" : `-${instance}`}`;
  if (place.platform === "win32") return `${PIPE_PREFIX}aaep\\${name}`;
  const path = join(ipcDirectory(place), `${name}.sock`);
  return fits(path, place.platform) ? path : join(temporaryDirectory(place), `${name}.sock`);
}

/** Throws a Fault "address_invalid" with path, length, limit and a shorter path, if the platform would cut the path off. */
export function assertPathFits(path: string, place: IpcPlace): void {
  if (path.length === 0 || path.includes("\0")) {
    throw new Fault("address_invalid", "The path of a socket is empty or has a zero in it. Give the path of a file.", {
      origin: "local",
    });
  }
  if (isPipeName(path) || fits(path, place.platform)) return;
  const limit = maxPathBytes(place.platform);
  const room = limit - Buffer.byteLength(temporaryDirectory(place)) - "/.sock".length;
  const base =
    fileNameOf((path.split("/").at(-1) ?? "").replace(/\.sock$/, "")).slice(0, Math.min(room, 40)) || "aaepd";
  throw new Fault(
    "address_invalid",
    `The path ${path} is ${Buffer.byteLength(path)} bytes long; a socket's path may have ${limit} here. Take a shorter one, for instance ${join(temporaryDirectory(place), `${base}.sock`)}.`,
    { origin: "local" },
  );
}

function temporaryDirectory(place: IpcPlace): string {
  return `/tmp/aaep-${place.userId ?? 0}`;
}

function maxPathBytes(platform: NodeJS.Platform): number {
  return MAX_PATH_BYTES[platform] ?? MAX_PATH_BYTES_ELSEWHERE;
}

function fits(path: string, platform: NodeJS.Platform): boolean {
  return Buffer.byteLength(path) <= maxPathBytes(platform);
}

/** Replaces characters of a producer id that a file name may not contain. */
export function fileNameOf(producerId: string): string {
  const name = producerId.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
  return name === "" ? "_" : name;
}

export function currentPlace(environment: IpcPlace["environment"] = process.env): IpcPlace {
  return { platform: process.platform, environment, userId: process.getuid?.() };
}
