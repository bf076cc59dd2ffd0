// Chapter 5: what passes filters and rates.
import type { Millis } from "../../../contracts/clock.js";
import type { ScenarioName } from "../../drive/driver.js";
import { fail, skip } from "../../findings/finding.js";
import { type Arrived, arrivedIn, type Conversation, evidenceOf, type Message } from "../../wire/conversation.js";
import { wordsOf } from "../../wire/message-text.js";
import { ANSWERS, clarificationReply, confirmationReply } from "../asked-question.js";
import { isTerminal } from "../hearing.js";
import { type ActiveCase, active } from "../producer-case.js";
import { DRAINING_MS, eventsOf, mostEvents, renegotiate, shownIfPossible } from "../session-on.js";
import { isCritical, isEvent, isType, type ProducerStage, type Subscription } from "../stage.js";

/** The critical types (AAEP §5.5.4), each with a scenario that has one. */
const CRITICAL: readonly (readonly [kind: string, scenario: ScenarioName])[] = [
  ["session.errored", "error"],
  ["handoff.requested", "handoff"],
  ["awaiting.confirmation", "confirmation"],
  ["awaiting.clarification", "clarification"],
];

/** So many held events may come before each critical one beyond those that the rate let go: they were on their way, or are a part of it. */
const ON_THEIR_WAY = 4;
/** A critical event that is held comes later than others by more, each time that it is shown, ms. */
const HELD_MS: Millis = 500;
/** A machine that is busy for a moment is not busy so many times at the same event. */
const TRIES = 3;

/** A critical event, as a subscription without bounds heard it. */
interface Heard {
  readonly witness: Subscription;
  readonly sessionId: string;
  readonly askedAt: Millis;
  readonly critical: Arrived;
  readonly isIt: (message: Message) => boolean;
}

/** Shows a critical event, and answers it if it is a question. Undefined: none came. The next session may begin when this resolves. */
async function showCritical(stage: ProducerStage, kind: string, scenario: ScenarioName): Promise<Heard | undefined> {
  const witness = await stage.subscribe(ANSWERS);
  const { conversation } = witness;
  const shown = await shownIfPossible(stage, scenario, witness);
  if (shown === undefined) return undefined;
  const { sessionId, askedAt } = shown;
  const isIt = (message: Message): boolean => message.session_id === sessionId && isType(message, kind);
  const critical = await conversation.seek(isIt, { withinMs: DRAINING_MS });
  if (critical === undefined) return undefined;
  if (kind === "awaiting.confirmation") conversation.say(confirmationReply(witness, critical.message, "reject"));
  if (kind === "awaiting.clarification") conversation.say(clarificationReply(witness, critical.message, "2024"));
  await conversation.seek((message) => message.session_id === sessionId && isTerminal(message));
  return { witness, sessionId, askedAt, critical, isIt };
}

/** From an event's timestamp to its arrival, ms. Where clocks differ, or stand in whole seconds, only differences of it tell anything. */
function lagOf({ startedAt }: Conversation, { at, message }: Arrived): Millis {
  return startedAt.wallTime + at - startedAt.at - Date.parse(wordsOf(message.timestamp));
}

/** By how much a critical event came later than the promptest other event, ms. Lower where timestamps have no fraction. */
function heldFor({ witness: { conversation }, critical }: Heard): Millis {
  const others = arrivedIn(conversation).filter(({ message }) => isEvent(message) && !isCritical(message));
  const least = Math.min(...others.map((one) => lagOf(conversation, one)).filter((lag) => !Number.isNaN(lag)));
  const coarse = /\.\d/.test(wordsOf(critical.message.timestamp)) ? 0 : 1000;
  return Number.isFinite(least) ? lagOf(conversation, critical) - least - coarse : 0;
}

export const CRITICAL_CASES: readonly ActiveCase[] = [
  active(
    "P3-critical-first",
    "No critical event is delayed, of whichever type: neither behind what a rate holds back, nor by itself.",
    ["AAEP §5.6.1", "AAEP §5.5.4", "AAEP §9.5.1"],
    async (stage) => {
      const paced = await stage.subscribe({ ...ANSWERS, max_events_per_second: 1 });
      const rate = Number(wordsOf(paced.honored.max_events_per_second ?? 1));
      let firstAskedAt: Millis | undefined;
      let produced = 0;
      let shows = 0;
      let judged = 0;
      // The tools of the first session fill what the rate holds back.
      const kinds = [["session.errored", "error-after-tools"] as const, ...CRITICAL.slice(1)];
      for (const [kind, scenario] of kinds) {
        let heldMs = Number.POSITIVE_INFINITY;
        for (let tries = 0; tries < TRIES && heldMs > HELD_MS; tries += 1) {
          const heard = await showCritical(stage, kind, scenario);
          if (heard === undefined) break;
          const { witness, sessionId, critical, isIt } = heard;
          firstAskedAt ??= heard.askedAt;
          shows += 1;
          produced += eventsOf(witness, sessionId).length;
          const toPaced = await paced.conversation.seek(isIt, { withinMs: DRAINING_MS });
          if (toPaced === undefined)
            fail(`${kind} comes to a subscription with a rate of 1 event/s.`, "It did not come.", [
              evidenceOf(critical),
            ]);
          heldMs = Math.min(heldMs, Math.max(toPaced.at - critical.at, heldFor(heard)));
          const most = mostEvents(paced.honored, rate, critical.at - firstAskedAt) + shows * ON_THEIR_WAY;
          if (produced <= most + 1) continue;
          judged += 1;
          const early = arrivedIn(paced.conversation).filter(
            ({ message, place }) => isEvent(message) && !isCritical(message) && place < toPaced.place,
          );
          if (early.length > most)
            fail(
              `At most ${most} events come before the critical one, at ${rate} events/s.`,
              `${early.length} came before it: what was held went out first.`,
              [...early.slice(-2).map(evidenceOf), evidenceOf(toPaced)],
            );
        }
        if (heldMs > HELD_MS && Number.isFinite(heldMs))
          fail(`${kind} is not held.`, `It comes ${Math.round(heldMs)} ms later than others, each time.`);
      }
      if (judged === 0) skip("No critical event came, or the sessions had too few events to tell, or took too long.");
    },
  ),
  active(
    "P3-critical-passes-filters",
    "A critical event of whichever type passes the filters, also after a renegotiation.",
    ["AAEP §5.5.4", "AAEP §9.5.1"],
    async (stage) => {
      const narrow = { include: ["aaep:agent.tool.*"], exclude: ["aaep:agent.session.*"] };
      const changed = await stage.subscribe(ANSWERS);
      await renegotiate(changed, { event_filters: narrow });
      const listeners = [
        await stage.subscribe({ ...ANSWERS, event_filters: narrow }),
        await stage.subscribe({ ...ANSWERS, event_filters: { include: ["aaep:agent.*"], exclude: ["aaep:agent.*"] } }),
        changed,
      ];
      let judged = 0;
      for (const [kind, scenario] of CRITICAL) {
        const heard = await showCritical(stage, kind, scenario);
        if (heard === undefined) continue;
        judged += 1;
        for (const { conversation } of listeners)
          if ((await conversation.seek(heard.isIt)) === undefined)
            fail(`${kind} comes, whatever the filters say.`, "It did not come.", [
              ...conversation.record.filter(({ way }) => way === "sent").map(evidenceOf),
              evidenceOf(heard.critical),
            ]);
      }
      if (judged === 0) skip("No session had a critical event.");
    },
  ),
];
