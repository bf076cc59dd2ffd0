// Lets others find this daemon: files beside its socket contain its manifest, and the token for services over TCP. Without a socket the files are in
// the place where they would be beside one.
import { dirname } from "node:path";
import { isProcess } from "../../../transports/ipc/claim.js";
import { assureSocketDirectory } from "../../../transports/ipc/directory.js";
import { type IpcPlace, ipcPath, isPipeName } from "../../../transports/ipc/paths.js";
import type { Log } from "../../contracts/log.js";
import { writeTokenFile } from "../../security/token-file.js";
import { manifestPath, type RuntimeFile, readRuntimeFile, tokenPathBeside, writeRuntimeFile } from "./runtime-files.js";

export interface Presence {
  /** The URI for `manifest_uri` (AAEP §5.4). */
  readonly uri: string;
  readonly tokenPath: string | undefined;
  /** Writes another token into its file, unless the file is the operator's. Throws a Fault if the file cannot be written. */
  readonly replaceToken: (token: string) => void;
  /** Writes each file again that is gone. Returns whether one was. Throws a Fault if the folder is not this user's own, or takes no files. */
  readonly renew: () => boolean;
  /** Writes the manifest again. Never throws. */
  readonly update: () => void;
  /** Never throws. */
  readonly remove: () => void;
}

/** The token that callers over TCP need, with its place. */
export type OfferedToken =
  /** Written beside the socket, and removed at the stop. */
  | { readonly kind: "beside_socket"; readonly token: string }
  /** In a file of the operator, which stays. */
  | { readonly kind: "lasting"; readonly path: string };

export interface PresenceOptions {
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

/** Writes the files. Throws a Fault if they cannot be written, and then leaves nothing behind. */
export function announce(options: PresenceOptions): Presence {
  const { producerId, place, paths, token, endpoints, manifest, log } = options;
  const address = paths[0] ?? freeAddress(producerId, place);
  const tokenFile =
    token?.kind === "beside_socket" ? writeTokenFile(tokenPathBeside(manifestPath(address)), token.token) : undefined;
  const tokenPath = token?.kind === "lasting" ? token.path : tokenFile?.path;
  let file: RuntimeFile;
  const current = () => ({
    ...manifest(),
    endpoints,
    ...(tokenPath === undefined ? {} : { token_file: tokenPath }),
  });
  try {
    file = writeRuntimeFile(address, current());
  } catch (caught) {
    tokenFile?.remove();
    throw caught;
  }
  return {
    uri: file.uri,
    tokenPath,
    replaceToken: (next) => tokenFile?.replace(next),
    renew: () => {
      const isGone = !file.isThere();
      if (isGone) {
        if (!isPipeName(address)) assureSocketDirectory(dirname(address), place);
        file.update(current());
      }
      return tokenFile?.renew() === true || isGone;
    },
    update: () => {
      try {
        file.update(current());
      } catch (caught) {
        log.warn(
          { err: caught, remedy: "Make room in its folder, or give the folder back to this user." },
          "the manifest beside the socket could not be replaced",
        );
      }
    },
    remove: () => {
      file.remove();
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
