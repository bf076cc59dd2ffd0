// Chapter 6: the replies that count, and the replies that do not.
import { fail, skip } from "../findings/verdicts.js";
import type { Message } from "../wire/conversation.js";
import {
  type Asked,
  ask,
  irreversibleCallAfter,
  isRejected,
  nextQuestion,
  resolves,
  staysOpen,
} from "./asked-question.js";
import { ANSWERS, confirmationReply, questionIn, resolutionAfter } from "./asking.js";
import type { ActiveCase } from "./producer-case.js";
import { type Arrived, eventsOf } from "./session-on.js";
import { evidenceOf, isType, QUIET_MS } from "./stage.js";

/** A reply that must not count, and the rule by which it does not. */
function ignored(about: Pick<ActiveCase, "id" | "title" | "paragraphs">, wrong: (asked: Asked) => Message): ActiveCase {
  return {
    kind: "active",
    ...about,
    level: 2,
    severity: "error",
    run: async (stage) => {
      const asked = await ask(stage);
      const reply = wrong(asked);
      asked.listener.conversation.say(reply);
      await staysOpen(asked, about.title, reply);
      await isRejected(asked, about.title, reply);
    },
  };
}

export const REPLY_CASES: readonly ActiveCase[] = [
  {
    kind: "active",
    id: "P2-first-reply-wins",
    title: "The first valid reply counts, and a later one with the same token does not, whoever sends it.",
    paragraphs: ["AAEP §6.3.5", "AAEP §6.7.1", "AAEP §5.9", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const other = await stage.subscribe(ANSWERS);
      const asked = await ask(stage);
      const { conversation } = asked.listener;
      const heardByOther = await questionIn(other, asked.sessionId, "confirmation");
      conversation.say(confirmationReply(asked.listener, asked.question, "reject"));
      conversation.say(confirmationReply(asked.listener, asked.question, "accept"));
      const resolved = await resolutionAfter(asked.listener, asked.sessionId, asked.after);
      const toldOther = await resolutionAfter(other, asked.sessionId, heardByOther.place + 1);
      if (resolved === undefined) fail("The first reply counts.", "No event tells of it.");
      conversation.say(confirmationReply(asked.listener, asked.question, "accept"));
      other.conversation.say(confirmationReply(other, heardByOther.message, "accept"));
      await stage.wait(QUIET_MS);
      const leaves = ({ message }: Arrived): boolean =>
        isType(message, "state.changed") && message.from_state === "awaiting_input";
      const again = [
        ...eventsOf(asked.listener, asked.sessionId).filter(({ place }) => place > resolved.place),
        ...eventsOf(other, asked.sessionId).filter(({ place }) => toldOther !== undefined && place > toldOther.place),
      ].find(leaves);
      if (again !== undefined)
        fail("A question is resolved once.", "It was resolved again.", [evidenceOf(resolved), evidenceOf(again)]);
      const call = await irreversibleCallAfter(asked);
      if (call !== undefined)
        fail("After a reject a later accept does not count.", "The irreversible tool was invoked.", [evidenceOf(call)]);
    },
  },
  {
    kind: "active",
    id: "P2-token-replayed",
    title: "The token of an earlier question answers no later one.",
    paragraphs: ["AAEP §6.2", "AAEP §6.3.4"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const first = await ask(stage, "two-confirmations");
      await resolves(first, "reject");
      const second = await nextQuestion(first.listener, first.sessionId, first.after);
      const reply = confirmationReply(first.listener, first.question, "accept");
      first.listener.conversation.say(reply);
      const expected = "A reply with the token of the first question does not answer the second.";
      await staysOpen(second, expected, reply);
      await isRejected(second, expected, reply);
    },
  },
  ignored(
    {
      id: "P2-token-unknown",
      title: "A reply with an unknown token is ignored.",
      paragraphs: ["AAEP §6.3.4", "AAEP §9.4.1"],
    },
    ({ listener, question }) => confirmationReply(listener, question, "accept", { reply_token: "rpl_0000unknown0000" }),
  ),
  ignored(
    {
      id: "P2-decision-unknown",
      title: "A reply with a decision that is not among allowed_replies is ignored.",
      paragraphs: ["AAEP §6.3.4"],
    },
    ({ listener, question }) => confirmationReply(listener, question, "postpone"),
  ),
  ignored(
    {
      id: "P2-reply-malformed",
      title: "A reply without a decision is ignored.",
      paragraphs: ["AAEP §6.3.1", "AAEP §6.3.4"],
    },
    ({ listener, question }) => {
      const { decision: _, ...rest } = confirmationReply(listener, question, "accept");
      return rest;
    },
  ),
  ignored(
    {
      id: "P2-reply-undated",
      title: "A reply without a timestamp is ignored.",
      paragraphs: ["AAEP §6.3.1", "AAEP §6.3.4"],
    },
    ({ listener, question }) => {
      const { timestamp: _, ...rest } = confirmationReply(listener, question, "accept");
      return rest;
    },
  ),
  ignored(
    {
      id: "P2-reply-dated-late",
      title: "A reply whose timestamp is after the question's timeout is ignored.",
      paragraphs: ["AAEP §6.3.4"],
    },
    ({ listener, question }) => {
      const late = Date.parse(String(question.timestamp)) + Number(question.timeout_seconds) * 1000 + 60_000;
      if (Number.isNaN(new Date(late).getTime())) skip("The question has no timestamp or no timeout that can be read.");
      return confirmationReply(listener, question, "accept", { timestamp: new Date(late).toISOString() });
    },
  ),
  {
    kind: "active",
    id: "P2-reply-silence",
    title: "The sender of a reply that fails is not told which check failed.",
    paragraphs: ["AAEP §6.3.4"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const asked = await ask(stage);
      const { conversation } = asked.listener;
      await stage.wait(QUIET_MS);
      // Types that come unprovoked tell nothing of a reply.
      const unprovoked = new Set(conversation.record.map(({ message }) => message?.type));
      const answers: (readonly string[])[] = [];
      for (const wrong of [{ reply_token: "rpl_0000unknown0000" }, { decision: "postpone" }]) {
        const from = conversation.record.length;
        conversation.say(confirmationReply(asked.listener, asked.question, "accept", wrong));
        await stage.wait(QUIET_MS);
        const came = conversation.record.slice(from).filter(({ way }) => way === "received");
        // Notices that are the same for every reason tell nothing; tokens and places may differ.
        answers.push(
          came.flatMap(({ message }) =>
            message === undefined || "event_id" in message || unprovoked.has(message.type) ? [] : [toldBy(message)],
          ),
        );
      }
      if (JSON.stringify(answers[0]) !== JSON.stringify(answers[1]))
        fail(
          "Replies that fail for different reasons are answered in the same way.",
          "They are answered differently.",
          [
            { note: "an unknown token", text: JSON.stringify(answers[0]) },
            { note: "an unknown decision", text: JSON.stringify(answers[1]) },
          ],
        );
      await resolves(asked, "reject");
    },
  },
];

function toldBy({
  reply_token: _token,
  subscription_id: _id,
  timestamp: _at,
  cursor: _cursor,
  ...rest
}: Message): string {
  return JSON.stringify(rest);
}
