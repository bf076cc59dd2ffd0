// Chapter 6: questions and their ends.
import { fail, skip } from "../findings/verdicts.js";
import type { Message } from "../wire/conversation.js";
import {
  type Asked,
  ask,
  callsAfter,
  irreversibleCallAfter,
  isRejected,
  nextQuestion,
  resolves,
  staysOpen,
} from "./asked-question.js";
import {
  ANSWERS,
  clarificationReply,
  confirmationReply,
  isIrreversibleCall,
  questionIn,
  resolutionAfter,
} from "./asking.js";
import { lastListenerEnds } from "./last-listener.js";
import type { ActiveCase } from "./producer-case.js";
import { eventsOf, seekIn } from "./session-on.js";
import { evidenceOf, isType, QUIET_MS } from "./stage.js";

/** The longest timeout that a case waits for, ms. */
const LONGEST_TIMEOUT_MS = 5000;
/** By so much less may a question be open: timestamps may be of whole seconds. */
const EARLY_MS = 1000;

export const QUESTION_CASES: readonly ActiveCase[] = [
  {
    kind: "active",
    id: "P2-accept",
    title: "After an accept the producer invokes the tool.",
    paragraphs: ["AAEP §4.5.3", "AAEP §6.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const asked = await ask(stage);
      await resolves(asked, "accept");
      if ((await callsAfter(asked)).length === 0)
        fail("After an accept a tool.invoked comes.", "The session ended without one.", [
          { note: "received", text: JSON.stringify(asked.question) },
        ]);
    },
  },
  {
    kind: "active",
    id: "P2-reject",
    title: "After a reject the action is not taken, and an event tells that the producer goes on without it.",
    paragraphs: ["AAEP §6.1", "AAEP §4.5.3"],
    level: 2,
    severity: "error",
    run: async (stage) => {
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
  },
  {
    kind: "active",
    id: "P2-blocks",
    title: "While a confirmation is open the producer does not act on it.",
    paragraphs: ["AAEP §6.1", "AAEP §4.5.3"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const asked = await ask(stage);
      await stage.wait(QUIET_MS);
      const early = eventsOf(asked.listener, asked.sessionId).find(
        ({ message, place }) => place >= asked.after && isIrreversibleCall(message),
      );
      if (early !== undefined)
        fail("No irreversible tool is invoked before the reply.", "One was.", [evidenceOf(early)]);
      await resolves(asked, "reject");
    },
  },
  {
    kind: "active",
    id: "P2-timeout-default",
    title: "When the time of a question is over its default applies, and not before.",
    paragraphs: ["AAEP §6.4", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const asked = await ask(stage, "confirmation-short");
      const timeoutMs = shortTimeoutOf(asked);
      const resolved = await resolutionAfter(
        asked.listener,
        asked.sessionId,
        asked.after,
        timeoutMs + stage.patienceMs,
      );
      if (resolved?.message === undefined)
        return fail("After timeout_seconds an event tells that the default applies.", "None came.", [
          { note: "received", text: JSON.stringify(asked.question) },
        ]);
      // By the producer's own times: an arrival may be late.
      const lasted = instantOf(resolved.message) - instantOf(asked.question);
      if (lasted < timeoutMs - EARLY_MS)
        fail(`The question is open for ${timeoutMs} ms.`, `It was open for ${lasted} ms by its own timestamps.`, [
          { note: "received", text: JSON.stringify(asked.question) },
          evidenceOf(resolved),
        ]);
      const call = await irreversibleCallAfter(asked);
      if (asked.question.default_decision === "reject" && call !== undefined)
        fail("The default reject applies.", "The irreversible tool was invoked.", [evidenceOf(call)]);
    },
  },
  {
    kind: "active",
    id: "P2-late-reply",
    title: "A reply after the question's end does not count, also while another question is open.",
    paragraphs: ["AAEP §6.3.4", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const first = await ask(stage, "two-confirmations-short");
      const { listener, sessionId, after } = first;
      await resolutionAfter(listener, sessionId, after, shortTimeoutOf(first) + stage.patienceMs);
      const second = await nextQuestion(listener, sessionId, after);
      const reply = confirmationReply(listener, first.question, "accept");
      listener.conversation.say(reply);
      const expected = "A late accept brings about nothing.";
      await staysOpen(second, expected, reply);
      await isRejected(second, expected, reply);
    },
  },
  {
    kind: "active",
    id: "P2-resolution-told",
    title: "Another subscription that heard the question is told that it is resolved.",
    paragraphs: ["AAEP §5.9", "AAEP §6.7.2"],
    level: 2,
    severity: "warning",
    run: async (stage) => {
      const other = await stage.subscribe(ANSWERS);
      const asked = await ask(stage);
      const { place } = await questionIn(other, asked.sessionId, "confirmation");
      await resolves(asked, "reject");
      const told = await resolutionAfter(other, asked.sessionId, place + 1);
      if (told === undefined) fail("The other subscription hears the resolution.", "It hears nothing.");
    },
  },
  {
    kind: "active",
    id: "P2-clarification",
    title: "A clarification goes on after a reply of an accepted kind, and not after one of another type.",
    paragraphs: ["AAEP §6.5", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const listener = await stage.subscribe(ANSWERS);
      const { sessionId } = await stage.show("clarification", listener);
      const { message: question, place } = await questionIn(listener, sessionId, "clarification");
      const kinds = question.accepted_response_kinds;
      if (!Array.isArray(kinds) || kinds.join() !== "freetext")
        skip("The clarification accepts other kinds than freetext.");
      const wrong = clarificationReply(listener, question, 7);
      listener.conversation.say(wrong);
      await staysOpen(
        { listener, sessionId, question, after: place + 1 },
        "A number does not answer for a free text.",
        wrong,
      );
      const right = clarificationReply(listener, question, "2024");
      listener.conversation.say(right);
      if ((await resolutionAfter(listener, sessionId, place + 1)) === undefined)
        fail("After a valid response an event shows that the producer goes on.", "None came.", [
          { note: "sent", text: JSON.stringify(right) },
        ]);
    },
  },
  {
    kind: "active",
    id: "P2-choice",
    title: "A clarification by choices goes on after one of its values, and not after another.",
    paragraphs: ["AAEP §6.5", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const listener = await stage.subscribe(ANSWERS);
      const { sessionId } = await stage.show("choice", listener);
      const { message: question, place } = await questionIn(listener, sessionId, "clarification");
      const [choice] = Array.isArray(question.choices) ? (question.choices as readonly Message[]) : [];
      if (choice === undefined) skip("The clarification has no choices.");
      const wrong = clarificationReply(listener, question, "a value that is no choice");
      listener.conversation.say(wrong);
      await staysOpen({ listener, sessionId, question, after: place + 1 }, "Another value does not answer.", wrong);
      const right = clarificationReply(listener, question, choice.value);
      listener.conversation.say(right);
      if ((await resolutionAfter(listener, sessionId, place + 1)) === undefined)
        fail("After a choice an event shows that the producer goes on.", "None came.", [
          { note: "sent", text: JSON.stringify(right) },
        ]);
    },
  },
  {
    kind: "active",
    id: "P2-cancelled",
    title: "The question of a cancelled session is dead: a reply to it brings about nothing.",
    paragraphs: ["AAEP §6.8", "AAEP §9.4.4"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const listener = await stage.subscribe(ANSWERS);
      const { sessionId } = await stage.show("cancel-question", listener);
      const { message: question } = await questionIn(listener, sessionId, "confirmation");
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
    },
  },
  {
    kind: "active",
    id: "P2-vanish-default",
    title: "When the only subscription that was asked disconnects without a word, the question's default applies.",
    paragraphs: ["AAEP §8.2.5", "AAEP §5.8", "AAEP §5.8.2"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      if (stage.isShared) skip("All subscriptions share one connection.");
      await lastListenerEnds(stage, ({ conversation }) => conversation.vanish());
    },
  },
  {
    kind: "active",
    id: "P2-handoff",
    title: "A session that a person takes over has a handoff.requested.",
    paragraphs: ["AAEP §4.4.3", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const listener = await stage.subscribe(ANSWERS);
      const { sessionId } = await stage.show("handoff", listener);
      const handed = await listener.conversation.seek(
        (message) => isType(message, "handoff.requested") && message.session_id === sessionId,
      );
      if (handed === undefined) fail("A handoff.requested comes.", "None came.");
    },
  },
];

function shortTimeoutOf({ question }: Asked): number {
  const timeoutMs = Number(question.timeout_seconds) * 1000;
  return timeoutMs <= LONGEST_TIMEOUT_MS
    ? timeoutMs
    : skip(`The question's timeout is longer than ${LONGEST_TIMEOUT_MS / 1000} seconds.`);
}

function instantOf({ timestamp }: Message): number {
  return Date.parse(String(timestamp));
}
