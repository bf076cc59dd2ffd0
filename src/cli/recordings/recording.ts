// Makes a recording publishable again: current instants (R3b), new ids, and the recorded pace or another. Pure.

import type { IdSource } from "../../base/ids.js";
import { type Members, membersOf, textOf } from "../../base/members.js";
import { AGENTS_MEMBERS } from "../../protocols/aaep/validation/agents-members.js";

/**
 * Returns the part of a recorded event that an agent may publish, without the marks of the daemon that recorded it (R31). Of a `state.changed` made
 * by the daemon only the transition remains, from which the agent's next event may start; undefined if there is none. Its texts were the daemon's,
 * and the playing daemon has its own. An output or session that the daemon completed or ended for an agent is still completed or ended.
 */
export function agentsPart(fields: Members): Members | undefined {
  const { aaepd, ...others } = membersOf(fields.extensions);
  if (aaepd === undefined) return fields;
  if (isDaemonMade(fields) && /agent\.state\.changed$/.test(textOf(fields.type))) return stepOf(fields);
  const own = Object.fromEntries(
    Object.entries(membersOf(aaepd)).filter(([name]) => Object.hasOwn(AGENTS_MEMBERS, name)),
  );
  const kept = Object.keys(own).length === 0 ? others : { ...others, aaepd: own };
  const { extensions: _, ...rest } = fields;
  return Object.keys(kept).length === 0 ? rest : { ...rest, extensions: kept };
}

/**
 * Returns `agentsPart` for the events of one recording in their order. The notice of a question repeats, for some listeners, the state before it
 * (R6): if both were recorded, only the first counts.
 */
export function createAgentsParts(): typeof agentsPart {
  let asked: unknown;
  return (fields) => {
    if (/agent\.awaiting\./.test(textOf(fields.type))) asked = fields.event_id;
    const { asks, question } = membersOf(membersOf(fields.extensions).aaepd);
    const isKnownStep = asks !== undefined && question !== undefined && question === asked;
    return isKnownStep ? undefined : agentsPart(fields);
  };
}

const ENVELOPE = ["@context", "type", "event_id", "session_id", "timestamp", "producer", "from_state", "to_state"];

/** Returns the transition of a daemon's `state.changed`. A summary is for listeners who were absent, and repeats other lines (R17). */
function stepOf(fields: Members): Members | undefined {
  const isSummary = membersOf(membersOf(fields.extensions).aaepd).summary === true;
  if (isSummary || fields.from_state === fields.to_state) return undefined;
  return Object.fromEntries(ENVELOPE.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
}

/** Whether a daemon made the recorded event in its agent's name (R31). */
export function isDaemonMade(fields: Members): boolean {
  return membersOf(membersOf(fields.extensions).aaepd).by === "daemon";
}

interface RestampOptions {
  /** Keep session, event and question ids as recorded. */
  readonly keepsIds: boolean;
  readonly ids: IdSource;
}

/** Returns a function that gives each event as it is to be published at that time. Missing and unreadable members stay as they are. */
export function createRestamper({ keepsIds, ids }: RestampOptions): (fields: Members, wallTime: number) => Members {
  const renamed = new Map<string, string>();
  let latest = 0;

  /** Equal ids get equal new ids, so that a mistake in a recording stays a mistake. */
  function rename(id: unknown, prefix: string): unknown {
    if (typeof id !== "string" || !id.startsWith(prefix)) return id;
    const known = renamed.get(id) ?? `${prefix}${ids.hex(16)}`;
    renamed.set(id, known);
    return known;
  }

  return (fields, wallTime) => {
    latest = Math.max(latest, wallTime);
    const stamped = "timestamp" in fields ? { ...fields, timestamp: new Date(latest).toISOString() } : fields;
    if (keepsIds) return stamped;
    const prefixes = { event_id: "evt_", session_id: "sess_", reply_token: "rpl_" };
    const present = Object.entries(prefixes).filter(([name]) => fields[name] !== undefined);
    const own = membersOf(membersOf(fields.extensions).aaepd);
    const aaepd = { ...own, consent: rename(own.consent, "rpl_") };
    return {
      ...stamped,
      ...Object.fromEntries(present.map(([name, prefix]) => [name, rename(fields[name], prefix)])),
      ...(own.consent === undefined ? undefined : { extensions: { ...membersOf(fields.extensions), aaepd } }),
    };
  };
}

export type Pace =
  /** As fast as events are acknowledged. */
  | { readonly kind: "unpaced" }
  | { readonly kind: "rate"; readonly eventsPerSecond: number }
  /** As recorded, `speed` times as fast. */
  | { readonly kind: "recorded"; readonly speed: number };

/** Returns a function that gives, for each event in turn, the time when it is due, in ms after the first. */
export function createSchedule(pace: Pace): (fields: Members) => number {
  let count = 0;
  let firstAt: number | undefined;
  let dueMs = 0;
  return ({ timestamp }) => {
    if (pace.kind === "unpaced") return 0;
    if (pace.kind === "rate") {
      dueMs = (count * 1000) / pace.eventsPerSecond;
      count += 1;
      return dueMs;
    }
    const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
    if (Number.isNaN(at)) return dueMs;
    firstAt ??= at;
    dueMs = Math.max(dueMs, (at - firstAt) / pace.speed);
    return dueMs;
  };
}
