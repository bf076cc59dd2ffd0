// The disk after a history of several runs, held against what was acknowledged (R3, R29).
import type { AgentEvent } from "../../../src/engine/event/event.js";

type Fields = Readonly<Record<string, unknown>>;
type OnDisk = readonly { readonly epoch: number; readonly event: AgentEvent }[];
type Acknowledged = ReadonlyMap<string, { readonly epoch: number; readonly event: Fields }>;

/** What the disk has: all that was acknowledged, at its place and once; one outcome a question; no action without a permission. */
export function diskFaults(disk: OnDisk, acknowledged: Acknowledged): readonly string[] {
  const faults: string[] = [];
  const byId = new Map<string, number>();
  const resolved = new Set<string>();
  const permits = new Map<string, number>();
  let last = 0;
  for (const { epoch, event } of disk) {
    if (epoch <= last) faults.push(`${event.event_id} stands at ${epoch} after ${last}`);
    last = epoch;
    if (byId.has(event.event_id)) faults.push(`${event.event_id} stands twice`);
    byId.set(event.event_id, epoch);
    const { question, decision: decided, decided_by: by } = event.extensions?.aaepd ?? {};
    if (decided !== undefined && resolved.has(String(question))) faults.push(`${question} has two outcomes`);
    if (decided !== undefined) resolved.add(String(question));
    const permit = decided === "accepted" && by === "reply" ? 1 : event.irreversible === true ? -1 : 0;
    const left = (permits.get(event.session_id) ?? 0) + permit;
    if (left < 0) faults.push(`${event.event_id} was not permitted`);
    permits.set(event.session_id, left);
  }
  for (const [id, { epoch }] of acknowledged)
    if (byId.get(id) !== epoch) faults.push(`${id} was acknowledged at ${epoch} and stands at ${byId.get(id)}`);
  return faults;
}
