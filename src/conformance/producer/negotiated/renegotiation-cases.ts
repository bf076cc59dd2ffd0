// Chapter 5: renegotiation.
import type { ScenarioName } from "../../drive/driver.js";
import { fail, skip } from "../../findings/finding.js";
import { type Arrived, arrivedIn, evidenceOf, type Message, noted } from "../../wire/conversation.js";
import { wordsOf } from "../../wire/message-text.js";
import { clarificationReply, confirmationReply, resolutionOf } from "../asked-question.js";
import { type ActiveCase, active } from "../producer-case.js";
import {
  endOf,
  eventAfter,
  eventsOf,
  eventsToEnd,
  renegotiate,
  seekIn,
  shownIfPossible,
  textOf,
} from "../session-on.js";
import { answerIn, isAnswer, isCritical, isType, kindOf, type ProducerStage, QUIET_MS } from "../stage.js";
import { passes, widerTerm } from "./honored-terms.js";

/** Terms of which each member differs from its default. */
const FIRST: Message = {
  max_events_per_second: 20,
  preferred_verbosity: "detailed",
  languages: ["en", "fr"],
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  coalesce_boundaries: ["paragraph", "completion"],
  event_filters: { include: ["aaep:agent.session.*", "aaep:agent.tool.*"], exclude: ["aaep:agent.tool.completed"] },
  cognitive_load: "high",
  pace_wpm: 300,
};

/** Changes of one member each. */
const CHANGES: readonly Message[] = [
  { max_events_per_second: 10 },
  { preferred_verbosity: "terse" },
  { languages: ["fr"] },
  { supports_confirmation_reply: false },
  { supports_clarification_reply: false },
  { coalesce_boundaries: ["completion"] },
  { event_filters: { include: ["aaep:agent.session.*"], exclude: ["aaep:agent.session.started"] } },
  { cognitive_load: "medium" },
  { pace_wpm: 200 },
];

const LADDER = { coalesce_boundaries: ["sentence", "paragraph", "completion"] };

/** Changes that show in the events of a scenario. */
const SHOWN: readonly (readonly [scenario: ScenarioName, from: Message, to: Message])[] = [
  ["session", {}, { event_filters: { include: ["aaep:agent.session.*"], exclude: [] } }],
  ["text", { coalesce_boundaries: ["none"] }, { coalesce_boundaries: ["completion"] }],
  // A lower load means coarser boundaries, or fewer events.
  ["text", { ...LADDER, cognitive_load: "high" }, { ...LADDER, cognitive_load: "low" }],
  ["verbosity", { preferred_verbosity: "detailed" }, { preferred_verbosity: "terse" }],
  ["languages", { languages: ["en"] }, { languages: ["fr"] }],
];

const MALFORMED: readonly Message[] = [
  { capabilities: { event_filters: { include: "everything" } } },
  { capabilities: { max_events_per_second: "fast" } },
  { capabilities: { languages: 7 } },
  { capabilities: { coalesce_boundaries: "word" } },
  {},
];
/** The terms that must stand after each. */
const NARROW: Message = {
  max_events_per_second: 5,
  languages: ["en"],
  coalesce_boundaries: ["completion"],
  event_filters: { include: ["aaep:agent.tool.*"], exclude: [] },
};

/** The shape of the events of a session, which terms make: a line for each. */
function shapeOf(events: readonly Arrived[]): string {
  return events
    .map(({ message }) => {
      const { primary_language } = (message.localization_hints ?? {}) as Message;
      const texts = Object.entries(message).filter(([name]) => /^(?:summary_|chunk$|verbosity$)/.test(name));
      return JSON.stringify([kindOf(message), primary_language, ...texts.sort()]);
    })
    .join("\n");
}

/** Fails if a subscription whose terms were changed hears a scenario in another shape than one that has had them from its beginning. */
async function shapesAlike(stage: ProducerStage, [scenario, from, to]: (typeof SHOWN)[number]): Promise<boolean> {
  const changing = await stage.subscribe(from);
  const asking = await stage.subscribe(to);
  await renegotiate(changing, to);
  const shown = await shownIfPossible(stage, scenario, asking);
  if (shown === undefined) return false;
  await shown.done;
  for (const one of [asking, changing]) await endOf(one, shown.sessionId);
  const [seen, wanted] = [changing, asking].map((one) => shapeOf(eventsToEnd(one, shown.sessionId)));
  if (seen !== wanted)
    fail(`The terms ${JSON.stringify(to)} shape the events after their renegotiation.`, "The former terms do.", [
      noted("asked for by a renegotiation", seen ?? ""),
      noted("asked for at the beginning", wanted ?? ""),
    ]);
  return true;
}

/** Fails if a subscription that offers replies by a renegotiation is not asked, or not heard. */
async function isAskedThen(stage: ProducerStage, kind: "confirmation" | "clarification"): Promise<boolean> {
  const listener = await stage.subscribe({ [`supports_${kind}_reply`]: false });
  await renegotiate(listener, { [`supports_${kind}_reply`]: true });
  const shown = await shownIfPossible(stage, kind, listener);
  if (shown === undefined) return false;
  const question = await seekIn(listener, shown.sessionId, (message) => isType(message, `awaiting.${kind}`));
  if (question === undefined)
    return fail(`A subscription that offers ${kind} replies by a renegotiation is asked.`, "It is not.");
  const reply =
    kind === "confirmation"
      ? confirmationReply(listener, question.message, "reject")
      : clarificationReply(listener, question.message, "2024");
  listener.conversation.say(reply);
  if ((await resolutionOf({ listener, sessionId: shown.sessionId, after: question.place + 1 })) === undefined)
    fail("Its reply counts.", "No event tells that the producer goes on.", [noted("sent", reply)]);
  await endOf(listener, shown.sessionId);
  return true;
}

export const RENEGOTIATION_CASES: readonly ActiveCase[] = [
  active(
    "P3-renegotiate-answered",
    "A renegotiation is answered once, by subscription.accepted with the same subscription_id.",
    ["AAEP §5.7", "AAEP §9.5.1"],
    async (stage) => {
      const listener = await stage.subscribe({ max_events_per_second: 5 });
      const { accepted } = await renegotiate(listener, { max_events_per_second: 2 });
      if (accepted.subscription_id !== listener.id)
        fail("The subscription keeps its id.", `It is ${wordsOf(accepted.subscription_id)} now.`, [
          noted("received", accepted),
        ]);
      await stage.wait(QUIET_MS);
      const answers = arrivedIn(listener.conversation).filter(({ message }) => isAnswer(message));
      if (answers.length !== 2)
        fail("Each of two requests has one answer.", `${answers.length} came.`, answers.map(evidenceOf));
    },
  ),
  active(
    "P3-renegotiate-partial",
    "A renegotiation changes the named terms, and no others, and the honored ones are no wider than requested.",
    ["AAEP §5.7.1", "AAEP §5.4.4"],
    async (stage) => {
      const listener = await stage.subscribe(FIRST);
      let asked = FIRST;
      let before = listener.honored;
      for (const change of CHANGES) {
        asked = { ...asked, ...change };
        const { honored, accepted } = await renegotiate(listener, change);
        const wider = widerTerm(asked, honored);
        const others = Object.keys(FIRST).filter((name) => !(name in change));
        const lost = others.find((name) => JSON.stringify(honored[name]) !== JSON.stringify(before[name]));
        if (wider !== undefined || lost !== undefined)
          fail(
            "The named term is new, and the others are as they were.",
            wider ??
              `${lost} was ${JSON.stringify(before[lost ?? ""])}, and is ${JSON.stringify(honored[lost ?? ""])}.`,
            [noted("requested", change), noted("received", accepted)],
          );
        before = honored;
      }
    },
  ),
  active(
    "P3-renegotiate-applied",
    "Events after the answer to a renegotiation follow its terms, whichever they are.",
    ["AAEP §5.7.2", "AAEP §9.5.1", "AAEP §11.2.2"],
    async (stage) => {
      let judged = 0;
      for (const one of SHOWN) if (await shapesAlike(stage, one)) judged += 1;
      for (const kind of ["confirmation", "clarification"] as const) if (await isAskedThen(stage, kind)) judged += 1;
      if (judged === 0) skip("No scenario could be shown that terms shape.");
    },
  ),
  active(
    "P3-renegotiate-text",
    "No text is lost or told twice when the terms change within an output.",
    ["AAEP §5.7.2", "AAEP §8.2.4", "AAEP §8.2.3"],
    async (stage) => {
      const changing = await stage.subscribe({ coalesce_boundaries: ["completion"] });
      const witness = await stage.subscribe({ coalesce_boundaries: ["none"] });
      const { sessionId } = await stage.show("text", witness);
      await renegotiate(changing, { coalesce_boundaries: ["sentence", "completion"] });
      await renegotiate(changing, { coalesce_boundaries: ["word", "completion"] });
      const texts: string[] = [];
      for (const one of [witness, changing]) {
        await endOf(one, sessionId);
        texts.push(textOf(eventsOf(one, sessionId)));
      }
      const [whole, changed] = texts;
      if (whole === "") skip("No text came.");
      if (whole !== changed)
        fail("The text is whole.", "It differs from that of a subscription whose terms did not change.", [
          noted("terms changed", changed ?? ""),
          noted("terms not changed", whole ?? ""),
        ]);
    },
  ),
  active(
    "P3-renegotiate-malformed",
    "A renegotiation that cannot be read is answered, and does not widen the terms.",
    ["AAEP §5.7", "AAEP §9.5.1"],
    async (stage) => {
      const listeners = [];
      for (const malformed of MALFORMED) {
        const listener = await stage.subscribe(NARROW);
        const { conversation, id } = listener;
        const from = conversation.record.length;
        conversation.say({ type: "subscription.renegotiate", subscription_id: id, ...malformed });
        const { message, text, place } = await answerIn(conversation, from);
        const isAccepted = message.type === "subscription.accepted";
        const wider = isAccepted ? widerTerm(NARROW, (message.honored_capabilities ?? {}) as Message) : undefined;
        if (wider !== undefined)
          fail("Terms that cannot be read are not accepted, or change nothing.", wider, [
            noted("sent", malformed),
            noted("received", text),
          ]);
        listeners.push({ listener, from: place + 1 });
      }
      const [first] = listeners;
      if (first === undefined) return;
      await eventAfter(stage, first.listener, first.from);
      const wrong = listeners
        .flatMap(({ listener, from }) => arrivedIn(listener.conversation).filter(({ place }) => place >= from))
        .find(({ message }) => {
          const kind = kindOf(message);
          if (kind === undefined || isCritical(message)) return false;
          // The sum of a session that others have open passes filters.
          if ((message.extensions as { readonly aaepd?: Message } | undefined)?.aaepd?.summary === true) return false;
          return !passes(kind, NARROW.event_filters);
        });
      if (wrong !== undefined)
        fail("The former terms stand, or nothing comes.", "An event came that the former terms exclude.", [
          evidenceOf(wrong),
        ]);
    },
  ),
];
