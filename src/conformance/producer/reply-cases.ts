// Chapter 6: the replies that count, and the replies that do not.
import { fail } from "../findings/finding.js";
import { type Arrived, arrivedIn, evidenceOf, type Message } from "../wire/conversation.js";
import { instantText, PLAIN_INSTANT } from "../wire/instant-forms.js";
import { wordsOf } from "../wire/message-text.js";
import {
  ANSWERS,
  type Asked,
  acceptedCallAfter,
  actionAfter,
  ask,
  clarificationReply,
  confirmationReply,
  deadlineOf,
  doNotCount,
  questionIn,
  resolutionOf,
  resolves,
} from "./asked-question.js";
import { type ActiveCase, active } from "./producer-case.js";
import { eventsOf } from "./session-on.js";
import { isType, type ProducerStage, QUIET_MS } from "./stage.js";

/** Replies that must not count, and the rule by which they do not. */
function ignored(
  id: string,
  title: string,
  paragraphs: readonly string[],
  wrong: (asked: Asked) => readonly Message[],
): ActiveCase {
  return active(id, title, paragraphs, async (stage) => {
    const asked = await ask(stage);
    const replies = wrong(asked);
    await doNotCount(asked, title, replies);
  });
}

/** An accept in which members are other ones. */
function accepting({ listener, question }: Asked, ...changes: readonly Message[]): readonly Message[] {
  return changes.map((more) => confirmationReply(listener, question, "accept", more));
}

/** An accept without a member. */
function acceptWithout(asked: Asked, name: string): Message {
  return Object.fromEntries(
    Object.entries(confirmationReply(asked.listener, asked.question, "accept")).filter(([one]) => one !== name),
  );
}

/** Texts that are like a token, and another text. */
function likenessesOf(token: string): readonly string[] {
  const turned = token.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
  return [turned, `${token}0`, token.slice(0, -1), ` ${token} `];
}

/** Later than a question's end by more than a timestamp without a fraction leaves open, ms. */
const JUST_LATE_MS = 1500;

async function firstReplyWins(stage: ProducerStage, first: string, second: string): Promise<void> {
  const other = await stage.subscribe(ANSWERS);
  const asked = await ask(stage);
  const { conversation } = asked.listener;
  const askedOther = await questionIn({ ...asked, listener: other, after: 0 });
  conversation.say(confirmationReply(asked.listener, asked.question, first));
  conversation.say(confirmationReply(asked.listener, asked.question, second));
  const resolved = await resolutionOf(asked);
  const toldOther = await resolutionOf(askedOther);
  if (resolved === undefined) fail("The first reply counts.", "No event tells of it.");
  conversation.say(confirmationReply(asked.listener, asked.question, second));
  other.conversation.say(confirmationReply(other, askedOther.question, second));
  await stage.wait(QUIET_MS);
  const leaves = ({ message }: Arrived): boolean =>
    isType(message, "state.changed") && message.from_state === "awaiting_input";
  const again = [
    ...eventsOf(asked.listener, asked.sessionId).filter(({ place }) => place > resolved.place),
    ...eventsOf(other, asked.sessionId).filter(({ place }) => toldOther !== undefined && place > toldOther.place),
  ].find(leaves);
  if (again !== undefined)
    fail("A question is resolved once.", "It was resolved again.", [evidenceOf(resolved), evidenceOf(again)]);
  if (first === "accept") return acceptedCallAfter(asked);
  const call = await actionAfter(asked);
  if (call !== undefined)
    fail("After a reject a later accept does not count.", "The action was taken.", [evidenceOf(call)]);
}

export const REPLY_CASES: readonly ActiveCase[] = [
  active(
    "P2-first-reply-wins",
    "The first valid reply counts, and a later one with the same token does not, whoever sends it.",
    ["AAEP §6.3.5", "AAEP §6.7.1", "AAEP §5.9", "AAEP §9.4.1"],
    async (stage) => {
      await firstReplyWins(stage, "reject", "accept");
      await firstReplyWins(stage, "accept", "reject");
    },
  ),
  active(
    "P2-token-replayed",
    "The token of an earlier question answers no later one, also if it was accepted.",
    ["AAEP §6.2", "AAEP §6.3.4"],
    async (stage) => {
      const first = await ask(stage, "two-confirmations");
      await resolves(first, "accept");
      const second = await questionIn(first);
      const replies = [confirmationReply(first.listener, first.question, "accept")];
      const expected = "A reply with the token of the first question does not answer the second.";
      await doNotCount(second, expected, replies);
    },
  ),
  ignored(
    "P2-token-unknown",
    "A reply with an unknown token is ignored, also if it is like a known one.",
    ["AAEP §6.3.4", "AAEP §9.4.1"],
    (asked) =>
      accepting(
        asked,
        ...["rpl_0000unknown0000", ...likenessesOf(wordsOf(asked.question.reply_token))].map((reply_token) => ({
          reply_token,
        })),
      ),
  ),
  ignored(
    "P2-decision-unknown",
    "A reply with a decision that is not among allowed_replies is ignored, also if it is like one of them.",
    ["AAEP §6.3.4"],
    (asked) =>
      accepting(
        asked,
        ...["postpone", "ACCEPT", "Accept", " accept ", "accepted", "yes", ""].map((decision) => ({ decision })),
      ),
  ),
  ignored(
    "P2-reply-malformed",
    "A reply without a decision, or with members of other types, is ignored.",
    ["AAEP §6.3.1", "AAEP §6.3.4"],
    (asked) => [
      acceptWithout(asked, "decision"),
      ...accepting(asked, ...[true, null, ["accept"], { accept: true }].map((decision) => ({ decision })), {
        reply_token: [asked.question.reply_token],
      }),
      // The reply of another kind of question.
      clarificationReply(asked.listener, asked.question, "accept"),
      clarificationReply(asked.listener, asked.question, true),
    ],
  ),
  ignored(
    "P2-reply-undated",
    "A reply without a timestamp of RFC 3339 is ignored.",
    ["AAEP §6.3.1", "AAEP §6.3.4"],
    (asked) => {
      const now = instantText(Date.now(), PLAIN_INSTANT);
      const dates = ["", "now", Date.now(), now.slice(0, 10), now.slice(0, -1), new Date().toUTCString()];
      return [acceptWithout(asked, "timestamp"), ...accepting(asked, ...dates.map((timestamp) => ({ timestamp })))];
    },
  ),
  ignored(
    "P2-reply-dated-late",
    "A reply whose timestamp is after the question's timeout is ignored, in every form of a timestamp.",
    ["AAEP §6.3.4", "AAEP §3.2.5"],
    (asked) => {
      const deadline = deadlineOf(asked.question);
      // As a text this one stands before the deadline.
      const forms = [PLAIN_INSTANT, { digits: 0, zone: "+00:00" }, { digits: 3, zone: "-11:00" }] as const;
      const dates = forms.map((form) => instantText(deadline + JUST_LATE_MS, form));
      return accepting(
        asked,
        ...[...dates, instantText(deadline + 60_000, PLAIN_INSTANT)].map((timestamp) => ({ timestamp })),
      );
    },
  ),
  active(
    "P2-reply-silence",
    "The sender of a reply that fails is not told which check failed.",
    ["AAEP §6.3.4"],
    async (stage) => {
      const asked = await ask(stage);
      await stage.wait(QUIET_MS);
      // Types that come unprovoked tell nothing of a reply.
      const { record } = asked.listener.conversation;
      const unprovoked = new Set(record.map(({ message }) => message?.type));
      const wrong = [
        ...accepting(asked, { reply_token: "rpl_0000unknown0000" }, { decision: "postpone" }),
        ...accepting(asked, { timestamp: instantText(deadlineOf(asked.question) + 60_000, PLAIN_INSTANT) }),
        acceptWithout(asked, "timestamp"),
      ];
      const answersTo = async (replies: readonly Message[]): Promise<readonly string[]> => {
        const from = record.length;
        for (const reply of replies) asked.listener.conversation.say(reply);
        await stage.wait(QUIET_MS);
        // Notices that are the same for every reason tell nothing; tokens and places may differ.
        return arrivedIn(asked.listener.conversation)
          .filter(({ place, message }) => place >= from && !("event_id" in message) && !unprovoked.has(message.type))
          .map(({ message }) => toldBy(message));
      };
      if ((await answersTo(wrong)).length > 0) {
        const answers: string[] = [];
        for (const one of wrong) answers.push(JSON.stringify(await answersTo([one])));
        if (new Set(answers).size > 1)
          fail(
            "Replies that fail for different reasons are answered in the same way.",
            "They are answered differently.",
            answers.map((text, index) => ({ note: `answer to ${JSON.stringify(wrong[index])}`, text })),
          );
      }
      await resolves(asked, "reject");
    },
  ),
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
