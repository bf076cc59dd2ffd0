// Lets others find this daemon: files beside its socket contain its manifest, and the token for services over TCP. Without a socket the files are in
// the place where they would be beside one.
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { isProcess } from "../../../transports/ipc/claim.js";
import { assurePrivateDirectory, assureSocketDirectory } from "../../../transports/ipc/directory.js";
import { type IpcPlace, ipcPath, isPipeName } from "../../../transports/ipc/paths.js";
import type { Log } from "../../contracts/log.js";
import { writeTokenFile } from "../../security/token-file.js";
import {
  isOwnRuntimeFile,
  manifestPath,
  readRuntimeFile,
  removeRuntimeFile,
  tokenPathBeside,
  writeRuntimeFile,
} from "./runtime-files.js";

/** The token that callers over TCP need, with its place. */
export type OfferedToken =
  /** Written beside the socket, and removed at the stop. */
  | { readonly kind: "beside_socket"; readonly token: string }
  /** In a file of the operator, which stays. */
  | { readonly kind: "lasting"; readonly path: string };

interface PresenceOptions {
  readonly producerId: string;
  readonly place: IpcPlace;
  /** Addresses of this daemon in the file system; the files get their names from the first. */
  readonly paths: readonly string[];
  /** Undefined if no token is required. */
  readonly token: OfferedToken | undefined;
  readonly endpoints: Readonly<Record<string, string | readonly string[]>>;
  readonly manifest: () => object;
  readonly log: Log;
}

export type Presence = ReturnType<typeof announce>;

/** Writes the files. Throws a Fault if they cannot be written, and then leaves nothing behind. */
export function announce(options: PresenceOptions) {
  const { producerId, place, paths, token, endpoints, manifest, log } = options;
  const address = paths[0] ?? freeAddress(producerId, place);
  const path = manifestPath(address);
  const tokenFile = token?.kind === "beside_socket" ? writeTokenFile(tokenPathBeside(path), token.token) : undefined;
  const tokenPath = token?.kind === "lasting" ? token.path : tokenFile?.path;
  const write = (): void => writeRuntimeFile(path, { ...manifest(), endpoints, token_file: tokenPath });
  try {
    if (isPipeName(address)) assurePrivateDirectory(dirname(path), place.userId);
    write();
  } catch (caught) {
    tokenFile?.remove();
    throw caught;
  }
  return {
    /** The URI for `manifest_uri` (AAEP §5.4). */
    uri: pathToFileURL(path).href,
    tokenPath,
    /** Writes another token into its file, unless the file is the operator's. Throws a Fault if the file cannot be written. */
    replaceToken: (next: string): void => tokenFile?.replace(next),
    /** Writes each file again that is gone. Returns whether one was. Throws a Fault if the folder is not this user's own, or takes no files. */
    renew: (): boolean => {
      const isGone = !isOwnRuntimeFile(path);
      if (isGone) {
        if (!isPipeName(address)) assureSocketDirectory(dirname(address), place);
        write();
      }
      return tokenFile?.renew() === true || isGone;
    },
    /** Writes the manifest again. Never throws. */
    update: (): void => {
      try {
        write();
      } catch (caught) {
        log.warn(
          { err: caught, remedy: "Make room in its folder, or give the folder back to this user." },
          "the manifest beside the socket could not be replaced",
        );
      }
    },
    /** Never throws. */
    remove: (): void => {
      removeRuntimeFile(path);
      tokenFile?.remove();
    },
  };
}

/** The first address of that producer id at which no other process has its manifest. */
function freeAddress(producerId: string, place: IpcPlace): string {
  for (let instance = 1; ; instance++) {
    const address = ipcPath(place, producerId, instance);
    const pid = readRuntimeFile(manifestPath(address))?.pid;
    if (typeof pid === "number" && pid !== process.pid && isProcess(pid)) continue;
    assureSocketDirectory(dirname(manifestPath(address)), place);
    return address;
  }
}
