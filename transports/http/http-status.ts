// The HTTP status of a fault, and its name, for requests without a protocol of their own.
import type { FaultCode } from "../../src/base/errors.js";
import { STATUS, STATUS_OF, type StatusCode } from "../rpc-status.js";

const HTTP_STATUS: Readonly<Record<StatusCode, number>> = {
  [STATUS.CANCELLED]: 499,
  [STATUS.UNKNOWN]: 500,
  [STATUS.INVALID_ARGUMENT]: 400,
  [STATUS.DEADLINE_EXCEEDED]: 504,
  [STATUS.NOT_FOUND]: 404,
  [STATUS.ALREADY_EXISTS]: 409,
  [STATUS.PERMISSION_DENIED]: 403,
  [STATUS.RESOURCE_EXHAUSTED]: 429,
  [STATUS.FAILED_PRECONDITION]: 400,
  [STATUS.ABORTED]: 409,
  [STATUS.UNIMPLEMENTED]: 501,
  [STATUS.INTERNAL]: 500,
  [STATUS.UNAVAILABLE]: 503,
  [STATUS.UNAUTHENTICATED]: 401,
};

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS).map(([name, code]) => [code, name.toLowerCase()]),
);

export function httpStatusOf(code: FaultCode): number {
  return HTTP_STATUS[STATUS_OF[code]];
}

/** In Connect's spelling, which has one l in "canceled". */
export function statusNameOf(code: FaultCode): string {
  const status = STATUS_OF[code];
  return status === STATUS.CANCELLED ? "canceled" : (NAMES.get(status) ?? "unknown");
}
