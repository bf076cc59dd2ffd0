// Chapter 5: renegotiation and the end of a subscription.
import { fail, skip } from "../findings/verdicts.js";
import type { Message } from "../wire/conversation.js";
import { lastListenerEnds } from "./last-listener.js";
import type { ActiveCase } from "./producer-case.js";
import { type Arrived, endOf, eventsOf, sessionEnd, textOf } from "./session-on.js";
import { answerIn, evidenceOf, isCritical, isEvent, type ProducerStage, QUIET_MS, type Subscription } from "./stage.js";

function change(
  about: Pick<ActiveCase, "id" | "title" | "paragraphs"> & Partial<Pick<ActiveCase, "severity">>,
  run: ActiveCase["run"],
): ActiveCase {
  return { kind: "active", level: 3, severity: "error", ...about, run };
}

/** Renegotiates. Fails the case if the answer is not subscription.accepted. Returns the honored terms, and the place behind the answer. */
async function renegotiate(
  { conversation, id }: Subscription,
  capabilities: Message,
): Promise<{ readonly honored: Message; readonly after: number; readonly accepted: Message }> {
  const from = conversation.record.length;
  conversation.say({ type: "subscription.renegotiate", subscription_id: id, capabilities });
  const { message, text, place } = await answerIn(conversation, from);
  if (message?.type !== "subscription.accepted")
    return fail("A renegotiation is accepted.", "It is answered by something else.", [
      evidenceOf(conversation.record[from]),
      { note: "received", text },
    ]);
  return { honored: (message.honored_capabilities ?? {}) as Message, after: place + 1, accepted: message };
}

function closed({ conversation, id }: Subscription): number {
  conversation.say({ type: "subscription.close", subscription_id: id, reason_code: "subscriber_shutdown" });
  return conversation.record.length;
}

/** An event that came on a conversation after a place, in the time in which another subscription heard a whole session. */
async function eventAfter(
  stage: ProducerStage,
  { conversation }: Subscription,
  from: number,
  scenario: "session" | "text" = "session",
) {
  const witness = await stage.subscribe();
  const { sessionId, done } = await stage.show(scenario, witness);
  await done;
  await endOf(witness, sessionId);
  await stage.wait(QUIET_MS);
  return conversation.record
    .slice(from)
    .find(({ way, message }) => way === "received" && message !== undefined && isEvent(message));
}

export const CHANGE_CASES: readonly ActiveCase[] = [
  change(
    {
      id: "P3-renegotiate-answered",
      title: "A renegotiation is answered by subscription.accepted with the same subscription_id.",
      paragraphs: ["AAEP §5.7", "AAEP §9.5.1"],
    },
    async (stage) => {
      const listener = await stage.subscribe({ max_events_per_second: 5 });
      const { accepted } = await renegotiate(listener, { max_events_per_second: 2 });
      if (accepted.subscription_id !== listener.id)
        fail("The subscription keeps its id.", `It is ${String(accepted.subscription_id)} now.`, [
          { note: "received", text: JSON.stringify(accepted) },
        ]);
    },
  ),
  change(
    {
      id: "P3-renegotiate-partial",
      title: "A renegotiation changes the named terms, and no others.",
      paragraphs: ["AAEP §5.7.1"],
    },
    async (stage) => {
      const listener = await stage.subscribe({
        max_events_per_second: 5,
        coalesce_boundaries: ["paragraph", "completion"],
      });
      const { honored, accepted } = await renegotiate(listener, { max_events_per_second: 2 });
      const before = JSON.stringify(listener.honored.coalesce_boundaries);
      if (JSON.stringify(honored.coalesce_boundaries) !== before || Number(honored.max_events_per_second) > 2)
        fail("The rate is new, and the boundaries are as they were.", "They are not.", [
          { note: "before", text: JSON.stringify(listener.accepted) },
          { note: "received", text: JSON.stringify(accepted) },
        ]);
    },
  ),
  change(
    {
      id: "P3-renegotiate-applied",
      title: "Events after the answer to a renegotiation follow its terms.",
      paragraphs: ["AAEP §5.7.2", "AAEP §9.5.1"],
    },
    async (stage) => {
      const listener = await stage.subscribe();
      const witness = await stage.subscribe();
      await renegotiate(listener, { event_filters: { include: ["aaep:agent.session.*"], exclude: [] } });
      const { sessionId, done } = await stage.show("session", witness);
      await done;
      await endOf(witness, sessionId);
      if ((await sessionEnd(listener, sessionId)) === undefined)
        fail("The end of the session comes.", "It does not come.");
      const isExcluded = ({ message }: Arrived): boolean =>
        !/agent\.session\./.test(String(message.type)) && !isCritical(message);
      if (!eventsOf(witness, sessionId).some(isExcluded)) skip("The session had no event that the terms exclude.");
      const wrong = eventsOf(listener, sessionId).find(isExcluded);
      if (wrong !== undefined) fail("Only events of agent.session come.", "Another came.", [evidenceOf(wrong)]);
    },
  ),
  change(
    {
      id: "P3-renegotiate-text",
      title: "No text is lost or told twice when the terms change within an output.",
      paragraphs: ["AAEP §5.7.2", "AAEP §8.2.4", "AAEP §8.2.3"],
    },
    async (stage) => {
      const changing = await stage.subscribe({ coalesce_boundaries: ["completion"] });
      const witness = await stage.subscribe({ coalesce_boundaries: ["none"] });
      const { sessionId } = await stage.show("text", witness);
      await renegotiate(changing, { coalesce_boundaries: ["sentence", "completion"] });
      await renegotiate(changing, { coalesce_boundaries: ["word", "completion"] });
      const texts: string[] = [];
      for (const one of [witness, changing]) {
        await endOf(one, sessionId);
        texts.push(textOf(eventsOf(one, sessionId)));
      }
      const [whole, changed] = texts;
      if (whole === "") skip("No text came.");
      if (whole !== changed)
        fail("The text is whole.", "It differs from that of a subscription whose terms did not change.", [
          { note: "terms changed", text: changed ?? "" },
          { note: "terms not changed", text: whole ?? "" },
        ]);
    },
  ),
  change(
    {
      id: "P3-renegotiate-malformed",
      title: "A renegotiation that cannot be read is answered, and does not widen the terms.",
      paragraphs: ["AAEP §5.7", "AAEP §9.5.1"],
    },
    async (stage) => {
      const listener = await stage.subscribe({ event_filters: { include: ["aaep:agent.tool.*"], exclude: [] } });
      const { conversation, id } = listener;
      const from = conversation.record.length;
      conversation.say({
        type: "subscription.renegotiate",
        subscription_id: id,
        capabilities: { event_filters: { include: "everything" } },
      });
      const { message, text, place } = await answerIn(conversation, from);
      if (message?.type === "subscription.accepted")
        fail("Filters that are a text are not accepted.", "They are accepted.", [{ note: "received", text }]);
      const wrong = await eventAfter(stage, listener, place + 1);
      if (
        wrong?.message !== undefined &&
        !/agent\.tool\./.test(String(wrong.message.type)) &&
        !isCritical(wrong.message)
      )
        fail("The former terms stand, or nothing comes.", "An event came that the former terms exclude.", [
          evidenceOf(wrong),
        ]);
    },
  ),
  change(
    {
      id: "P3-close",
      title: "After subscription.close no event comes.",
      paragraphs: ["AAEP §5.8.2", "AAEP §9.5.1"],
    },
    async (stage) => {
      const listener = await stage.subscribe();
      const from = closed(listener);
      // Events that were on their way may still come.
      await stage.wait(QUIET_MS);
      const event = await eventAfter(stage, listener, Math.max(from, listener.conversation.record.length));
      if (event !== undefined) fail("Nothing comes after the close.", "An event came.", [evidenceOf(event)]);
    },
  ),
  change(
    {
      id: "P3-close-default",
      title: "When the only subscription that was asked closes, the question's default applies.",
      paragraphs: ["AAEP §5.8.2", "AAEP §9.5.4"],
    },
    (stage) => lastListenerEnds(stage, async (listener) => void closed(listener)),
  ),
  change(
    {
      id: "P3-vanish-harmless",
      title: "A subscription that disconnects without a word disturbs no other.",
      paragraphs: ["AAEP §5.8", "AAEP §5.9"],
    },
    async (stage) => {
      if (stage.isShared) skip("All subscriptions share one connection.");
      const staying = await stage.subscribe();
      const leaving = await stage.subscribe();
      const { sessionId, done } = await stage.show("text", staying);
      await leaving.conversation.vanish();
      await done;
      if ((await sessionEnd(staying, sessionId)) === undefined)
        fail("The other subscription hears the session to its end.", "It does not.");
    },
  ),
  change(
    {
      id: "P3-garbage-harmless",
      title: "A connection that sends no JSON disturbs no other subscription.",
      paragraphs: ["AAEP §5.9", "AAEP §8.2.2"],
    },
    async (stage) => {
      if (stage.isShared) skip("All subscriptions share one connection.");
      const staying = await stage.subscribe();
      const broken = await stage.connect();
      broken.sayText("{ this is no JSON");
      const { sessionId, done } = await stage.show("session", staying);
      await done;
      if ((await sessionEnd(staying, sessionId)) === undefined)
        fail("The other subscription hears the session to its end.", "It does not.");
    },
  ),
];
