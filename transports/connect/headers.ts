import type { IncomingHttpHeaders } from "node:http";

/** The longest time of a timer in Node; a longer one fires at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const GRPC_UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000001 };

/** Request headers in the form that the library reads. A deadline longer than a timer can wait is left out. */
export function webHeaders(headers: IncomingHttpHeaders): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":")) continue;
    if (typeof value !== "string") for (const one of value) result.append(name, one);
    else if (!isEndless(name, value)) result.append(name, value);
  }
  return result;
}

function isEndless(name: string, value: string): boolean {
  switch (name) {
    case "connect-timeout-ms":
      return /^\d{1,10}$/.test(value) && Number(value) > LONGEST_TIMEOUT_MS;
    case "grpc-timeout": {
      const [, count, unit] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? [];
      return Number(count) * (GRPC_UNITS[unit ?? ""] ?? 0) > LONGEST_TIMEOUT_MS;
    }
    default:
      return false;
  }
}
