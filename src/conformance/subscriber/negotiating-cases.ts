// Level 3: a subscriber negotiates.
import { setTimeout as wait } from "node:timers/promises";
import * as schemas from "#gen/aaep/schemas.js";
import { firstSentence } from "../../base/schema/fault-words.js";
import { fail, skip } from "../findings/finding.js";
import { arrivedIn, evidenceOf, noted } from "../wire/conversation.js";
import { begin, HEARING_MS, QUIET_MS, type SubscriberCase, staysThere, subscriberCase } from "./stage.js";
import { silenceAfterLine } from "./user-answer.js";

export const NEGOTIATING_CASES: readonly SubscriberCase[] = [
  subscriberCase(
    "S3-request-first",
    "The first message of the subscriber is a subscription.request with capabilities.",
    ["AAEP §9.5.2", "AAEP §5.2"],
    async (stage) => {
      const { first } = await stage.meet();
      const { type, capabilities } = first.message;
      const isObject = typeof capabilities === "object" && capabilities !== null && !Array.isArray(capabilities);
      if (type !== "subscription.request" || !isObject)
        fail("A subscription.request with capabilities comes first.", "Something else came.", [evidenceOf(first)]);
    },
  ),
  subscriberCase("S3-request-form", "The request has the form of the specification.", ["AAEP §5.2"], async (stage) => {
    const { first } = await stage.meet();
    const formless = firstSentence(schemas.SubscriptionRequest, first.message, "subscription.request");
    if (formless !== undefined) fail("The request fits its schema.", formless, [evidenceOf(first)]);
  }),
  subscriberCase(
    "S3-accepts-less",
    "The subscriber goes on under terms that are less than it asked for.",
    ["AAEP §9.5.2", "AAEP §5.4.4"],
    async (stage) => {
      const less = { max_events_per_second: 1, coalesce_boundaries: ["completion"] };
      const present = await stage.accept(less);
      begin(present);
      await staysThere(present, "The subscriber goes on.", less);
      const again = arrivedIn(present.conversation).find(({ message }) => message.type === "subscription.renegotiate");
      if (again !== undefined)
        fail("The subscriber accepts the terms.", "It asks for others, and its user has changed nothing.", [
          noted("honored", less),
          evidenceOf(again),
        ]);
    },
  ),
  subscriberCase(
    "S3-rejected",
    "A subscriber that is rejected does not go on as if it were accepted.",
    ["AAEP §5.5"],
    async (stage) => {
      const silenceMs = (await silenceAfterLine(stage)) ?? stage.patienceMs;
      const { conversation, subscriber } = await stage.meet();
      conversation.say({
        type: "subscription.rejected",
        reason_code: "rate_limit",
        reason_message: "Too many.",
        retry_after_seconds: 60,
      });
      // Events and a question that a rejected subscriber has no business with.
      const script = stage.script();
      conversation.say(script.event("session.started", { summary_normal: "Sorts the photos." }));
      conversation.say(script.question());
      await wait(HEARING_MS);
      if (stage.hooks.accept !== undefined && !subscriber.hasEnded()) await subscriber.type(stage.hooks.accept);
      const wrong = await conversation.seek(
        ({ type }) => type === "subscription.renegotiate" || type === "confirmation.reply",
        { withinMs: silenceMs },
      );
      if (wrong !== undefined)
        fail("Nothing of an accepted subscription comes.", "Something came.", [evidenceOf(wrong)]);
    },
  ),
  subscriberCase(
    "S3-closes",
    "The subscriber sends subscription.close when it is shut down.",
    ["AAEP §9.5.2", "AAEP §5.8"],
    async (stage) => {
      const { conversation, subscriber, id } = await stage.accept();
      await wait(QUIET_MS);
      void subscriber.shutDown();
      const close = await conversation.seek(({ type }) => type === "subscription.close");
      if (close === undefined) fail("subscription.close comes.", "The connection ended without it.");
      if (close.message.subscription_id !== id)
        fail("subscription.close has the id of the subscription.", "It has another.", [evidenceOf(close)]);
    },
  ),
  subscriberCase(
    "S3-signed-only",
    "A subscriber that takes signed manifests only does not take an unsigned one.",
    ["AAEP §9.5.2", "AAEP §5.3.1.12"],
    async (stage) => {
      const { capabilities, conversation } = await stage.accept();
      if (capabilities.accept_signed_manifests_only !== true) skip("The subscriber does not ask for signed manifests.");
      const close = await conversation.seek(({ type }) => type === "subscription.close");
      if (close === undefined && !conversation.isOver())
        fail("The subscriber closes a subscription without a signed manifest.", "It goes on.");
    },
  ),
];
