// Chapter 6: questions and their ends.
import { fail, skip } from "../findings/finding.js";
import { evidenceOf, noted } from "../wire/conversation.js";
import { instantText, OTHER_INSTANTS, PLAIN_INSTANT } from "../wire/instant-forms.js";
import { wordsOf } from "../wire/message-text.js";
import {
  ANSWERS,
  type Asked,
  acceptedCallAfter,
  actionAfter,
  ask,
  confirmationReply,
  deadlineOf,
  doNotCount,
  followsDefault,
  isRejected,
  lastListenerEnds,
  questionIn,
  resolutionOf,
  resolves,
} from "./asked-question.js";
import { type ActiveCase, active, recommended } from "./producer-case.js";
import { eventsOf, seekIn, shownIfPossible } from "./session-on.js";
import { isType, type ProducerStage, QUIET_MS } from "./stage.js";

/** The longest timeout that a case waits for, ms. */
const LONGEST_TIMEOUT_MS = 5000;
/** By so much less may a question be open: timers are not exact. */
const EARLY_MS = 100;
/** The same by the suite's own clock: the question may have arrived late. */
const EARLY_ARRIVAL_MS = 500;
/** A part of the patience by which the end of a question may be late: the producer may be slow. */
const LATE_PART = 1 / 10;
/** A part of the question's own time by which its end may be late at most, however patient the run is. */
const MOST_LATE_PART = 1 / 2;
/** A timestamp that is so much before the end of its question's time is in time, ms. */
const JUST_IN_TIME_MS = 1000;
/** A reply that comes so much later than the end of its question's time is late, whatever the precision of its question's timestamp, ms. */
const LATE_REPLY_MS = 300;

export const QUESTION_CASES: readonly ActiveCase[] = [
  active(
    "P2-accept",
    "After an accept the producer invokes the tool, in whichever form the accept is dated.",
    ["AAEP §4.5.3", "AAEP §6.1", "AAEP §3.2.5"],
    async (stage) => {
      for (const form of OTHER_INSTANTS) {
        const asked = await ask(stage);
        // An instant without a fraction is to be no earlier than the question.
        if (form.digits === 0) await stage.wait(1000 - (Date.now() % 1000));
        await resolves(asked, "accept", { timestamp: instantText(Date.now(), form) });
        await acceptedCallAfter(asked);
      }
    },
  ),
  active(
    "P2-reject",
    "After a reject the action is not taken, and an event tells that the producer goes on without it.",
    ["AAEP §6.1", "AAEP §4.5.3"],
    async (stage) => {
      const asked = await ask(stage);
      const { listener, sessionId } = asked;
      const said = listener.conversation.record.length;
      await isRejected(asked, "After a reject no irreversible tool is invoked.");
      const [told] = eventsOf(listener, sessionId).filter(({ place }) => place > said);
      if (told !== undefined && isType(told.message, "session.completed"))
        fail("After a reject an event before the end tells of it.", "The session was completed without one.", [
          evidenceOf(told),
        ]);
    },
  ),
  active(
    "P2-blocks",
    "While a confirmation is open the producer does not act on it.",
    ["AAEP §6.1", "AAEP §4.5.3"],
    async (stage) => {
      const asked = await ask(stage);
      await stage.wait(QUIET_MS);
      await isRejected(asked, "The action is not taken while nobody has accepted it.");
    },
  ),
  active(
    "P2-timeout-default",
    "When the time of a question is over its default applies, and not before.",
    ["AAEP §6.4", "AAEP §9.4.1"],
    async (stage) => {
      const asked = await ask(stage, "confirmation-short");
      const timeoutMs = shortTimeoutOf(asked);
      const { listener, question, after } = asked;
      const resolved = await resolutionOf(asked, timeoutMs + stage.patienceMs);
      const evidence = [noted("received", question)];
      if (resolved === undefined)
        return fail("After timeout_seconds an event tells that the default applies.", "None came.", evidence);
      // By the producer's own times where they can be read and are exact: an arrival may be late.
      const times = [question, resolved.message].map(({ timestamp }) => wordsOf(timestamp));
      const [askedAt = Number.NaN, toldAt = Number.NaN] = times.map((text) => Date.parse(text));
      const arrived = resolved.at - (listener.conversation.record[after - 1]?.at ?? resolved.at);
      const isDated = !Number.isNaN(toldAt - askedAt);
      const isExact = isDated && times.every((text) => /\.\d/.test(text));
      const open = isDated ? toldAt - askedAt : arrived;
      const isEarly = isExact ? open < timeoutMs - EARLY_MS : arrived < timeoutMs - EARLY_ARRIVAL_MS;
      const lateMs = Math.min(stage.patienceMs * LATE_PART, timeoutMs * MOST_LATE_PART) + (isExact ? 0 : 1000);
      if (isEarly || open > timeoutMs + lateMs)
        fail(
          `The question is open for ${timeoutMs} ms.`,
          `It was open for ${isDated ? `${open} ms` : "an unknown time"} by its own timestamps, and for ${Math.round(arrived)} ms by its arrivals.`,
          [...evidence, evidenceOf(resolved)],
        );
      await followsDefault(asked);
    },
  ),
  active(
    "P2-late-reply",
    "A reply after the question's end does not count: not right after it, not with an earlier timestamp, and not while another question is open.",
    ["AAEP §6.3.4", "AAEP §9.4.1"],
    async (stage) => {
      const first = await ask(stage, "two-confirmations-short");
      const { listener, question } = first;
      await stage.wait(shortTimeoutOf(first) + LATE_REPLY_MS);
      const atOnce = confirmationReply(listener, question, "accept");
      listener.conversation.say(atOnce);
      const second = await questionIn(first);
      const timestamp = instantText(deadlineOf(question) - JUST_IN_TIME_MS, PLAIN_INSTANT);
      const replies = [{}, { timestamp }].map((more) => confirmationReply(listener, question, "accept", more));
      const expected = "A late accept brings about nothing.";
      await doNotCount(second, expected, replies);
      const call = await actionAfter(first, second.after);
      if (call !== undefined) fail(expected, "The action was taken.", [noted("sent", atOnce), evidenceOf(call)]);
    },
  ),
  recommended(
    "P2-resolution-told",
    "Another subscription that heard the question is told that it is resolved.",
    ["AAEP §5.9", "AAEP §6.7.2"],
    async (stage) => {
      const other = await stage.subscribe(ANSWERS);
      const asked = await ask(stage);
      const askedOther = await questionIn({ ...asked, listener: other, after: 0 });
      await resolves(asked, "reject");
      const told = await resolutionOf(askedOther);
      if (told === undefined) fail("The other subscription hears the resolution.", "It hears nothing.");
    },
  ),
  active(
    "P2-cancelled",
    "A question that is withdrawn, alone or with its session, is dead: a reply to it brings about nothing.",
    ["AAEP §6.8", "AAEP §9.4.4"],
    async (stage) => {
      const { listener, sessionId, question } = await ask(stage, "cancel-question");
      const { conversation } = listener;
      const cancelled = await seekIn(listener, sessionId, (message) => isType(message, "session.cancelled"));
      if (cancelled === undefined) skip("The session was not cancelled.");
      conversation.say(confirmationReply(listener, question, "accept"));
      const after = await conversation.seek((message) => message.session_id === sessionId, {
        withinMs: QUIET_MS,
        from: cancelled.place + 1,
      });
      if (after !== undefined)
        fail("After the cancellation nothing of the session comes.", "An event came.", [evidenceOf(after)]);
      await withdrawnIsDead(stage);
    },
  ),
  active(
    "P2-vanish-default",
    "When the only subscription that was asked disconnects without a word, the question's default applies.",
    ["AAEP §8.2.5", "AAEP §5.8", "AAEP §5.8.2"],
    async (stage) => {
      if (stage.links.isShared) skip("All subscriptions share one connection.");
      await lastListenerEnds(stage, ({ conversation }) => conversation.vanish());
    },
  ),
  active(
    "P2-handoff",
    "A session that a person takes over has a handoff.requested.",
    ["AAEP §4.4.3", "AAEP §9.4.1"],
    async (stage) => {
      const listener = await stage.subscribe(ANSWERS);
      const { sessionId } = await stage.show("handoff", listener);
      const handed = await listener.conversation.seek(
        (message) => isType(message, "handoff.requested") && message.session_id === sessionId,
      );
      if (handed === undefined) fail("A handoff.requested comes.", "None came.");
    },
  ),
];

function shortTimeoutOf({ question }: Asked): number {
  const timeoutMs = Number(wordsOf(question.timeout_seconds)) * 1000;
  return timeoutMs <= LONGEST_TIMEOUT_MS
    ? timeoutMs
    : skip(`The question's timeout is longer than ${LONGEST_TIMEOUT_MS / 1000} seconds.`);
}

/** A question whose session goes on without it. A producer need not be able to withdraw one. */
async function withdrawnIsDead(stage: ProducerStage): Promise<void> {
  const listener = await stage.subscribe(ANSWERS);
  const shown = await shownIfPossible(stage, "withdraw-question", listener);
  if (shown === undefined) return;
  const asked = await questionIn({ stage, listener, sessionId: shown.sessionId });
  const withdrawn = await resolutionOf(asked);
  if (withdrawn === undefined) return;
  const reply = confirmationReply(listener, asked.question, "accept");
  listener.conversation.say(reply);
  const call = await actionAfter({ ...asked, after: withdrawn.place });
  if (call !== undefined)
    fail("A question that was withdrawn cannot be answered.", "The action was taken.", [
      noted("sent", reply),
      evidenceOf(call),
    ]);
}
