// Level 2: a subscriber speaks for its user.
import { diagnoseClarificationReply, diagnoseConfirmationReply } from "#gen/aaep/diagnosis.js";
import { fail, skip } from "../findings/verdicts.js";
import type { Message, Recorded } from "../wire/conversation.js";
import { isAnnounced, needsAnnouncements } from "./announcing.js";
import { begin, HEARING_MS, type Present, QUIET_MS, type SubscriberStage } from "./stage.js";
import type { SubscriberCase } from "./subscriber-case.js";

function answering(
  about: Pick<SubscriberCase, "id" | "title" | "paragraphs">,
  run: SubscriberCase["run"],
): SubscriberCase {
  return { level: 2, severity: "error", ...about, run };
}

const isReply = ({ type }: Message): boolean => type === "confirmation.reply" || type === "clarification.reply";

/** Words of the questions of the script, by which their announcements are known. */
const HEARD: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["aaep:agent.awaiting.confirmation", ["nine photos"]],
  ["aaep:agent.awaiting.clarification", ["which year"]],
]);

/** Asks, lets the user answer, and returns the reply. Skips the case where nobody answers. */
async function answered(
  stage: SubscriberStage,
  present: Present,
  question: Message,
  line: string | undefined,
): Promise<Recorded & { readonly message: Message }> {
  if (line === undefined) skip("Nothing stands for the user's answer. Give --accept and --answer.");
  const { conversation, subscriber } = present;
  begin(present);
  conversation.say(question);
  // A subscriber that tells its announcements is answered when it has spoken.
  if (stage.hooks.announcements !== undefined)
    await subscriber.announces(HEARD.get(question.type) ?? [], stage.patienceMs);
  await stage.wait(HEARING_MS);
  await subscriber.type(line);
  const reply = await conversation.seek(isReply);
  if (reply?.message === undefined)
    return fail("The user's answer is sent as a reply.", "No reply came.", [
      { note: "sent", text: JSON.stringify(question) },
      { note: "typed", text: line },
    ]);
  return { ...reply, message: reply.message };
}

function confirmed(
  about: Pick<SubscriberCase, "id" | "title" | "paragraphs">,
  judge: (reply: Message, question: Message, present: Present) => string | undefined,
): SubscriberCase {
  return answering(about, async (stage) => {
    const present = await stage.accept();
    const question = present.script.question();
    const { message, text } = await answered(stage, present, question, stage.hooks.accept);
    const fault = judge(message, question, present);
    if (fault !== undefined)
      fail(about.title, fault, [
        { note: "sent", text: JSON.stringify(question) },
        { note: "received", text },
      ]);
  });
}

export const ANSWERING_CASES: readonly SubscriberCase[] = [
  answering(
    {
      id: "S2-declares",
      title: "The subscriber declares supports_confirmation_reply: true.",
      paragraphs: ["AAEP §5.3.1.4", "AAEP §9.4.2"],
    },
    async (stage) => {
      const { capabilities, request } = await stage.accept();
      if (capabilities.supports_confirmation_reply !== true)
        fail("supports_confirmation_reply is true.", `It is ${String(capabilities.supports_confirmation_reply)}.`, [
          { note: "received", text: JSON.stringify(request) },
        ]);
    },
  ),
  answering(
    {
      id: "S2-question-announced",
      title: "The subscriber announces a question.",
      paragraphs: ["AAEP §4.4.1", "AAEP §9.4.2"],
    },
    async (stage) => {
      needsAnnouncements(stage);
      const present = await stage.accept();
      begin(present);
      const question = present.script.question();
      await isAnnounced(stage, present, question, HEARD.get(question.type) ?? []);
    },
  ),
  confirmed(
    {
      id: "S2-reply-form",
      title: "A reply has the form of the specification.",
      paragraphs: ["AAEP §6.3.1", "AAEP §9.4.2"],
    },
    (reply) => {
      const [first] = diagnoseConfirmationReply(reply);
      return first === undefined
        ? undefined
        : `At "${first.instancePath}" the schema's rule "${first.keyword}" is broken.`;
    },
  ),
  confirmed(
    {
      id: "S2-token",
      title: "A reply has the question's reply_token as it came.",
      paragraphs: ["AAEP §6.2", "AAEP §9.4.2"],
    },
    (reply, question) => (reply.reply_token === question.reply_token ? undefined : "The token is another."),
  ),
  confirmed(
    {
      id: "S2-subscription",
      title: "A reply has the subscription_id of its subscription.",
      paragraphs: ["AAEP §6.3.1"],
    },
    (reply, _question, { id }) => (reply.subscription_id === id ? undefined : "The subscription_id is another."),
  ),
  confirmed(
    { id: "S2-decision", title: "A reply has the decision of the user.", paragraphs: ["AAEP §9.4.2", "AAEP §4.4.1"] },
    (reply) =>
      reply.decision === "accept" ? undefined : `The user accepts, and the decision is ${String(reply.decision)}.`,
  ),
  answering(
    {
      id: "S2-no-auto-reply",
      title: "The subscriber does not answer for its user.",
      paragraphs: ["AAEP §4.4.1", "AAEP §9.4.2"],
    },
    async (stage) => {
      const present = await stage.accept();
      begin(present);
      const question = present.script.question();
      present.conversation.say(question);
      const reply = await present.conversation.seek(isReply, { withinMs: QUIET_MS + HEARING_MS });
      if (reply !== undefined)
        fail("No reply comes while the user has not answered.", "A reply came.", [
          { note: "sent", text: JSON.stringify(question) },
          { note: "received", text: reply.text },
        ]);
    },
  ),
  answering(
    {
      id: "S2-one-reply",
      title: "The subscriber sends one reply for one answer.",
      paragraphs: ["AAEP §6.3.5", "AAEP §9.4.2"],
    },
    async (stage) => {
      const present = await stage.accept();
      await answered(stage, present, present.script.question(), stage.hooks.accept);
      await stage.wait(QUIET_MS);
      const replies = present.conversation.record.filter(
        ({ way, message }) => way === "received" && message !== undefined && isReply(message),
      );
      if (replies.length > 1)
        fail(
          "One reply comes.",
          `${replies.length} came.`,
          replies.map(({ text }) => ({ note: "received", text })),
        );
    },
  ),
  answering(
    {
      id: "S2-clarification",
      title: "A clarification is answered by a clarification.reply with the user's text and the question's token.",
      paragraphs: ["AAEP §6.5", "AAEP §9.4.2"],
    },
    async (stage) => {
      const present = await stage.accept();
      const question = present.script.clarification();
      const line = stage.hooks.answer?.replace("{text}", "seventeen");
      const { message, text } = await answered(stage, present, question, line);
      const [fault] = diagnoseClarificationReply(message);
      const isRight = message.reply_token === question.reply_token && message.response === "seventeen";
      if (fault !== undefined || !isRight)
        fail(
          "The reply has its form, the token, and the text.",
          fault === undefined ? "It has others." : `${fault.instancePath} is wrong.`,
          [
            { note: "sent", text: JSON.stringify(question) },
            { note: "received", text },
          ],
        );
    },
  ),
  answering(
    {
      id: "S2-cancelled",
      title: "After its session was cancelled the subscriber does not answer a question.",
      paragraphs: ["AAEP §6.8", "AAEP §9.4.2"],
    },
    async (stage) => {
      const line = stage.hooks.accept;
      if (line === undefined) skip("Nothing stands for the user's answer. Give --accept.");
      const present = await stage.accept();
      const { conversation, script, subscriber } = present;
      begin(present);
      conversation.say(script.question());
      await stage.wait(HEARING_MS);
      conversation.say(script.event("session.cancelled", { cancelled_by: "user", summary_normal: "Cancelled." }));
      await stage.wait(QUIET_MS);
      const from = conversation.record.length;
      await subscriber.type(line);
      const reply = await conversation.seek(isReply, { withinMs: QUIET_MS, from });
      if (reply !== undefined)
        fail("No reply comes after the cancellation.", "A reply came.", [{ note: "received", text: reply.text }]);
    },
  ),
];
