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

/** `ownJournal`: the id of this daemon's journal, which its listeners hear in their places (R17). */
export function createRelayBook(ownJournal: string): RelayBook {
  const relays = new Map<object, ToldRelay>();
  return {
    take: (params, access, caller) => {
      assertMay(access, "publish");
      const told = readReport(params);
      const { report, journal } = told;
      if (journal === ownJournal)
        throw refusal("address_invalid", report, "is this daemon, which its listeners hear by themselves");
      const isHeard =
        journal !== undefined &&
        [...relays].some(([other, its]) => other !== caller && its.journal === journal && its.report.connected);
      if (!relays.has(caller)) caller.whenLeft(() => void relays.delete(caller));
      relays.set(caller, isHeard ? { report: { ...report, connected: false }, journal } : told);
      if (isHeard) throw refusal("address_in_use", report, "is heard by another relay already, under another address");
    },
    report: () => (relays.size === 0 ? undefined : [...relays.values()].map(({ report }) => report)),
  };
}

interface ToldRelay {
  readonly report: RelayReport;
  /** The id of the producer's journal. One connected relay has it. */
  readonly journal: string | undefined;
}

/** Throws the Fault "invalid_params". */
function readReport(params: unknown): ToldRelay {
  const { host, connected, events, refused, journal } = (params ?? {}) as Readonly<Record<string, unknown>>;
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
  if (journal !== undefined && (typeof journal !== "string" || journal.length > LONGEST_NAME))
    throw wrong("/journal", "Give the id of the producer's journal, as its places have it, or leave it out.");
  const report = { host, connected, events, refused: Object.fromEntries(counts) as Readonly<Record<string, number>> };
  return { report, journal };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function refusal(code: "address_in_use" | "address_invalid", { host }: RelayReport, why: string): Fault {
  return new Fault(code, `The producer at ${host} ${why}.`, { rule: "R38" });
}

function wrong(pointer: string, sentence: string): Fault {
  return new Fault("invalid_params", sentence, { pointer, rule: "R38" });
}
