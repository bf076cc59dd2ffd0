// Chapter 3: whether agent_id identifies anybody.

import type { Evidence } from "../findings/finding.js";
import { fail } from "../findings/verdicts.js";
import { evidenceOf, type Message } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { type HeardEvent, heardSessions } from "./hearing.js";
import { watching } from "./producer-case.js";
import type { Heard } from "./stage.js";

export const AGENT_ID_CASE = watching(
  "P1-agent-id-stable",
  "agent_id stays: it is not another one on most events, nor in most sessions of one scenario, and names no version.",
  ["AAEP §3.2.6.1"],
  "No session of three events came.",
  (heard) => {
    let judged = 0;
    for (const { events } of heardSessions(heard)) {
      const named = events.filter(({ event }) => agentOf(event) !== undefined);
      if (named.length < FEWEST_ALIKE) continue;
      judged += 1;
      if (areOthers(named)) fail("An agent_id stays.", "The events of a session have others.", evidenceOfTwo(named));
      const dated = named.find(({ event }) => namesVersion((event.producer ?? {}) as Message));
      if (dated !== undefined)
        fail("An agent_id is the same in each version.", "It has the agent_version in it.", [
          evidenceOf(dated.recorded),
        ]);
    }
    for (const firsts of firstsByScenario(heard).values()) {
      if (firsts.length < FEWEST_ALIKE) continue;
      if (areOthers(firsts))
        fail("An agent_id stays.", "The sessions of one scenario have others.", evidenceOfTwo(firsts));
    }
    return judged;
  },
);

/** So many events, or sessions of one scenario, have different agents by no chance. */
const FEWEST_ALIKE = 3;

/** More than every second event, or session, has an agent of its own: no team of agents takes turns like that. */
function areOthers(events: readonly HeardEvent[]): boolean {
  return new Set(events.map(({ event }) => agentOf(event))).size > Math.max(events.length / 2, FEWEST_ALIKE - 1);
}

function namesVersion({ agent_id: id, agent_version: version }: Message): boolean {
  return typeof version === "string" && version.includes(".") && wordsOf(id).includes(version);
}

function agentOf({ producer }: Message): unknown {
  return ((producer ?? {}) as Message).agent_id;
}

function evidenceOfTwo(events: readonly HeardEvent[]): readonly Evidence[] {
  return events.slice(0, 2).map(({ recorded }) => evidenceOf(recorded));
}

/** The first event with an agent_id of each session that is surely a scenario's, by scenario. */
function firstsByScenario(heard: Heard): ReadonlyMap<string, readonly HeardEvent[]> {
  const seen = new Set<string>();
  const firsts = new Map<string, HeardEvent[]>();
  for (const { sessionId, events, isOwn } of heardSessions(heard)) {
    const scenario = heard.shown.get(sessionId)?.scenario;
    const first = events.find(({ event }) => agentOf(event) !== undefined);
    if (!isOwn || scenario === undefined || first === undefined || seen.has(sessionId)) continue;
    seen.add(sessionId);
    firsts.set(scenario, [...(firsts.get(scenario) ?? []), first]);
  }
  return firsts;
}
