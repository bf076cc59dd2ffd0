// Events in short, for scenarios.
import { readFileSync } from "node:fs";
import type { Part } from "./scenario.js";

const S = "sess_1";
const of = (kind: string, fields: Part): Part => ({ type: `aaep:agent.${kind}`, session_id: S, ...fields });

export const started = (more: Part = {}): Part => of("session.started", { summary_normal: "Begins.", ...more });
export const completed = (more: Part = {}): Part => of("session.completed", { summary_normal: "Done.", ...more });
export const errored = (more: Part = {}): Part =>
  of("session.errored", { error_category: "unknown", summary_normal: "Failed.", ...more });
export const state = (from: string, to: string, more: Part = {}): Part =>
  of("state.changed", { from_state: from, to_state: to, ...more });
export const progress = (percent: number, more: Part = {}): Part =>
  of("progress.updated", { progress: { percent }, ...more });
export const chunk = (text: string, complete = false, more: Part = {}): Part =>
  of("output.streaming", { chunk: text, complete, ...more });
export const invoked = (tool: string, more: Part = {}): Part =>
  of("tool.invoked", { tool, summary_normal: `Runs ${tool}.`, ...more });
export const returned = (tool: string, more: Part = {}): Part =>
  of("tool.completed", { tool, status: "success", ...more });
export const confirmation = (token: string, more: Part = {}): Part =>
  of("awaiting.confirmation", {
    action: "Delete it.",
    consequence: "It is gone.",
    reply_token: token,
    timeout_seconds: 60,
    default_decision: "reject",
    ...more,
  });
export const clarification = (token: string, more: Part = {}): Part =>
  of("awaiting.clarification", { question: "When?", reply_token: token, timeout_seconds: 60, ...more });

/** Members of the daemon's own extension, with its vocabulary. */
export const inExtension = (members: Part): Part => ({
  "@context": ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"],
  extensions: { aaepd: members },
});

export const ACCEPTED: Part = { type: "subscription.accepted" };
/** Everything, as it was published. */
export const RAW: Part = { capabilities: { coalesce_boundaries: ["none"] } };

/** A recording with the daemon's own time on its events. */
export function recording(name: string): readonly Part[] {
  const path = new URL(`../../examples/sessions/${name}.ndjson`, import.meta.url);
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { timestamp: _, ...event } = JSON.parse(line) as Part;
      return event;
    });
}
