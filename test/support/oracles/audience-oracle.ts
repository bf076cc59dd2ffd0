// The audience that each question should have had (R6, R7, R28).
import { type AgentEvent, isTerminalKind, type JournaledEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import type { World } from "../rigs/delivery-world.js";

/** An agent's own way out of waiting cancels what it asked (AAEP §6.8, R6). */
function isWithdrawal(event: AgentEvent): boolean {
  return event.from_state === "awaiting_input" && (event.to_state === "thinking" || event.to_state === "deciding");
}

/** R6, R7, R28. */
export function audienceFaults(world: World): readonly string[] {
  const faults: string[] = [];
  const { entries, connections } = world;
  for (const [index, asked] of entries.entries()) {
    const { kind, event, epoch } = asked;
    if (kind !== "awaiting.confirmation" && kind !== "awaiting.clarification") continue;
    const isAble = (terms: Terms): boolean =>
      kind === "awaiting.confirmation" ? terms.supportsConfirmationReply : terms.supportsClarificationReply;
    const isOver = ({ event: other, kind: what, made }: JournaledEvent): boolean =>
      other.session_id === event.session_id &&
      (isTerminalKind(what) ||
        (other.producer.agent_id === event.producer.agent_id && (made === "resolution" || isWithdrawal(other))));
    // At the latest; where an agent asked several things, the first resolution may have been another's.
    const end = entries.findIndex((entry) => entry.epoch > epoch && isOver(entry));
    for (const connection of connections) {
      const { listener, eras, joinedAt, leftAt } = connection;
      const times = listener.received.flatMap((got, place) => (got.event.event_id === event.event_id ? [place] : []));
      if (times.length > 1) faults.push(`${event.event_id}: asked ${times.length} times`);
      for (const place of times) {
        const terms = eras.findLast(({ received }) => received <= place)?.terms;
        if (terms !== undefined && !isAble(terms)) faults.push(`${event.event_id}: asked of one who cannot answer`);
      }
      if (times.length > 0 || connection.everBlocked) continue;
      // Of those who took everything, whoever was able at some moment while it was open must have been asked.
      const openTo = end < 0 ? entries.length : end;
      const wasAble = eras.some(({ journaled, terms }, era) => {
        const until = eras[era + 1]?.journaled ?? leftAt ?? entries.length;
        return isAble(terms) && journaled <= index && until > index && joinedAt <= index && openTo > index;
      });
      if (wasAble) faults.push(`${event.event_id}: not asked of one who could answer`);
      const cameAble = eras.some(
        ({ journaled, terms }) => isAble(terms) && journaled > index + 1 && journaled <= openTo && end >= 0,
      );
      const stayed = leftAt === undefined || leftAt > index + 1;
      if (cameAble && stayed) faults.push(`${event.event_id}: not asked of one who came while it was open`);
    }
  }
  return faults;
}
