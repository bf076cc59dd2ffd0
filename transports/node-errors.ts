// The only place that reads the error codes of Node and of the operating system.
import { Fault, type FaultCode, systemLack } from "../src/base/errors.js";

/** Returns the code of an error made by Node, as in "ECONNRESET"; undefined for any other value. */
export function nodeErrorCode(caught: unknown): string | undefined {
  if (!(caught instanceof Error) || !("code" in caught)) return undefined;
  return typeof caught.code === "string" ? caught.code : undefined;
}

/** A socket file has no listener: its owner died without removing it. */
export function isRefused(caught: unknown): boolean {
  return nodeErrorCode(caught) === "ECONNREFUSED";
}

/** So many newcomers wait at a local socket that its owner seems to take none. */
export function isCrowded(caught: unknown): boolean {
  return nodeErrorCode(caught) === "EAGAIN";
}

export function isMissing(caught: unknown): boolean {
  return nodeErrorCode(caught) === "ENOENT";
}

export function isFolder(caught: unknown): boolean {
  return nodeErrorCode(caught) === "EISDIR";
}

/** Forbidden to this user. */
export function isForbidden(caught: unknown): boolean {
  const code = nodeErrorCode(caught);
  return code === "EACCES" || code === "EPERM";
}

export function isAlreadyThere(caught: unknown): boolean {
  return nodeErrorCode(caught) === "EEXIST";
}

/** A module or a package that an import names is not there. */
export function isMissingModule(caught: unknown): boolean {
  const code = nodeErrorCode(caught);
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

export function isAddressInUse(caught: unknown): boolean {
  return nodeErrorCode(caught) === "EADDRINUSE";
}

/** No process has that number. Any other failure of a probe means that the process exists. */
export function isNoSuchProcess(caught: unknown): boolean {
  return nodeErrorCode(caught) === "ESRCH";
}

/**
 * Turns an error of a stream, a socket or a file into a Fault of our own (`origin: "local"` unless the peer caused it). `what` names the address or
 * file.
 */
export function faultFromNodeError(caught: unknown, what: string): Fault {
  if (caught instanceof Fault) return caught;
  const nodeCode = nodeErrorCode(caught);
  const lack = systemLack(caught);
  const { code, sentence, origin } =
    lack === undefined
      ? meaning(nodeCode, what)
      : ({ code: "storage_unavailable", sentence: `${what} failed. ${lack}`, origin: "local" } as const);
  return new Fault(code, nodeCode === undefined ? `${sentence} (${String(caught)})` : `${sentence} (${nodeCode})`, {
    origin,
    cause: caught,
  });
}

interface Meaning {
  readonly code: FaultCode;
  readonly sentence: string;
  readonly origin: "local" | "peer";
}

function meaning(nodeCode: string | undefined, what: string): Meaning {
  switch (nodeCode) {
    // The peer has gone: it was killed, or it closed while data was on its way.
    case "ECONNRESET":
    case "EPIPE":
    case "ECONNABORTED":
    case "ERR_STREAM_DESTROYED":
    case "ERR_STREAM_PREMATURE_CLOSE":
    case "ERR_STREAM_WRITE_AFTER_END":
    case "ENOTCONN":
    case "ESHUTDOWN":
    case "EIO":
    case "EOF":
      return { code: "peer_gone", sentence: `The peer at ${what} has gone. Connect again to go on.`, origin: "peer" };
    case "ECONNREFUSED":
      return {
        code: "not_found",
        sentence: `Nobody listens at ${what}. Start the daemon, or check the address.`,
        origin: "local",
      };
    case "ENOENT":
      return {
        code: "not_found",
        sentence: `There is no ${what}. Start the daemon, or check the path.`,
        origin: "local",
      };
    case "EADDRINUSE":
    case "EEXIST":
      return {
        code: "address_in_use",
        sentence: `${what} is taken. Stop its owner, or choose another address.`,
        origin: "local",
      };
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return {
        code: "permission_denied",
        sentence: `This user may not use ${what}. Choose a place that belongs to it.`,
        origin: "local",
      };
    case "ENAMETOOLONG":
    case "ENOTDIR":
    case "EINVAL":
    case "EADDRNOTAVAIL":
    case "ENOTSOCK":
    case "ELOOP":
      return {
        code: "address_invalid",
        sentence: `${what} cannot be an address. Choose another path.`,
        origin: "local",
      };
    case "ETIMEDOUT":
      return { code: "timed_out", sentence: `${what} did not answer in time. Try again.`, origin: "peer" };
    default:
      return { code: "internal", sentence: `${what} failed in an unexpected way.`, origin: "local" };
  }
}
