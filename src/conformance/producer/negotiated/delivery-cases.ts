// Chapter 5: rates, filters, languages and verbosity.
import type { ScenarioName } from "../../drive/driver.js";
import { fail, skip } from "../../findings/finding.js";
import { type Arrived, arrivedIn, evidenceOf, type Message, noted } from "../../wire/conversation.js";
import { wordsOf } from "../../wire/message-text.js";
import { ANSWERS, actionAfter } from "../asked-question.js";
import { type ActiveCase, active, recommended } from "../producer-case.js";
import { CORE_KINDS } from "../schema-faults.js";
import {
  DRAINING_MS,
  endOf,
  eventsOf,
  eventsToEnd,
  heardBy,
  mostEvents,
  renegotiate,
  sessionEnd,
  shownToEnd,
} from "../session-on.js";
import { isCritical, isEvent, isType, kindOf, type ProducerStage, type Subscription } from "../stage.js";
import { passes } from "./honored-terms.js";

/** The rate that the flood exceeds, events/s. */
const RATE = 5;
/** The shortest time from which a rate is judged, ms. */
const SHORTEST_MS = 10_000;

const EXCLUDING: readonly Message[] = [
  { exclude: ["aaep:agent.tool.*"] },
  { exclude: ["aaep:agent.state.changed"] },
  { include: ["aaep:agent.*"], exclude: ["aaep:agent.session.started"] },
  { include: ["aaep:agent.tool.*", "aaep:agent.session.*"], exclude: ["aaep:agent.tool.completed"] },
];
const INCLUDING: readonly Message[] = [
  { include: ["aaep:agent.session.*"] },
  { include: ["aaep:agent.tool.invoked", "aaep:agent.session.completed"] },
  { include: ["aaep:agent.state.changed", "aaep:agent.session.*"], exclude: [] },
];

/** Languages as a subscriber orders them, and the one of the scenario that it gets (AAEP §11.1.3). */
const CHAINS: readonly (readonly [languages: readonly string[], got: "fr" | "en"])[] = [
  [["fr"], "fr"],
  [["en"], "en"],
  [["fr", "en"], "fr"],
  [["en", "fr"], "en"],
  [["fr-CA"], "fr"],
  [["tlh", "fr"], "fr"],
];

/** Fails unless each filter lets through what it names, and nothing else. */
async function filtersAreKept(stage: ProducerStage, filters: readonly Message[]): Promise<void> {
  const heard = await heardBy(stage, "session", [...filters.map((event_filters) => ({ event_filters })), {}]);
  const all = heard.at(-1)?.events ?? [];
  if (!all.some(({ message }) => isType(message, "tool.invoked"))) skip("The session called no tool.");
  const kinds = new Set(all.map(({ message }) => kindOf(message)).filter((kind) => kind !== undefined));
  for (const [index, { events }] of heard.slice(0, -1).entries()) {
    const event_filters = filters[index] ?? {};
    const note = noted("event_filters", event_filters);
    const wrong = events.find(({ message }) => {
      const kind = kindOf(message) ?? "";
      return CORE_KINDS.has(kind) && !isCritical(message) && !passes(kind, event_filters);
    });
    if (wrong !== undefined) fail("No event comes that the filters leave out.", "One came.", [note, evidenceOf(wrong)]);
    const missing = [...kinds].find(
      (kind) => passes(kind, event_filters) && !events.some(({ message }) => isType(message, kind)),
    );
    if (missing !== undefined)
      fail("The events come that the filters let through.", `No ${missing} came.`, [note, evidenceOf(all.at(-1))]);
  }
}

/** Fails if a subscription got more events than its rate allows since an instant. From a place on, its terms have the rate. */
function rateIsKept({ conversation }: Subscription, honored: Message, since: number, from: number): boolean {
  const rate = Number(wordsOf(honored.max_events_per_second ?? RATE));
  const counted = arrivedIn(conversation).filter(
    ({ message, place }) => place >= from && isEvent(message) && !isCritical(message),
  );
  const [first, last] = [counted[0], counted.at(-1)];
  // From before the first event was sent to after the last one was: lateness of either end can only help.
  const lasted = (last?.at ?? since) - since;
  if (lasted < SHORTEST_MS) return false;
  const most = mostEvents(honored, rate, lasted);
  if (counted.length > most)
    fail(
      `In ${Math.round(lasted)} ms at most ${most} events come, at ${rate} events/s.`,
      `${counted.length} events came.`,
      [evidenceOf(first), evidenceOf(last)],
    );
  return true;
}

/** The kinds of events of a scenario that a subscription hears. */
async function kindsHeard(
  stage: ProducerStage,
  listener: Subscription,
  scenario: ScenarioName,
): Promise<readonly string[]> {
  const sessionId = await shownToEnd(stage, scenario, listener);
  return [...new Set(eventsToEnd(listener, sessionId).map(({ message }) => wordsOf(message.type)))];
}

export const DELIVERY_CASES: readonly ActiveCase[] = [
  active(
    "P3-rate",
    "Events that are not critical come at the honored rate at most, also at one that was renegotiated.",
    ["AAEP §5.3.1.1", "AAEP §5.6.1", "AAEP §5.7.2", "AAEP §9.5.1"],
    async (stage) => {
      const listener = await stage.subscribe({ max_events_per_second: RATE });
      const changed = await stage.subscribe({ max_events_per_second: 20 * RATE });
      const { honored, after } = await renegotiate(changed, { max_events_per_second: RATE });
      const { sessionId, askedAt, done } = await stage.show("flood", listener);
      await done;
      await endOf(listener, sessionId, DRAINING_MS);
      await sessionEnd(changed, sessionId, DRAINING_MS);
      const judged = [rateIsKept(listener, listener.honored, askedAt, 0), rateIsKept(changed, honored, askedAt, after)];
      if (!judged.includes(true))
        skip(`The events came within less than ${SHORTEST_MS} ms, which is too short to judge a rate.`);
    },
  ),
  active(
    "P3-filter-exclude",
    "Events that exclude names do not come, and others do.",
    ["AAEP §5.3.1.7", "AAEP §9.5.1"],
    (stage) => filtersAreKept(stage, EXCLUDING),
  ),
  active(
    "P3-filter-include",
    "Events that include does not name do not come, and others do.",
    ["AAEP §5.3.1.7", "AAEP §9.5.1"],
    (stage) => filtersAreKept(stage, INCLUDING),
  ),
  active(
    "P3-language",
    "A subscriber gets the summaries in its language where the producer has them.",
    ["AAEP §5.3.1.3", "AAEP §9.5.1", "AAEP §11.2", "AAEP §11.1.3"],
    async (stage) => {
      const listeners: Subscription[] = [];
      for (const [languages] of CHAINS) listeners.push(await stage.subscribe({ languages }));
      const [french, english] = listeners;
      if (french === undefined || english === undefined) return;
      const { sessionId, done } = await stage.show("languages", english);
      await done;
      const honored = french.honored.languages;
      if (Array.isArray(honored) && !honored.includes("fr")) skip("The producer does not honor French.");
      for (const listener of listeners) await endOf(listener, sessionId);
      for (const kind of ["session.started", "session.completed"]) {
        const each = listeners.map(
          (one) =>
            eventsOf(one, sessionId).find(({ message }) => isType(message, kind))?.message ??
            skip(`No ${kind} came to a subscription.`),
        );
        const spoken = (event: Message = {}, language: string): unknown =>
          event[`summary_normal_${language}`] ?? event.summary_normal;
        const texts = { fr: spoken(each[0], "fr"), en: spoken(each[1], "en") };
        for (const [index, [languages, got]] of CHAINS.entries()) {
          const event = each[index] ?? {};
          const label = (event.localization_hints as Message | undefined)?.primary_language;
          const isLabelled = event[`summary_normal_${got}`] !== undefined || wordsOf(label).split("-")[0] === got;
          if (spoken(event, got) !== texts[got] || texts.fr === texts.en || !isLabelled)
            fail(
              `A subscriber of ${languages.join(", ")} gets the summary in ${got}, and is told so.`,
              "It does not.",
              [noted("received", event)],
            );
        }
      }
    },
  ),
  recommended(
    "P3-verbosity",
    "A subscriber gets the summaries of its verbosity where the producer has them.",
    ["AAEP §5.3.1.2", "AAEP §9.5.1"],
    async (stage) => {
      for (const verbosity of ["terse", "detailed"]) {
        const [heard] = await heardBy(stage, "verbosity", [{ preferred_verbosity: verbosity }]);
        const started = heard?.events.find(({ message }) => isType(message, "session.started"));
        if (started === undefined) skip("No session.started came.");
        const { message } = started;
        const isLabelled = message.verbosity === undefined || message.verbosity === verbosity;
        if (message[`summary_${verbosity}`] === undefined || !isLabelled)
          fail(`The ${verbosity} summary comes, and verbosity names it.`, "It does not.", [evidenceOf(started)]);
      }
    },
  ),
  active(
    "P3-verbosity-keeps-events",
    "No event is left out because of the verbosity.",
    ["AAEP §2.2.8", "AAEP §5.3.1.2"],
    (stage) =>
      keepsEvents(
        stage,
        "verbosity",
        ["terse", "detailed"].map((preferred_verbosity) => ({ preferred_verbosity })),
      ),
  ),
  active(
    "P3-language-keeps-events",
    "No event is left out because it is not in the subscriber's language.",
    ["AAEP §11.2", "AAEP §5.3.1.3"],
    (stage) => keepsEvents(stage, "session", [{ languages: ["tlh"] }]),
  ),
  active(
    "P3-not-asked",
    "A subscription that cannot answer is not kept waiting by a question, and no action is taken that nobody has accepted.",
    ["AAEP §5.3.1.4", "AAEP §5.5.4"],
    async (stage) => {
      // §5.3.1.4 keeps the event from such a subscription, and §5.5.4 sends it critical events always. Either behaviour passes.
      const silent = await stage.subscribe({ supports_confirmation_reply: false });
      const { sessionId, done } = await stage.show("confirmation", silent);
      const isOver = await Promise.race([done.then(() => true), stage.wait(stage.patienceMs)]);
      const wasAsked = eventsOf(silent, sessionId).some(({ message }) => isType(message, "awaiting.confirmation"));
      if (isOver !== true && !wasAsked)
        fail("The default applies at once.", `The session did not go on within ${stage.patienceMs} ms.`);
      if (wasAsked) return;
      // The question, which has not come, is about a risk: its default is reject (§6.4.1).
      const call = await actionAfter({ stage, listener: silent, sessionId, question: {}, after: 0 });
      if (call !== undefined) fail("The default reject applies.", "The action was taken.", [evidenceOf(call)]);
    },
  ),
  active(
    "P3-independent",
    "A subscription that is slow, or narrow, takes nothing from another.",
    ["AAEP §5.9"],
    async (stage) => {
      const free = await stage.subscribe();
      const before = await kindsHeard(stage, free, "session");
      const narrow = {
        event_filters: { include: ["aaep:agent.session.*"], exclude: [] },
        preferred_verbosity: "terse",
        languages: ["tlh"],
        cognitive_load: "low",
      };
      await stage.subscribe(narrow);
      await renegotiate(await stage.subscribe(), narrow);
      const after = await kindsHeard(stage, free, "session");
      const lost = before.find((type) => !after.includes(type));
      if (lost !== undefined)
        fail("A subscription hears what it heard before others came.", `It hears no ${lost} any more.`);
      const slow = await stage.subscribe({ ...ANSWERS, max_events_per_second: 1 });
      const { sessionId, done } = await stage.show("many-tools", free);
      await done;
      // By order: when the slow one has its sixth event, several seconds after the session's end, the other has the end.
      const events = (one: Subscription): readonly Arrived[] => eventsOf(one, sessionId);
      for (let waited = 0; events(slow).length < 6 && waited < DRAINING_MS; waited += 100) await stage.wait(100);
      if (events(slow).length < 6) skip("The slow subscription did not hear enough of the session.");
      if ((await sessionEnd(free, sessionId)) === undefined)
        fail(
          "The other subscription has heard the session to its end.",
          "It has not.",
          events(free).slice(-1).map(evidenceOf),
        );
    },
  ),
];

/** Fails if a subscription with one of the terms hears other events of a scenario than one without. */
async function keepsEvents(stage: ProducerStage, scenario: ScenarioName, terms: readonly Message[]): Promise<void> {
  const heard = await heardBy(stage, scenario, [...terms, {}]);
  const all = heard.at(-1)?.events ?? [];
  const typesOf = (events: readonly Arrived[]): string => events.map(({ message }) => wordsOf(message.type)).join("\n");
  for (const [index, { events }] of heard.entries())
    if (typesOf(events) !== typesOf(all))
      fail("A subscription with these terms gets the same events.", "It gets others.", [
        { note: JSON.stringify(terms[index]), text: typesOf(events) },
        noted("no terms", typesOf(all)),
      ]);
}
