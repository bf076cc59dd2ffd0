// The session that is begun in one run and goes on in the next, what is published in it, and how its listeners come back.
import { type EngineRig, type Listener, type Received, session } from "./engine-rig.js";

export const S = "sess_1";

/** Begins it, and answers its resume token. */
export function begin(run: Pick<EngineRig, "agent">): string {
  return String(run.agent.publish([{ fields: session(S).started() }], false).resumeToken);
}

/** An event that stands for itself, `evt_<name>`. */
export const note = (name: string, id = S): Readonly<Record<string, unknown>> => ({
  ...session(id).invoked("look", `call_${name}`),
  event_id: `evt_${name}`,
});

/** The last place that a listener was told: what its client names when it comes back. */
export const placeOf = ({ subscription }: Listener): string | undefined => subscription.cursor();

export const ids = (received: readonly Received[]): readonly string[] => received.map(({ event }) => event.event_id);
