// How others find this daemon: its manifest, and the token that services over TCP ask for, in files beside its socket. Where it has no socket, they
// stand where its socket would.
import { dirname } from "node:path";
import { isProcess } from "../../../transports/ipc/claim.js";
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { assureSocketDirectory } from "../../../transports/ipc/runtime-directory.js";
import type { Log } from "../../contracts/log.js";
import { type TokenFile, writeTokenFile } from "../../security/token-file.js";
import { manifestPath, type RuntimeFile, readRuntimeFile, tokenPathBeside, writeRuntimeFile } from "./runtime-files.js";

export interface Presence {
  /** What `manifest_uri` names (AAEP §5.4). */
  readonly uri: string;
  readonly tokenPath: string | undefined;
  /** Writes another token into its file. Throws a Fault where that cannot be written. */
  readonly replaceToken: (token: string) => void;
  /** Writes the manifest anew. Never throws. */
  readonly update: () => void;
  /** Never throws. */
  readonly remove: () => void;
}

export interface PresenceOptions {
  readonly producerId: string;
  /** Addresses in the file system that this daemon listens at, the one that is named first before the others. */
  readonly paths: readonly string[];
  /** Undefined where none is asked for. */
  readonly token: string | undefined;
  readonly endpoints: Readonly<Record<string, string | readonly string[]>>;
  readonly manifest: () => object;
  readonly log: Log;
}

/** Throws a Fault where the files cannot be written; nothing is left behind then. */
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
        log.warn({ err: caught }, "the manifest beside the socket could not be replaced");
      }
    },
    remove: () => {
      file.remove();
      tokenFile?.remove();
    },
  };
}

/** The first place of that producer id that no other process has its manifest at. */
function freeAddress(producerId: string): string {
  for (let instance = 1; ; instance++) {
    const address = ipcPath(currentPlace(), producerId, instance);
    const pid = readRuntimeFile(manifestPath(address))?.pid;
    if (typeof pid === "number" && pid !== process.pid && isProcess(pid)) continue;
    assureSocketDirectory(dirname(manifestPath(address)), currentPlace());
    return address;
  }
}
