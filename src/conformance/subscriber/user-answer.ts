// The user's part: what the tested subscriber announces, and the answer to a question as it sends it.
import { setTimeout as wait } from "node:timers/promises";
import type { Millis } from "../../contracts/clock.js";
import { fail, skip, verdictIn } from "../findings/finding.js";
import { type Arrived, arrivedIn, type Message, noted } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { begin, type ConfirmedReply, HEARING_MS, type Present, QUIET_MS, type SubscriberStage } from "./stage.js";
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

/** Fails unless an event behind others is announced by the word "seventeen", where announcements are told. */
export async function goesOnAnnouncing(
  { hooks, patienceMs }: SubscriberStage,
  { subscriber }: Present,
  behind: readonly Message[],
): Promise<void> {
  if (hearsAnnouncements(hooks) && !(await subscriber.announces(["seventeen"], patienceMs)))
    fail(
      "The last event is announced.",
      "It was not.",
      behind.map((message) => noted("sent", message)),
    );
}

export const isReply = ({ type }: Message): boolean => type === "confirmation.reply" || type === "clarification.reply";

/** Words of the confirmation of the script, by which its announcement is known. */
export const QUESTION_WORDS: readonly string[] = ["nine photos"];
/** Words of the clarification, likewise. */
export const CLARIFICATION_WORDS: readonly string[] = ["which year"];

/** The user's answer, as the subscriber sent it. */
export interface Answer {
  readonly reply: Arrived;
  /** From the user's line to the reply. */
  readonly tookMs: Millis;
}

/**
 * Asks in a session that begins, and lets the user answer. Fails if no reply comes. Skips the case where nobody answers, or where the subscriber
 * answered by itself.
 */
export async function answered(
  stage: SubscriberStage,
  present: Present,
  question: Message,
  line: string | undefined,
): Promise<Answer> {
  const typed = needsLine(line);
  const { conversation, subscriber } = present;
  begin(present);
  conversation.say(question);
  // A subscriber that tells its announcements is answered when it has spoken.
  const words = question.type === "aaep:agent.awaiting.confirmation" ? QUESTION_WORDS : CLARIFICATION_WORDS;
  if (stage.hooks.announcements !== undefined) await subscriber.announces(words, stage.patienceMs);
  await wait(HEARING_MS);
  if (arrivedIn(conversation).some(({ message }) => isReply(message)))
    skip("A reply came before the user had answered.");
  const typedAt = performance.now();
  await subscriber.type(typed);
  const reply = await conversation.seek(isReply);
  if (reply === undefined) {
    const other = conversation.record.find(({ way, at }) => way === "received" && at >= typedAt);
    const seen = other === undefined ? "No reply came." : "No reply came, but a message that is none.";
    return fail("The user's answer is sent as a reply.", seen, [
      noted("sent", question),
      noted("typed", typed),
      ...(other === undefined ? [] : [noted("came", other.text)]),
    ]);
  }
  return { reply, tookMs: Math.max(0, reply.at - typedAt) };
}

function needsLine(line: string | undefined): string {
  return line ?? skip("Nothing stands for the user's answer. Give --accept and --answer.");
}

/** The user's reply to a question. A run asks for it once. */
export function confirmedReply(stage: SubscriberStage): Promise<ConfirmedReply> {
  const ask = async (): Promise<ConfirmedReply> => {
    // Before a subscriber is started that nobody could answer.
    needsLine(stage.hooks.accept);
    const present = await stage.accept();
    const question = present.script.question();
    const answer = await answered(stage, present, question, stage.hooks.accept);
    return { ...answer, question, present };
  };
  stage.shared.confirmed ??= ask();
  return stage.shared.confirmed;
}

/** A reply that must not come is listened for so many times as long as one took that had to. */
const LATENCIES = 3;

/**
 * How long to listen, behind the user's line, for a reply that must not come; undefined: no line has brought a reply, so silence shows nothing. Ends
 * the subscriber that was asked for it.
 */
export async function silenceAfterLine(stage: SubscriberStage): Promise<Millis | undefined> {
  try {
    const { tookMs } = await confirmedReply(stage);
    return QUIET_MS + LATENCIES * tookMs;
  } catch (caught) {
    verdictIn(caught);
    return undefined;
  } finally {
    await stage.clear();
  }
}
