// Tells that an agent is still at work of which nothing has been heard for a while: after 30 seconds, then each time after twice as long.
import type { Envelope } from "#gen/aaep/types.js";
import { textOf } from "../../base/members.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import { counted } from "./amounts.js";
import { coreTopicOf, endsSession } from "./event-text.js";

const FIRST_MS = 30_000;
/** Sessions that are watched at a time. */
const MOST_WATCHED = 1024;

export type SignsOfLife = ReturnType<typeof createSignsOfLife>;

interface Watched {
  event: Envelope;
  silentSince: Millis;
  nextMs: Millis;
  cancel: () => void;
}

/** `tell` gets the latest event of the session, and words such as "still working, 30 seconds". */
export function createSignsOfLife(
  clock: Pick<Clock, "now" | "wakeAt">,
  tell: (event: Envelope, words: string) => void,
) {
  const watched = new Map<string, Watched>();

  function watch(one: Watched): void {
    one.cancel = clock.wakeAt(one.silentSince + one.nextMs, () => {
      const silentMs = clock.now() - one.silentSince;
      // Something was heard meanwhile.
      if (silentMs < one.nextMs) return watch(one);
      one.nextMs = 2 * silentMs;
      watch(one);
      const seconds = Math.round(silentMs / 1000);
      const span = seconds < 60 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute");
      tell(one.event, `still working, ${span}`);
    });
  }

  function forget(id: string): void {
    watched.get(id)?.cancel();
    watched.delete(id);
  }

  return {
    /** Takes each event. `isHeard`: the person hears something of it. */
    heard: (event: Envelope, isHeard: boolean) => {
      const { session_id: id } = event;
      if (isAtRest(event)) return forget(id);
      const known = watched.get(id);
      if (known === undefined) {
        if (watched.size >= MOST_WATCHED) return;
        const one = { event, silentSince: clock.now(), nextMs: FIRST_MS, cancel: () => {} };
        watched.set(id, one);
        watch(one);
        return;
      }
      known.event = event;
      if (!isHeard) return;
      known.silentSince = clock.now();
      if (known.nextMs === FIRST_MS) return;
      known.nextMs = FIRST_MS;
      known.cancel();
      watch(known);
    },
    close: (): void => {
      for (const id of [...watched.keys()]) forget(id);
    },
  };
}

/** It has ended, or waits for a person or for its next task. */
function isAtRest(event: Envelope): boolean {
  if (endsSession(event) || /^(?:awaiting|handoff)\./.test(coreTopicOf(event) ?? "")) return true;
  return ["idle", "awaiting_input", "handing_off"].includes(textOf(event.to_state));
}
