// Chapter 5: rates, boundaries, filters, and what passes them.
import { fail, skip } from "../findings/verdicts.js";
import type { Message } from "../wire/conversation.js";
import { ANSWERS } from "./asking.js";
import { isTerminal } from "./hearing.js";
import type { ActiveCase } from "./producer-case.js";
import { type Arrived, endOf, eventsOf, eventsToEnd, sessionEnd, textOf } from "./session-on.js";
import { evidenceOf, isCritical, isEvent, isType, kindOf, type ProducerStage, type Subscription } from "./stage.js";

type About = Pick<ActiveCase, "id" | "title" | "paragraphs"> & Partial<Pick<ActiveCase, "severity">>;

function delivery(about: About, run: ActiveCase["run"]): ActiveCase {
  return { kind: "active", level: 3, severity: "error", ...about, run };
}

/** The rate that the flood exceeds, events/s. */
const RATE = 5;
/** The shortest time from which a rate is judged, ms. */
const SHORTEST_MS = 10_000;
/** Longest time from a scenario's end to its last event, ms: text of the flood may still be held at the rate. */
const DRAINING_MS = 30_000;
/** So many held events may come before a critical one beyond those that the rate let go: they were on their way. */
const ON_THEIR_WAY = 4;

/** A scenario as one subscription hears it to its end. */
async function heard(
  stage: ProducerStage,
  scenario: Parameters<ProducerStage["show"]>[0],
  capabilities: Message,
): Promise<{ readonly listener: Subscription; readonly events: readonly Arrived[] }> {
  const listener = await stage.subscribe(capabilities);
  const { sessionId, done } = await stage.show(scenario, listener);
  await done;
  await endOf(listener, sessionId, DRAINING_MS);
  return { listener, events: eventsOf(listener, sessionId) };
}

/** The session "session", as a filtered subscription and one without filters hear it. */
async function heardFiltered(
  stage: ProducerStage,
  event_filters: Message,
): Promise<{ readonly events: readonly Arrived[]; readonly all: readonly Arrived[] }> {
  const filtered = await stage.subscribe({ event_filters });
  const witness = await stage.subscribe();
  const { sessionId, done } = await stage.show("session", witness);
  await done;
  await endOf(witness, sessionId);
  await sessionEnd(filtered, sessionId);
  return { events: untilEnd(eventsOf(filtered, sessionId)), all: eventsOf(witness, sessionId) };
}

/** The events up to the session's end. P1-nothing-after-end alone judges the others, because an event may or may not have come when a case ends. */
function untilEnd(events: readonly Arrived[]): readonly Arrived[] {
  const end = events.findIndex(({ message }) => isTerminal(message));
  return end === -1 ? events : events.slice(0, end + 1);
}

export const DELIVERY_CASES: readonly ActiveCase[] = [
  delivery(
    {
      id: "P3-rate",
      title: "Events that are not critical come at the honored rate at most.",
      paragraphs: ["AAEP §5.3.1.1", "AAEP §5.6.1", "AAEP §9.5.1"],
    },
    async (stage) => {
      const listener = await stage.subscribe({ max_events_per_second: RATE });
      const { sessionId, askedAt, done } = await stage.show("flood", listener);
      await done;
      await endOf(listener, sessionId, DRAINING_MS);
      const rate = Number(listener.honored.max_events_per_second ?? RATE);
      const counted = listener.conversation.record.filter(
        ({ way, message }) => way === "received" && message !== undefined && isEvent(message) && !isCritical(message),
      );
      const [first, last] = [counted[0], counted.at(-1)];
      // From before the first event was sent to after the last one was: lateness of either end can only help.
      const lasted = (last?.at ?? askedAt) - askedAt;
      if (lasted < SHORTEST_MS)
        skip(`The events came within less than ${SHORTEST_MS} ms, which is too short to judge a rate.`);
      const most = mostEvents(rate, burstOf(listener.honored, rate), lasted);
      if (counted.length > most)
        fail(
          `In ${Math.round(lasted)} ms at most ${most} events come, at ${rate} events/s.`,
          `${counted.length} events came.`,
          [evidenceOf(first), evidenceOf(last)],
        );
    },
  ),
  delivery(
    {
      id: "P3-critical-first",
      title: "A critical event is not delayed behind what the rate holds back.",
      paragraphs: ["AAEP §5.6.1", "AAEP §5.5.4", "AAEP §9.5.1"],
    },
    async (stage) => {
      const paced = await stage.subscribe({ max_events_per_second: 1 });
      const free = await stage.subscribe();
      const { sessionId, askedAt } = await stage.show("error-after-tools", free);
      const isError = (message: Message): boolean =>
        message.session_id === sessionId && isType(message, "session.errored");
      const toFree = await free.conversation.seek(isError, { withinMs: DRAINING_MS });
      if (toFree === undefined) skip("The session did not end by an error.");
      const toPaced = await paced.conversation.seek(isError, { withinMs: DRAINING_MS });
      if (toPaced === undefined)
        fail("The error comes to a subscription with a rate of 1 event/s.", "It did not come.", [evidenceOf(toFree)]);
      // By order: the rate lets go of some events while the session lasts, and everything beyond is held.
      const rate = Number(paced.honored.max_events_per_second ?? 1);
      const most = mostEvents(rate, burstOf(paced.honored, rate), toFree.at - askedAt) + ON_THEIR_WAY;
      if (eventsOf(free, sessionId).length <= most + 1)
        skip("The session had too few events to tell, or took too long.");
      const early = eventsOf(paced, sessionId).filter(
        ({ place, message }) => place < toPaced.place && !isCritical(message),
      );
      if (early.length > most)
        fail(
          `At most ${most} events come before the critical one, at ${rate} events/s.`,
          `${early.length} came before it: what was held went out first.`,
          [...early.slice(-2).map(evidenceOf), evidenceOf(toPaced)],
        );
    },
  ),
  delivery(
    {
      id: "P3-critical-passes-filters",
      title: "A critical event passes the filters.",
      paragraphs: ["AAEP §5.5.4", "AAEP §9.5.1"],
    },
    async (stage) => {
      const filtered = await stage.subscribe({
        event_filters: { include: ["aaep:agent.tool.*"], exclude: ["aaep:agent.session.*"] },
      });
      const free = await stage.subscribe();
      const { sessionId } = await stage.show("error", free);
      const isError = (message: Message): boolean =>
        message.session_id === sessionId && isType(message, "session.errored");
      if ((await free.conversation.seek(isError)) === undefined) skip("The session did not end by an error.");
      if ((await filtered.conversation.seek(isError)) === undefined)
        fail("session.errored comes, whatever the filters say.", "It did not come.");
    },
  ),
  delivery(
    {
      id: "P3-filter-exclude",
      title: "Events that exclude names do not come, and others do.",
      paragraphs: ["AAEP §5.3.1.7", "AAEP §9.5.1"],
    },
    async (stage) => {
      const { events, all } = await heardFiltered(stage, { exclude: ["aaep:agent.tool.*"] });
      if (!all.some(({ message }) => isType(message, "tool.invoked"))) skip("The session called no tool.");
      const wrong = events.find(
        ({ message }) => isType(message, "tool.invoked", "tool.completed") && !isCritical(message),
      );
      if (wrong !== undefined) fail("No event of a tool comes.", "One came.", [evidenceOf(wrong)]);
      if (!events.some(({ message }) => isType(message, "session.completed")))
        fail("session.completed comes.", "It did not come.", [evidenceOf(all.at(-1))]);
    },
  ),
  delivery(
    {
      id: "P3-filter-include",
      title: "Events that include does not name do not come.",
      paragraphs: ["AAEP §5.3.1.7", "AAEP §9.5.1"],
    },
    async (stage) => {
      const { events, all } = await heardFiltered(stage, { include: ["aaep:agent.session.*"] });
      const wrong = events.find(({ message }) => !kindOf(message)?.startsWith("session.") && !isCritical(message));
      if (wrong !== undefined) fail("Only events of agent.session come.", "Another came.", [evidenceOf(wrong)]);
      if (!events.some(({ message }) => isType(message, "session.completed")))
        fail("session.completed comes.", "It did not come.", [evidenceOf(all.at(-1))]);
    },
  ),
  delivery(
    {
      id: "P3-text-whole",
      title: "The chunks of an output, joined, are its text, whatever the boundaries.",
      paragraphs: ["AAEP §5.6.3", "AAEP §4.3.3", "AAEP §8.2.4"],
    },
    async (stage) => {
      const wishes = [["none"], ["sentence", "completion"], ["completion"]];
      const listeners: Subscription[] = [];
      for (const coalesce_boundaries of wishes) listeners.push(await stage.subscribe({ coalesce_boundaries }));
      const [first] = listeners;
      if (first === undefined) return;
      const { sessionId } = await stage.show("text", first);
      const texts: string[] = [];
      for (const listener of listeners) {
        await endOf(listener, sessionId);
        texts.push(textOf(eventsOf(listener, sessionId)));
      }
      if (texts.every((text) => text === "")) skip("No text came.");
      if (new Set(texts).size > 1)
        fail(
          "Each subscription gets the same text.",
          "The texts differ.",
          texts.map((text, index) => ({ note: `boundaries ${wishes[index]?.join()}`, text })),
        );
    },
  ),
  delivery(
    {
      id: "P3-boundary-sentence",
      title: "A subscriber of sentences does not get pieces of sentences.",
      paragraphs: ["AAEP §5.3.1.6", "AAEP §5.6.3", "AAEP §9.5.1"],
      // §4.3.3 lets a producer leave the merging to the subscriber, and §9.5.1 does not.
      severity: "warning",
    },
    async (stage) => {
      const { listener, events } = await heard(stage, "text", { coalesce_boundaries: ["sentence", "completion"] });
      const honored = listener.honored.coalesce_boundaries;
      if (Array.isArray(honored) && !honored.includes("sentence")) skip("The producer does not honor sentences.");
      const chunks = events.filter(({ message }) => isType(message, "output.streaming"));
      if (chunks.length === 0) skip("No text came.");
      // A piece that ends within a word is none of a sentence in any language with spaces.
      const cut = chunks.find(
        ({ message }, index) =>
          index < chunks.length - 1 &&
          /\p{L}$/u.test(String(message.chunk)) &&
          /^\p{L}/u.test(String(chunks[index + 1]?.message.chunk)),
      );
      if (cut !== undefined) fail("No chunk ends within a word.", "One does.", [evidenceOf(cut)]);
      const hinted = chunks.find(
        ({ message }) =>
          message.coalesce_hint !== undefined && !["sentence", "completion"].includes(String(message.coalesce_hint)),
      );
      if (hinted !== undefined)
        fail("The hint of each chunk is among the honored boundaries.", "One is not.", [evidenceOf(hinted)]);
    },
  ),
  delivery(
    {
      id: "P3-boundary-completion",
      title: "A subscriber of completions gets each output once, when it is complete.",
      paragraphs: ["AAEP §5.3.1.6"],
      severity: "warning",
    },
    async (stage) => {
      const { events } = await heard(stage, "text", { coalesce_boundaries: ["completion"] });
      const chunks = events.filter(({ message }) => isType(message, "output.streaming"));
      if (chunks.length === 0) skip("No text came.");
      const open = chunks.filter(({ message }) => message.complete !== true);
      if (open.length > 0) fail("Every chunk completes its output.", "One does not.", [evidenceOf(open[0])]);
    },
  ),
  delivery(
    {
      id: "P3-language",
      title: "A subscriber gets the summaries in its language where the producer has them.",
      paragraphs: ["AAEP §5.3.1.3", "AAEP §9.5.1", "AAEP §11.2"],
    },
    async (stage) => {
      const wishes = [["fr"], ["en"], ["fr", "en"], ["en", "fr"]];
      const listeners: Subscription[] = [];
      for (const languages of wishes) listeners.push(await stage.subscribe({ languages }));
      const [french, english] = listeners;
      if (french === undefined || english === undefined) return;
      const { sessionId, done } = await stage.show("languages", english);
      await done;
      const honored = french.honored.languages;
      if (Array.isArray(honored) && !honored.includes("fr")) skip("The producer does not honor French.");
      for (const listener of listeners) await endOf(listener, sessionId);
      const ends = listeners.map(
        (one) => completedIn(eventsOf(one, sessionId)) ?? skip("The session was not completed."),
      );
      const spoken = (event: Message, language: string): unknown =>
        event[`summary_normal_${language}`] ?? event.summary_normal;
      const [inFrench, inEnglish] = [spoken(ends[0] ?? {}, "fr"), spoken(ends[1] ?? {}, "en")];
      for (const [index, [first = ""] = []] of wishes.entries()) {
        const event = ends[index] ?? {};
        const wanted = first === "fr" ? inFrench : inEnglish;
        const label = (event.localization_hints as Message | undefined)?.primary_language;
        const isLabelled = event[`summary_normal_${first}`] !== undefined || String(label).split("-")[0] === first;
        if (spoken(event, first) !== wanted || inFrench === inEnglish || !isLabelled)
          fail(
            `A subscriber of ${wishes[index]?.join(", ")} gets the summary in ${first}, and is told so.`,
            "It does not.",
            [{ note: "received", text: JSON.stringify(event) }],
          );
      }
    },
  ),
  delivery(
    {
      id: "P3-verbosity",
      title: "A subscriber gets the summaries of its verbosity where the producer has them.",
      paragraphs: ["AAEP §5.3.1.2", "AAEP §9.5.1"],
      severity: "warning",
    },
    async (stage) => {
      for (const verbosity of ["terse", "detailed"]) {
        const { events } = await heard(stage, "verbosity", { preferred_verbosity: verbosity });
        const started = events.find(({ message }) => isType(message, "session.started"));
        if (started === undefined) skip("No session.started came.");
        const { message } = started;
        const isLabelled = message.verbosity === undefined || message.verbosity === verbosity;
        if (message[`summary_${verbosity}`] === undefined || !isLabelled)
          fail(`The ${verbosity} summary comes, and verbosity names it.`, "It does not.", [evidenceOf(started)]);
      }
    },
  ),
  delivery(
    {
      id: "P3-verbosity-keeps-events",
      title: "No event is left out because of the verbosity.",
      paragraphs: ["AAEP §2.2.8", "AAEP §5.3.1.2"],
    },
    (stage) => keepsEvents(stage, "verbosity", { preferred_verbosity: "terse" }),
  ),
  delivery(
    {
      id: "P3-language-keeps-events",
      title: "No event is left out because it is not in the subscriber's language.",
      paragraphs: ["AAEP §11.2", "AAEP §5.3.1.3"],
    },
    (stage) => keepsEvents(stage, "session", { languages: ["tlh"] }),
  ),
  delivery(
    {
      id: "P3-not-asked",
      title: "A subscription that cannot answer is not kept waiting by a question.",
      paragraphs: ["AAEP §5.3.1.4", "AAEP §5.5.4"],
    },
    async (stage) => {
      // §5.3.1.4 keeps the event from such a subscription, and §5.5.4 sends it critical events always. Either behaviour passes.
      const silent = await stage.subscribe({ supports_confirmation_reply: false });
      const { sessionId, done } = await stage.show("confirmation", silent);
      const isOver = await Promise.race([done.then(() => true), stage.wait(stage.patienceMs)]);
      const wasAsked = eventsOf(silent, sessionId).some(({ message }) => isType(message, "awaiting.confirmation"));
      if (isOver !== true && !wasAsked)
        fail("The default applies at once.", `The session did not go on within ${stage.patienceMs} ms.`);
    },
  ),
  delivery(
    {
      id: "P3-independent",
      title: "A subscription that is slow does not slow another.",
      paragraphs: ["AAEP §5.9"],
    },
    async (stage) => {
      const slow = await stage.subscribe({ ...ANSWERS, max_events_per_second: 1 });
      const free = await stage.subscribe();
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

/** Fails if a subscription with the terms hears other events of a scenario than one without. */
async function keepsEvents(
  stage: ProducerStage,
  scenario: Parameters<ProducerStage["show"]>[0],
  capabilities: Message,
): Promise<void> {
  const particular = await stage.subscribe(capabilities);
  const plain = await stage.subscribe();
  const { sessionId, done } = await stage.show(scenario, plain);
  await done;
  await endOf(plain, sessionId);
  await sessionEnd(particular, sessionId);
  const [few = "", all = ""] = [particular, plain].map((one) =>
    eventsToEnd(one, sessionId)
      .map(({ message }) => String(message.type))
      .join("\n"),
  );
  if (few !== all)
    fail("A subscription with these terms gets the same events.", "It gets others.", [
      { note: JSON.stringify(capabilities), text: few },
      { note: "no terms", text: all },
    ]);
}

/** The most events that a token bucket lets go of in a time. */
function mostEvents(rate: number, burst: number, lastedMs: number): number {
  return Math.floor((rate * lastedMs) / 1000 + burst);
}

/** The capacity of the bucket, events. The chapter names none: one second's worth, and 1 at least. A producer of aaepd may announce less. */
function burstOf(honored: Message, rate: number): number {
  const { limits } = (honored.aaepd ?? {}) as Message;
  const { burst } = (limits ?? {}) as Message;
  return Math.min(Math.max(1, rate), typeof burst === "number" ? burst : Number.POSITIVE_INFINITY);
}

function completedIn(events: readonly Arrived[]): Message | undefined {
  return events.find(({ message }) => isType(message, "session.completed"))?.message;
}
