// Level 2: a subscriber speaks for its user.
import { setTimeout as wait } from "node:timers/promises";
import * as schemas from "#gen/aaep/schemas.js";
import { firstSentence } from "../../base/schema/fault-words.js";
import { fail, skip } from "../findings/finding.js";
import { type Arrived, evidenceOf, type Message, noted, type SeekBounds } from "../wire/conversation.js";
import { instantText } from "../wire/instant-forms.js";
import { wordsOf } from "../wire/message-text.js";
import type { Script } from "./script.js";
import {
  begin,
  type ConfirmedReply,
  HEARING_MS,
  type Present,
  QUIET_MS,
  type SubscriberCase,
  type SubscriberStage,
  subscriberCase,
} from "./stage.js";
import { hearsAnnouncements } from "./tested-subscriber.js";
import {
  answered,
  CLARIFICATION_WORDS,
  confirmedReply,
  isAnnounced,
  isReply,
  needsAnnouncements,
  QUESTION_WORDS,
  silenceAfterLine,
} from "./user-answer.js";

/** A case about the user's reply. */
function confirmed(
  id: string,
  title: string,
  paragraphs: readonly string[],
  judge: (confirmed: ConfirmedReply) => string | undefined,
): SubscriberCase {
  return subscriberCase(id, title, paragraphs, async (stage) => {
    const seen = await confirmedReply(stage);
    const fault = judge(seen);
    if (fault !== undefined) fail(title, fault, [noted("sent", seen.question), evidenceOf(seen.reply)]);
  });
}

/** A timestamp may stand for a whole second, ms. */
const PRECISION_MS = 1500;
/** How long a reply to a question for a number is waited for, ms: it need not come. */
const NUMBER_MS = 1000;
/** The user's answer to a question for a text. */
const ANSWER_TEXT = "seventeen 写真, naïve";

/** Listens for a reply that must not come. Skips the case if the subscriber leaves before the time is over: a reply could still have come. */
async function unwanted({ conversation }: Present, bounds: SeekBounds): Promise<Arrived | undefined> {
  const reply = await conversation.seek(isReply, bounds);
  if (reply === undefined && conversation.isOver())
    skip("The connection ended before the time was over in which a reply could come.");
  return reply;
}

export const ANSWERING_CASES: readonly SubscriberCase[] = [
  subscriberCase(
    "S2-declares",
    "The subscriber declares supports_confirmation_reply: true.",
    ["AAEP §5.3.1.4", "AAEP §9.4.2"],
    async (stage) => {
      const { capabilities, request } = await stage.accept();
      if (capabilities.supports_confirmation_reply !== true)
        fail("supports_confirmation_reply is true.", `It is ${wordsOf(capabilities.supports_confirmation_reply)}.`, [
          noted("received", request),
        ]);
    },
  ),
  subscriberCase(
    "S2-question-announced",
    "The subscriber announces a question, of either kind.",
    ["AAEP §4.4.1", "AAEP §9.4.2"],
    async (stage) => {
      needsAnnouncements(stage);
      const present = await stage.accept();
      begin(present);
      await isAnnounced(stage, present, present.script.question(), QUESTION_WORDS);
      present.conversation.say(present.script.goesOn());
      await isAnnounced(stage, present, present.script.clarification(), CLARIFICATION_WORDS);
    },
  ),
  subscriberCase(
    "S2-one-reply",
    "The subscriber sends one reply for one answer.",
    ["AAEP §6.3.5", "AAEP §9.4.2"],
    async (stage) => {
      // Before the other cases about this reply: its subscriber has to stay.
      const { reply, present } = await confirmedReply(stage);
      const second = await unwanted(present, { from: reply.place + 1, withinMs: stage.patienceMs });
      if (second !== undefined)
        fail(
          "One reply comes.",
          "A second came.",
          [reply, second].map(({ text }) => noted("received", text)),
        );
    },
  ),
  confirmed(
    "S2-reply-form",
    "A reply has the form of the specification, and the time of the user's decision.",
    ["AAEP §6.3.1", "AAEP §9.4.2"],
    ({ reply, question, present: { conversation } }) => {
      const formless = firstSentence(schemas.ConfirmationReply, reply.message, "confirmation.reply");
      const { wallTime, at } = conversation.startedAt;
      const decidedAt = Date.parse(wordsOf(reply.message.timestamp));
      const isThen =
        decidedAt > Date.parse(wordsOf(question.timestamp)) - PRECISION_MS &&
        decidedAt < wallTime + reply.at - at + PRECISION_MS;
      if (formless !== undefined) return formless;
      return isThen ? undefined : "The timestamp is not between the question and the reply's arrival.";
    },
  ),
  confirmed(
    "S2-token",
    "A reply has the question's reply_token as it came.",
    ["AAEP §6.2", "AAEP §9.4.2"],
    ({ reply, question }) => (reply.message.reply_token === question.reply_token ? undefined : "The token is another."),
  ),
  confirmed(
    "S2-subscription",
    "A reply has the subscription_id of its subscription.",
    ["AAEP §6.3.1"],
    ({ reply, present }) =>
      reply.message.subscription_id === present.id ? undefined : "The subscription_id is another.",
  ),
  confirmed(
    "S2-decision",
    "A reply has the decision of the user.",
    ["AAEP §9.4.2", "AAEP §4.4.1"],
    ({ reply: { message } }) =>
      message.decision === "accept" ? undefined : `The user accepts, and the decision is ${wordsOf(message.decision)}.`,
  ),
  subscriberCase(
    "S2-no-auto-reply",
    "The subscriber does not answer for its user, until the time of the question is over.",
    ["AAEP §4.4.1", "AAEP §9.4.2"],
    async (stage) => {
      const present = await stage.accept();
      const { conversation } = present;
      // No reply counts after the question's time (AAEP §6.3.4), so nobody has a reason to send one later.
      const timeout_seconds = Math.ceil(stage.patienceMs / 1000);
      const next = (): Script => {
        const script = stage.script();
        begin({ ...present, script });
        return script;
      };
      const questions = [
        next().question({ timeout_seconds }),
        next().clarification({ timeout_seconds }),
        // A harmless action that can be undone is the user's to decide too.
        ...["medium", "low"].map((risk_level) =>
          next().question({ timeout_seconds, risk_level, irreversible: false, reversibility: "reversible" }),
        ),
      ];
      for (const question of questions) conversation.say(question);
      const reply = await unwanted(present, { withinMs: timeout_seconds * 1000 + QUIET_MS });
      if (reply !== undefined)
        fail("No reply comes while the user has not answered.", "A reply came.", [
          ...questions.map((question) => noted("sent", question)),
          evidenceOf(reply),
        ]);
    },
  ),
  subscriberCase(
    "S2-clarification",
    "A clarification is answered by a clarification.reply with the user's text and the question's token.",
    ["AAEP §6.5", "AAEP §9.4.2"],
    async (stage) => {
      const present = await stage.accept();
      // As a text its timestamp is long past.
      const timestamp = instantText(Date.now(), { digits: 0, zone: "-11:00" });
      const question = present.script.clarification({ timestamp });
      const line = stage.hooks.answer?.replace("{text}", ANSWER_TEXT);
      const {
        reply: { message, text },
      } = await answered(stage, present, question, line);
      const formless = firstSentence(schemas.ClarificationReply, message, "clarification.reply");
      const isRight = message.reply_token === question.reply_token && message.response === ANSWER_TEXT;
      if (formless !== undefined || !isRight)
        fail("The reply has its form, the token, and the text.", formless ?? "It has others.", [
          noted("sent", question),
          noted("received", text),
        ]);
      await stage.clear();
      await answersNumber(stage);
    },
  ),
  subscriberCase(
    "S2-cancelled",
    "After its session has ended, or has gone on without the answer, the subscriber does not answer a question.",
    ["AAEP §6.8", "AAEP §9.4.2"],
    async (stage) => {
      const line = stage.hooks.accept;
      const silenceMs = await silenceAfterLine(stage);
      if (line === undefined || silenceMs === undefined)
        skip("No user's answer came as a reply to an open question, so silence after a cancellation shows nothing.");
      const present = await stage.accept();
      const { conversation, subscriber } = present;
      const scripts = QUESTION_ENDS.map(() => stage.script());
      for (const script of scripts) begin({ ...present, script });
      for (const script of scripts) conversation.say(script.question());
      await spoken(stage, present, QUESTION_WORDS);
      await wait(QUIET_MS);
      // Side by side: whichever question is still there gets the answer.
      for (const [index, [type, word, members]] of QUESTION_ENDS.entries())
        conversation.say(scripts[index]?.event(type, { summary_normal: `${word} stay.`, ...members }) ?? {});
      for (const [, word] of QUESTION_ENDS) await spoken(stage, present, [`${word.toLowerCase()} stay`]);
      await wait(HEARING_MS);
      await subscriber.type(line);
      const reply = await unwanted(present, { withinMs: silenceMs });
      if (reply !== undefined)
        fail("No reply comes after the end of a question.", "A reply came.", [
          ...conversation.record.flatMap(({ way, text, message }) =>
            way === "sent" && message?.reply_token === reply.message.reply_token ? [{ note: "sent", text }] : [],
          ),
          evidenceOf(reply),
        ]);
    },
  ),
];

/** The events that end a question (AAEP §6.8), each with a word of its announcement. */
const QUESTION_ENDS: readonly (readonly [type: string, word: string, members: Message])[] = [
  ["session.cancelled", "Albums", { cancelled_by: "user" }],
  ["session.errored", "Copies", { urgency: "critical", error_category: "permanent" }],
  ["session.completed", "Folders", {}],
  ["state.changed", "Photos", { from_state: "awaiting_input", to_state: "thinking" }],
];

/** Fails if the answer to a question for a number is another type. A subscriber that has no line for numbers sends none, and passes. */
async function answersNumber(stage: SubscriberStage): Promise<void> {
  const present = await stage.accept();
  const { conversation, script, subscriber } = present;
  begin(present);
  const question = script.clarification({ accepted_response_kinds: ["numeric"] });
  conversation.say(question);
  await spoken(stage, present, CLARIFICATION_WORDS);
  await wait(HEARING_MS);
  await subscriber.type(stage.hooks.answer?.replace("{text}", "17") ?? "");
  const reply = await conversation.seek(isReply, { withinMs: NUMBER_MS });
  if (reply !== undefined && reply.message.response !== 17)
    fail("A question for a number is answered by a number.", "It is answered by something else.", [
      noted("sent", question),
      evidenceOf(reply),
    ]);
}

/** Waits until something was announced, where announcements are told. */
async function spoken(stage: SubscriberStage, { subscriber }: Present, words: readonly string[]): Promise<void> {
  if (hearsAnnouncements(stage.hooks)) await subscriber.announces(words, stage.patienceMs);
}
