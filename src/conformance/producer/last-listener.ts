// The end of the only subscription that a question was put to.
import { fail, skip } from "../findings/verdicts.js";
import { followsDefault } from "./asked-question.js";
import { ANSWERS, questionIn, resolutionAfter } from "./asking.js";
import { eventsOf } from "./session-on.js";
import { isType, type ProducerStage, type Subscription } from "./stage.js";

/**
 * Fails if the question stays open after its subscription has ended, or ends otherwise than by its default. Skips the case if another subscription
 * was asked too.
 */
export async function lastListenerEnds(
  stage: ProducerStage,
  end: (listener: Subscription) => Promise<void>,
): Promise<void> {
  const witness = await stage.subscribe();
  const listener = await stage.subscribe(ANSWERS);
  const { sessionId } = await stage.show("confirmation", listener);
  const { message: question } = await questionIn(listener, sessionId, "confirmation");
  if (eventsOf(witness, sessionId).some(({ message }) => isType(message, "awaiting.confirmation")))
    skip("The witness was asked too, so the subscription that ends is not the only one.");
  const from = witness.conversation.record.length;
  await end(listener);
  if ((await resolutionAfter(witness, sessionId, from)) === undefined)
    fail("The default applies, and an event tells of it.", "No event tells of it.");
  await followsDefault({ stage, listener: witness, sessionId, question, after: from });
}
