// The events of a measurement: a session that streams one answer, and critical events between.
import { randomBytes } from "node:crypto";

/** Stands in the text of every piece of the answer, and of no other event. */
export const CHUNK_MARK = Buffer.from('"chunk":"The daemon');
/** Stands in the text of every critical event, and of no other. */
export const ALARM_MARK = Buffer.from("bench.example/types/alarm");

const CORE = "aaep:agent.";
const CHUNK = "The daemon carries what an agent says to everybody who listens, each on terms of their own. ";

export interface EventTexts {
  readonly started: () => string;
  /** The next piece of the answer, about 500 bytes. */
  readonly chunk: () => string;
  /** A critical event of an extension's type, which no rule of order concerns. */
  readonly alarm: () => string;
}

/** The texts of one session. They are complete, so that a daemon passes them on unchanged (R2). */
export function createEventTexts(): EventTexts {
  const session = `sess_${randomBytes(8).toString("hex")}`;
  const salt = randomBytes(11).toString("hex");
  let count = 0;
  let position = 0;
  const event = (type: string, urgency: string, members: object): string => {
    count += 1;
    return JSON.stringify({
      "@context": "https://aaep-protocol.org/context/v1",
      type,
      event_id: `evt_${salt}${String(count).padStart(10, "0")}`,
      session_id: session,
      timestamp: new Date().toISOString(),
      producer: { agent_id: "aaepd-bench", agent_version: "1.0.0" },
      urgency,
      ...members,
      localization_hints: { primary_language: "en-US" },
    });
  };
  return {
    started: () => event(`${CORE}session.started`, "normal", { summary_normal: "The measurement begins." }),
    chunk: () => {
      const at = position;
      position += CHUNK.length;
      return event(`${CORE}output.streaming`, "normal", {
        chunk: CHUNK,
        position: at,
        complete: false,
        output_id: "out_1",
      });
    },
    alarm: () => event("https://bench.example/types/alarm", "critical", {}),
  };
}

/** The request of a listener that wants every piece as it was published. */
export const SUBSCRIPTION_REQUEST = JSON.stringify({
  type: "subscription.request",
  aaep_version: "1.0.0",
  subscriber_id: "aaepd-bench",
  capabilities: { coalesce_boundaries: ["none"], event_filters: { include: [`${CORE}output.streaming`] } },
});
