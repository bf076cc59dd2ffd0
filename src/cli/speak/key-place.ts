// Where the listener that speaks takes its keys.
import { join } from "node:path";
import { currentPlace, type IpcPlace, ipcDirectory } from "../../../transports/ipc/paths.js";

/** Beside the sockets of daemons, and without their ending: it is none. On Windows a pipe. */
export function keySocketPath(environment: IpcPlace["environment"]): string {
  const place = currentPlace(environment);
  return place.platform === "win32" ? "\\\\.\\pipe\\aaep\\speak.keys" : join(ipcDirectory(place), "speak.keys");
}
