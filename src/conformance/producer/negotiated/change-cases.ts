// Chapter 5: the end of a subscription.
import { fail, skip } from "../../findings/finding.js";
import { evidenceOf } from "../../wire/conversation.js";
import { lastListenerEnds } from "../asked-question.js";
import { type ActiveCase, active } from "../producer-case.js";
import { eventAfter, sessionEnd } from "../session-on.js";
import { QUIET_MS, type Subscription } from "../stage.js";

function closed({ conversation, id }: Subscription): number {
  conversation.say({ type: "subscription.close", subscription_id: id, reason_code: "subscriber_shutdown" });
  return conversation.record.length;
}

/** Messages that no subscriber sends. */
const GARBAGE: readonly string[] = [
  "{ this is no JSON",
  "[1, 2]",
  '"text"',
  JSON.stringify({ type: "subscription.dance" }),
  JSON.stringify({ type: "confirmation.reply", reply_token: 7 }),
  "[".repeat(10_000),
];

export const CHANGE_CASES: readonly ActiveCase[] = [
  active("P3-close", "After subscription.close no event comes.", ["AAEP §5.8.2", "AAEP §9.5.1"], async (stage) => {
    const listener = await stage.subscribe();
    const from = closed(listener);
    // Events that were on their way may still come.
    await stage.wait(QUIET_MS);
    const event = await eventAfter(stage, listener, Math.max(from, listener.conversation.record.length), "error");
    if (event !== undefined) fail("Nothing comes after the close.", "An event came.", [evidenceOf(event)]);
  }),
  active(
    "P3-close-default",
    "When the only subscription that was asked closes, the question's default applies.",
    ["AAEP §5.8.2", "AAEP §9.5.4"],
    (stage) => lastListenerEnds(stage, async (listener) => void closed(listener)),
  ),
  active(
    "P3-vanish-harmless",
    "A subscription that disconnects without a word disturbs no other.",
    ["AAEP §5.8", "AAEP §5.9"],
    async (stage) => {
      if (stage.links.isShared) skip("All subscriptions share one connection.");
      const staying = await stage.subscribe();
      const leaving = await stage.subscribe();
      const { sessionId, done } = await stage.show("text", staying);
      await leaving.conversation.vanish();
      await done;
      if ((await sessionEnd(staying, sessionId)) === undefined)
        fail("The other subscription hears the session to its end.", "It does not.");
    },
  ),
  active(
    "P3-garbage-harmless",
    "A connection that sends what is no message disturbs no other subscription.",
    ["AAEP §5.9", "AAEP §8.2.2"],
    async (stage) => {
      if (stage.links.isShared) skip("All subscriptions share one connection.");
      const staying = await stage.subscribe();
      for (const text of GARBAGE) (await stage.connect()).sayText(text);
      await stage.wait(QUIET_MS);
      if (staying.conversation.isOver()) fail("The other subscription stays.", "Its connection has ended.");
      const { sessionId, done } = await stage.show("session", staying);
      await done;
      if ((await sessionEnd(staying, sessionId)) === undefined)
        fail("The other subscription hears the session to its end.", "It does not.");
    },
  ),
];
