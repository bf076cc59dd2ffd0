// Whether the tested subscriber announces an event.

import { fail, skip } from "../findings/verdicts.js";
import { type Message, noted } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import type { Present, SubscriberStage } from "./stage.js";
import { hearsAnnouncements } from "./tested-subscriber.js";

/** Skips the case where nothing tells of announcements. */
export function needsAnnouncements({ hooks }: SubscriberStage): void {
  if (!hearsAnnouncements(hooks)) skip("Nothing tells what the subscriber announces. Give --announcements or --ask.");
}

/** Fails unless an event is announced by words of its summary. */
export async function isAnnounced(
  { patienceMs }: SubscriberStage,
  { subscriber, conversation }: Present,
  event: Message,
  words: readonly string[],
): Promise<void> {
  conversation.say(event);
  if (!(await subscriber.announces(words, patienceMs)))
    fail(`${wordsOf(event.type)} is announced.`, "It was not.", [
      noted("sent", event),
      noted("announced", subscriber.announced()),
    ]);
}
