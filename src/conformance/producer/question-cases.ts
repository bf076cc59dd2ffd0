// Chapter 6: confirmations and clarifications.
import { fail, skip } from "../findings/verdicts.js";
import type { Message } from "../wire/conversation.js";
import { ANSWERS, clarificationReply, confirmationReply, questionIn, resolutionAfter } from "./asking.js";
import type { ActiveCase, WatchingCase } from "./producer-case.js";
import { eventsOf, evidenceOf, isType, PATIENCE_MS, type ProducerStage, QUIET_MS, type Subscription } from "./stage.js";
import { eachEvent, eachSession } from "./watching.js";

export const QUESTION_WATCHERS: readonly WatchingCase[] = [
  eachEvent(
    {
      id: "P2-token-form",
      title: "reply_token is rpl_ with 1 to 64 letters and digits.",
      paragraphs: ["AAEP §6.2"],
      level: 2,
      unseen: "No question came.",
    },
    (event) => {
      if (!isType(event, "awaiting.confirmation", "awaiting.clarification")) return "not judged";
      return /^rpl_[A-Za-z0-9]{1,64}$/.test(String(event.reply_token)) ? undefined : "A reply_token has another form.";
    },
  ),
  {
    kind: "watching",
    id: "P2-token-unique",
    title: "No two questions have the same reply_token.",
    paragraphs: ["AAEP §6.2"],
    level: 2,
    severity: "error",
    unseen: "No two questions came.",
    judge: (conversations) => {
      const asked = new Map<unknown, { readonly text: string; readonly eventId: unknown }>();
      for (const { record } of conversations)
        for (const { way, text, message } of record) {
          if (
            way !== "received" ||
            message === undefined ||
            !isType(message, "awaiting.confirmation", "awaiting.clarification")
          )
            continue;
          const known = asked.get(message.reply_token);
          if (known !== undefined && known.eventId !== message.event_id)
            fail("No two questions have the same reply_token.", "Two questions have the same reply_token.", [
              { note: "received", text: known.text },
              { note: "received", text },
            ]);
          asked.set(message.reply_token, { text, eventId: message.event_id });
        }
      return Math.max(0, asked.size - 1);
    },
  },
  eachEvent(
    {
      id: "P2-default-reject",
      title: "The default of an irreversible action of high or medium risk is reject.",
      paragraphs: ["AAEP §6.4.1", "AAEP §4.4.1"],
      level: 2,
      unseen: "No confirmation of an irreversible action of high or medium risk was asked for.",
    },
    (event) => {
      const isIrreversible = event.irreversible === true || event.reversibility === "irreversible";
      const isRisky = event.risk_level === "high" || event.risk_level === "medium";
      if (!isType(event, "awaiting.confirmation") || !isIrreversible || !isRisky) return "not judged";
      return event.default_decision === "reject" ? undefined : `The default is ${String(event.default_decision)}.`;
    },
  ),
  eachSession(
    {
      id: "P2-irreversible-asked",
      title: "Every irreversible tool.invoked follows a question of its session.",
      paragraphs: ["AAEP §4.3.3", "AAEP §9.4.1"],
      level: 2,
      unseen: "No irreversible tool was invoked before a subscriber that answers.",
    },
    ({ events, isFromBeginning, isFiltered }) => {
      let questions = 0;
      let judged = 0;
      for (const [place, { event }] of events.entries()) {
        if (isType(event, "awaiting.confirmation")) questions += 1;
        if (!isType(event, "tool.invoked") || event.irreversible !== true || !isFromBeginning || isFiltered) continue;
        // A subscription that cannot answer is not asked, and hears a state.changed instead.
        const wasTold = events.slice(0, place).some(({ event: before }) => before.to_state === "awaiting_input");
        judged += 1;
        if (questions === 0 && !wasTold)
          return { seen: "An irreversible tool was invoked, and nobody was asked.", places: [place] };
        questions -= 1;
      }
      return judged === 0 ? "not judged" : undefined;
    },
  ),
];

interface Asked {
  readonly listener: Subscription;
  readonly sessionId: string;
  readonly question: Message;
  /** The place behind the question. */
  readonly after: number;
}

async function ask(
  stage: ProducerStage,
  scenario: "confirmation" | "confirmation-short" | "two-confirmations" = "confirmation",
  listener?: Subscription,
): Promise<Asked> {
  const one = listener ?? (await stage.subscribe(ANSWERS));
  const { sessionId } = await stage.show(scenario, one);
  const { message, place } = await questionIn(one, sessionId, "confirmation");
  return { listener: one, sessionId, question: message, after: place + 1 };
}

/** Fails if the question is resolved while the case is quiet. */
async function staysOpen({ listener, sessionId, after }: Asked, expected: string, because: Message): Promise<void> {
  const resolved = await resolutionAfter(listener, sessionId, after, QUIET_MS);
  if (resolved !== undefined)
    fail(expected, "The producer went on.", [{ note: "sent", text: JSON.stringify(because) }, evidenceOf(resolved)]);
}

/** Answers, and fails if the producer does not go on. */
async function resolves({ listener, sessionId, question, after }: Asked, decision: string): Promise<Message> {
  const reply = confirmationReply(listener, question, decision);
  listener.conversation.say(reply);
  const resolved = await resolutionAfter(listener, sessionId, after, PATIENCE_MS);
  if (resolved?.message === undefined)
    return fail(`After a reply "${decision}" an event shows that the producer goes on.`, "No such event came.", [
      { note: "sent", text: JSON.stringify(reply) },
    ]);
  return resolved.message;
}

/** The tool calls of a session that came after the question. */
async function callsAfter({ listener, sessionId, after }: Asked): Promise<readonly Message[]> {
  await listener.conversation.seek(
    (message) =>
      message.session_id === sessionId && isType(message, "session.completed", "session.errored", "session.cancelled"),
    PATIENCE_MS,
    after,
  );
  return eventsOf(listener, sessionId).flatMap(({ message, place }) =>
    place >= after && message !== undefined && isType(message, "tool.invoked") ? [message] : [],
  );
}

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
      await resolves(asked, "reject");
    },
  };
}

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
      const told = await resolves(asked, "reject");
      const calls = await callsAfter(asked);
      if (isType(told, "tool.invoked") || calls.some(({ irreversible }) => irreversible === true))
        fail("After a reject no irreversible tool is invoked.", "One was invoked.", [
          { note: "received", text: JSON.stringify(calls[0] ?? told) },
        ]);
      if (isType(told, "session.completed"))
        fail("After a reject an event before the end tells of it.", "The session was completed without one.");
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
        ({ message, place }) => place >= asked.after && message !== undefined && isType(message, "tool.invoked"),
      );
      if (early !== undefined) fail("No tool is invoked before the reply.", "One was.", [evidenceOf(early)]);
      await resolves(asked, "reject");
    },
  },
  {
    kind: "active",
    id: "P2-timeout-default",
    title: "When the time of a question is over its default applies.",
    paragraphs: ["AAEP §6.4", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const asked = await ask(stage, "confirmation-short");
      const timeout = Number(asked.question.timeout_seconds) * 1000;
      if (!(timeout <= 5000)) skip("The question's timeout is longer than 5 seconds.");
      const resolved = await resolutionAfter(asked.listener, asked.sessionId, asked.after, timeout + PATIENCE_MS);
      if (resolved === undefined)
        fail("After timeout_seconds an event tells that the default applies.", "None came.", [
          { note: "received", text: JSON.stringify(asked.question) },
        ]);
      const calls = await callsAfter(asked);
      if (asked.question.default_decision === "reject" && calls.some(({ irreversible }) => irreversible === true))
        fail("The default reject applies.", "The irreversible tool was invoked.", [
          { note: "received", text: JSON.stringify(calls[0]) },
        ]);
    },
  },
  {
    kind: "active",
    id: "P2-late-reply",
    title: "A reply after the question's end does not count.",
    paragraphs: ["AAEP §6.3.4", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const asked = await ask(stage, "confirmation-short");
      const timeout = Number(asked.question.timeout_seconds) * 1000;
      if (!(timeout <= 5000)) skip("The question's timeout is longer than 5 seconds.");
      await resolutionAfter(asked.listener, asked.sessionId, asked.after, timeout + PATIENCE_MS);
      const reply = confirmationReply(asked.listener, asked.question, "accept");
      const { conversation } = asked.listener;
      const from = conversation.record.length;
      conversation.say(reply);
      const acted = await conversation.seek((message) => isType(message, "tool.invoked"), QUIET_MS, from);
      if (acted !== undefined)
        fail("A late accept brings about nothing.", "A tool was invoked after it.", [
          { note: "sent", text: JSON.stringify(reply) },
          evidenceOf(acted),
        ]);
    },
  },
  {
    kind: "active",
    id: "P2-first-reply-wins",
    title: "The first valid reply counts, and a later one with the same token does not.",
    paragraphs: ["AAEP §6.3.5", "AAEP §5.9", "AAEP §9.4.1"],
    level: 2,
    severity: "error",
    run: async (stage) => {
      const asked = await ask(stage);
      const { conversation } = asked.listener;
      conversation.say(confirmationReply(asked.listener, asked.question, "reject"));
      conversation.say(confirmationReply(asked.listener, asked.question, "accept"));
      if ((await resolutionAfter(asked.listener, asked.sessionId, asked.after, PATIENCE_MS)) === undefined)
        fail("The first reply counts.", "No event tells of it.");
      const calls = await callsAfter(asked);
      if (calls.some(({ irreversible }) => irreversible === true))
        fail("After a reject a later accept does not count.", "The irreversible tool was invoked.", [
          { note: "received", text: JSON.stringify(calls[0]) },
        ]);
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
      const { message, place } = await questionIn(first.listener, first.sessionId, "confirmation", first.after);
      const second: Asked = { ...first, question: message, after: place + 1 };
      const reply = confirmationReply(first.listener, first.question, "accept");
      first.listener.conversation.say(reply);
      await staysOpen(second, "A reply with the token of the first question does not answer the second.", reply);
      await resolves(second, "reject");
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
      id: "P2-reply-dated-late",
      title: "A reply whose timestamp is after the question's timeout is ignored.",
      paragraphs: ["AAEP §6.3.4"],
    },
    ({ listener, question }) => {
      const late = Date.parse(String(question.timestamp)) + Number(question.timeout_seconds) * 1000 + 60_000;
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
      const answers: (readonly string[])[] = [];
      for (const wrong of [{ reply_token: "rpl_0000unknown0000" }, { decision: "postpone" }]) {
        const from = conversation.record.length;
        conversation.say(confirmationReply(asked.listener, asked.question, "accept", wrong));
        await stage.wait(QUIET_MS);
        const came = conversation.record.slice(from).filter(({ way }) => way === "received");
        // Notices that are the same for every reason tell nothing; tokens and places may differ.
        answers.push(
          came.flatMap(({ message }) => (message === undefined || "event_id" in message ? [] : [toldBy(message)])),
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
      const reason = answers.flat().find((text) => /token|expired|decision|invalid/i.test(text));
      if (reason !== undefined) fail("No reason is told.", "A reason is told.", [{ note: "received", text: reason }]);
      await resolves(asked, "reject");
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
      const told = await resolutionAfter(other, asked.sessionId, place + 1, PATIENCE_MS);
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
      if ((await resolutionAfter(listener, sessionId, place + 1, PATIENCE_MS)) === undefined)
        fail("After a valid response an event shows that the producer goes on.", "None came.", [
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
      const cancelled = await conversation.seek((message) => isType(message, "session.cancelled"), PATIENCE_MS);
      if (cancelled === undefined) skip("The session was not cancelled.");
      const from = conversation.record.length;
      conversation.say(confirmationReply(listener, question, "accept"));
      const after = await conversation.seek((message) => message.session_id === sessionId, QUIET_MS, from);
      if (after !== undefined)
        fail("After the cancellation nothing of the session comes.", "An event came.", [evidenceOf(after)]);
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
        PATIENCE_MS,
      );
      if (handed === undefined) fail("A handoff.requested comes.", "None came.");
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
