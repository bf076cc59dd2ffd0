// Lets others find this daemon: files beside its socket contain its manifest, and the token for services over TCP. Without a socket the files are in
// the place where they would be beside one.
import { dirname } from "node:path";
import { isProcess } from "../../../transports/ipc/claim.js";
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { assureSocketDirectory } from "../../../transports/ipc/runtime-directory.js";
import type { Log } from "../../contracts/log.js";
import { type TokenFile, writeTokenFile } from "../../security/token-file.js";
import { manifestPath, type RuntimeFile, readRuntimeFile, tokenPathBeside, writeRuntimeFile } from "./runtime-files.js";

export interface Presence {
  /** The URI for `manifest_uri` (AAEP §5.4). */
  readonly uri: string;
  readonly tokenPath: string | undefined;
  /** Writes another token into its file. Throws a Fault if the file cannot be written. */
  readonly replaceToken: (token: string) => void;
  /** Writes the manifest again. Never throws. */
  readonly update: () => void;
  /** Never throws. */
  readonly remove: () => void;
}

export interface PresenceOptions {
  readonly producerId: string;
  /** Addresses of this daemon in the file system; the files get their names from the first. */
  readonly paths: readonly string[];
  /** Undefined if no token is required. */
  readonly token: string | undefined;
  readonly endpoints: Readonly<Record<string, string | readonly string[]>>;
  readonly manifest: () => object;
  readonly log: Log;
}

/** Writes the files. Throws a Fault if they cannot be written, and then leaves nothing behind. */
export function announce(options: PresenceOptions): Presence {
  const { producerId, paths, token, endpoints, manifest, log } = options;
  const address = paths[0] ?? freeAddress(producerId);
  let tokenFile: TokenFile | undefined;
  let file: RuntimeFile;
  const current = () => ({
    ...manifest(),
    endpoints,
    ...(tokenFile === undefined ? {} : { token_file: tokenFile.path }),
  });
  if (token !== undefined) tokenFile = writeTokenFile(tokenPathBeside(manifestPath(address)), token);
  try {
    file = writeRuntimeFile(address, current());
  } catch (caught) {
    tokenFile?.remove();
    throw caught;
  }
  return {
    uri: file.uri,
    tokenPath: tokenFile?.path,
    replaceToken: (next) => tokenFile?.replace(next),
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
function freeAddress(producerId: string): string {
  for (let instance = 1; ; instance++) {
    const address = ipcPath(currentPlace(), producerId, instance);
    const pid = readRuntimeFile(manifestPath(address))?.pid;
    if (typeof pid === "number" && pid !== process.pid && isProcess(pid)) continue;
    assureSocketDirectory(dirname(manifestPath(address)), currentPlace());
    return address;
  }
}
