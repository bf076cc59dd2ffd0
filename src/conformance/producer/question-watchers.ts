// Chapter 6: the members of questions, and the calls that need one.
import { fail } from "../findings/finding.js";
import { type Arrived, arrivedIn, type Conversation, evidenceOf, type Message } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { isIrreversibleCall, provesResolution } from "./asked-question.js";
import { type HeardEvent, heardSessions } from "./hearing.js";
import { eachEvent, eachSession, type WatchingCase, watching } from "./producer-case.js";
import { isType } from "./stage.js";

export const QUESTION_WATCHERS: readonly WatchingCase[] = [
  eachEvent(
    "P2-token-form",
    "reply_token is rpl_ with 1 to 64 letters and digits.",
    ["AAEP §6.2"],
    "No question came.",
    (event) => {
      if (!isType(event, "awaiting.confirmation", "awaiting.clarification")) return "not judged";
      return /^rpl_[A-Za-z0-9]{1,64}$/.test(wordsOf(event.reply_token)) ? undefined : "A reply_token has another form.";
    },
  ),
  watching(
    "P2-token-unique",
    "No two questions have the same reply_token.",
    ["AAEP §6.2"],
    "No two questions came.",
    ({ conversations }) => {
      const asked = new Map<unknown, Arrived>();
      for (const one of conversations.flatMap(arrivedIn)) {
        const { message } = one;
        if (!isType(message, "awaiting.confirmation", "awaiting.clarification")) continue;
        const known = asked.get(message.reply_token);
        if (known !== undefined && known.message.event_id !== message.event_id)
          fail("No two questions have the same reply_token.", "Two questions have the same reply_token.", [
            evidenceOf(known),
            evidenceOf(one),
          ]);
        asked.set(message.reply_token, one);
      }
      return Math.max(0, asked.size - 1);
    },
  ),
  watching(
    "P2-asked-once",
    "While a question is open the same is not asked for again.",
    ["AAEP §6.1"],
    "No question was asked.",
    (heard) => {
      const answered = tokensSent(heard.conversations, () => true);
      const isAnswered = ({ event }: HeardEvent, later: HeardEvent): boolean =>
        (answered.get(event.reply_token) ?? later.recorded.at) < later.recorded.at;
      let judged = 0;
      for (const { events, isFiltered } of heardSessions(heard)) {
        if (isFiltered) continue;
        const open = new Map<unknown, HeardEvent>();
        for (const one of events) {
          if (provesResolution(one.event)) open.clear();
          if (!isType(one.event, "awaiting.confirmation", "awaiting.clarification")) continue;
          judged += 1;
          const asks = one.event.action ?? one.event.question;
          const twin = open.get(asks);
          if (twin !== undefined && !isAnswered(twin, one) && !isOverAt(twin.event, one.event))
            fail("The same is not asked for again.", "It was asked for twice at a time.", [
              evidenceOf(twin.recorded),
              evidenceOf(one.recorded),
            ]);
          open.set(asks, one);
        }
      }
      return judged;
    },
  ),
  eachSession(
    "P2-default-reject",
    "The default of an irreversible action of high or medium risk is reject.",
    ["AAEP §6.4.1", "AAEP §4.4.1"],
    "No confirmation of an irreversible action of high or medium risk was asked for.",
    ({ events }) => {
      const judged = events.flatMap(({ event }, place) => {
        if (!isType(event, "awaiting.confirmation")) return [];
        const callPlace = callAfter(events, place);
        const call = callPlace === undefined ? undefined : events[callPlace]?.event;
        if (!isRiskyAndIrreversible(event, call)) return [];
        return [{ event, places: callPlace === undefined ? [place] : [place, callPlace] }];
      });
      const wrong = judged.find(({ event }) => event.default_decision !== "reject");
      if (wrong === undefined) return judged.length === 0 ? "not judged" : undefined;
      return { seen: `The default is ${wordsOf(wrong.event.default_decision)}.`, places: wrong.places };
    },
  ),
  watching(
    "P2-irreversible-asked",
    "Every irreversible tool.invoked follows a question of its session that was accepted, one each.",
    ["AAEP §4.3.1", "AAEP §9.4.1", "AAEP §6.1"],
    "No irreversible tool was invoked before a subscriber that answers.",
    (heard) => {
      const accepted = tokensSent(heard.conversations, ({ decision }) => decision === "accept");
      /** By the suite's own clock: an accept that was sent after the call came is none of it. */
      const permits = ({ event }: HeardEvent, call: HeardEvent): boolean =>
        event.default_decision === "accept" || (accepted.get(event.reply_token) ?? call.recorded.at) < call.recorded.at;
      let judged = 0;
      for (const { events, isOwn, isFromBeginning, isFiltered, answersConfirmations } of heardSessions(heard)) {
        // In a session that is another user's, that user may have accepted.
        if (!isOwn || !isFromBeginning || isFiltered || !answersConfirmations) continue;
        const unused: HeardEvent[] = [];
        for (const one of events) {
          if (isType(one.event, "awaiting.confirmation")) unused.push(one);
          if (!isIrreversibleCall(one.event)) continue;
          judged += 1;
          const place = unused.findIndex((question) => permits(question, one));
          if (place === -1)
            fail("An irreversible tool is invoked after an accepted question.", "Nobody had accepted this one.", [
              evidenceOf(one.recorded),
            ]);
          unused.splice(place, 1);
        }
      }
      return judged;
    },
  ),
];

/** The tokens of the replies that the suite sent, with the time of the first. */
function tokensSent(
  conversations: readonly Conversation[],
  isWanted: (reply: Message) => boolean,
): ReadonlyMap<unknown, number> {
  const sent = new Map<unknown, number>();
  for (const { record } of conversations)
    for (const { way, at, message } of record)
      if (way === "sent" && message?.reply_token !== undefined && isWanted(message))
        sent.set(message.reply_token, Math.min(at, sent.get(message.reply_token) ?? at));
  return sent;
}

/** Whether the time of a question is over when another event comes, by the producer's own times. */
function isOverAt(question: Message, later: Message): boolean {
  const deadline = Date.parse(wordsOf(question.timestamp)) + Number(wordsOf(question.timeout_seconds)) * 1000;
  return Date.parse(wordsOf(later.timestamp)) >= deadline;
}

/** The place of the irreversible call that a question was about: the first one after it, before the next question. */
function callAfter(events: readonly HeardEvent[], question: number): number | undefined {
  const after = events.findIndex(
    ({ event }, place) => place > question && (isIrreversibleCall(event) || isType(event, "awaiting.confirmation")),
  );
  const found = events[after]?.event;
  return found !== undefined && isIrreversibleCall(found) ? after : undefined;
}

/** Both are optional members of a question. Its call then says what the question left out. */
function isRiskyAndIrreversible(question: Message, call: Message | undefined): boolean {
  const isIrreversible =
    question.irreversible === true || question.reversibility === "irreversible" || call !== undefined;
  const risk = question.risk_level ?? call?.risk_level;
  return isIrreversible && (risk === "high" || risk === "medium");
}
