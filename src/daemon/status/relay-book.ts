// The counts that connected relays have told of themselves, by `aaepd.relay`. The status repeats them.
import type { RelayReport } from "../../adapters/relay/relay-report.js";
import { Fault } from "../../base/errors.js";
import { assertMay } from "../../base/permission.js";
import type { RpcServices } from "../../protocols/aaep/sessions/rpc-session.js";

/** Rules that are named, and UTF-16 units of each, and of the host. */
const MOST_RULES = 64;
const LONGEST_NAME = 300;

export interface RelayBook {
  readonly take: RpcServices["relay"];
  /** Undefined without relays. */
  readonly report: () => readonly RelayReport[] | undefined;
}

export function createRelayBook(): RelayBook {
  const relays = new Map<object, RelayReport>();
  return {
    take: (params, access, caller) => {
      assertMay(access, "publish");
      const report = readReport(params);
      if (!relays.has(caller)) caller.whenLeft(() => relays.delete(caller));
      relays.set(caller, report);
    },
    report: () => (relays.size === 0 ? undefined : [...relays.values()]),
  };
}

/** Throws the Fault "invalid_params". */
function readReport(params: unknown): RelayReport {
  const { host, connected, events, refused } = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof host !== "string" || host.length > LONGEST_NAME)
    throw wrong("/host", `Name the producer's host, by at most ${LONGEST_NAME} characters.`);
  if (typeof connected !== "boolean")
    throw wrong("/connected", "Say whether the producer is connected: true or false.");
  if (!isCount(events)) throw wrong("/events", "Give the number of events.");
  const counts = typeof refused === "object" && refused !== null ? Object.entries(refused) : [];
  if (
    refused === undefined ||
    counts.length > MOST_RULES ||
    !counts.every(([rule, n]) => rule.length <= LONGEST_NAME && isCount(n))
  )
    throw wrong(
      "/refused",
      `Give an object with the number of refused events by their rules, of which there are at most ${MOST_RULES}.`,
    );
  return { host, connected, events, refused: Object.fromEntries(counts) as Readonly<Record<string, number>> };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function wrong(pointer: string, sentence: string): Fault {
  return new Fault("invalid_params", sentence, { pointer, rule: "R38" });
}
