// Questions as cases hear and answer them, and a question that a case has made the producer ask.
import type { Millis } from "../../contracts/clock.js";
import type { ScenarioName } from "../drive/driver.js";
import { type Evidence, fail, skip } from "../findings/finding.js";
import { type Arrived, evidenceOf, type Message, noted } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { isTerminal } from "./hearing.js";
import { endOf, eventsOf, seekIn } from "./session-on.js";
import { isType, type ProducerStage, QUIET_MS, type Subscription } from "./stage.js";

/** Terms of a subscriber that answers. */
export const ANSWERS = { supports_confirmation_reply: true, supports_clarification_reply: true };

/** A reply to a question, as AAEP §6.3.1 has it. `more` replaces members. */
export function confirmationReply(to: Subscription, question: Message, decision: string, more: Message = {}): Message {
  return {
    type: "confirmation.reply",
    reply_token: question.reply_token,
    decision,
    subscription_id: to.id,
    timestamp: new Date().toISOString(),
    decided_by: "user",
    ...more,
  };
}

/** The same for a clarification (AAEP §6.5.1). */
export function clarificationReply(
  to: Subscription,
  question: Message,
  response: unknown,
  more: Message = {},
): Message {
  return {
    type: "clarification.reply",
    reply_token: question.reply_token,
    response,
    subscription_id: to.id,
    timestamp: new Date().toISOString(),
    decided_by: "user",
    ...more,
  };
}

/** The end of a question's time by its own words, ms since 1970. Skips the case if they cannot be read. */
export function deadlineOf({ timestamp, timeout_seconds: seconds }: Message): number {
  const deadline = Date.parse(wordsOf(timestamp)) + Number(wordsOf(seconds)) * 1000;
  return Number.isNaN(new Date(deadline).getTime())
    ? skip("The question has no timestamp or no timeout that can be read.")
    : deadline;
}

/**
 * Whether an event proves that a question is open no longer: the state awaiting_input is left, the action is taken, or the session is over. Work that
 * does not depend on the answer may go on meanwhile (AAEP §6.1(3)), so no other event proves it.
 */
export function provesResolution(message: Message): boolean {
  const leaves = message.from_state === "awaiting_input" && message.to_state !== "awaiting_input";
  return (isType(message, "state.changed") && leaves) || isIrreversibleCall(message) || isTerminal(message);
}

/** Whether an event may tell how a question ended: a producer may name another state that it comes from, or go straight on to a tool. */
function maySayHow(message: Message): boolean {
  if (isType(message, "state.changed")) return message.to_state !== "awaiting_input" || provesResolution(message);
  return isType(message, "tool.invoked") || isTerminal(message);
}

export function isIrreversibleCall(message: Message): boolean {
  return isType(message, "tool.invoked") && message.irreversible === true;
}

/** A question that one subscription was asked. */
export interface Asked {
  readonly stage: ProducerStage;
  readonly listener: Subscription;
  readonly sessionId: string;
  readonly question: Message;
  /** The place behind the question. */
  readonly after: number;
}

type QuestionKind = "confirmation" | "clarification";

/** Shows a scenario to a subscription that answers, and waits for its question. */
export async function ask(
  stage: ProducerStage,
  scenario: ScenarioName = "confirmation",
  kind?: QuestionKind,
): Promise<Asked> {
  const listener = await stage.subscribe(ANSWERS);
  const { sessionId } = await stage.show(scenario, listener);
  return questionIn({ stage, listener, sessionId }, kind);
}

/** Waits for a question of the session, behind another one if that is given. Skips the case if none comes. */
export async function questionIn(
  { stage, listener, sessionId, after }: Pick<Asked, "stage" | "listener" | "sessionId"> & Partial<Asked>,
  kind: QuestionKind = "confirmation",
): Promise<Asked> {
  const asked = await seekIn(listener, sessionId, (message) => isType(message, `awaiting.${kind}`), { from: after });
  if (asked === undefined) skip(`No ${kind} was asked for in the session.`);
  return { stage, listener, sessionId, question: asked.message, after: asked.place + 1 };
}

/** Waits for an event that may tell how a question ended; undefined: none came in time. */
export function resolutionOf(
  { listener, sessionId, after }: Pick<Asked, "listener" | "sessionId" | "after">,
  withinMs?: Millis,
): Promise<Arrived | undefined> {
  return seekIn(listener, sessionId, maySayHow, { from: after, withinMs });
}

/** Says replies that must not count, and fails if the question is resolved while the case is quiet. */
export async function staysOpen(
  { listener, sessionId, after }: Asked,
  expected: string,
  wrong: readonly Message[],
): Promise<void> {
  for (const reply of wrong) listener.conversation.say(reply);
  const resolved = await seekIn(listener, sessionId, provesResolution, { from: after, withinMs: QUIET_MS });
  if (resolved !== undefined) fail(expected, "The producer went on.", [...sent(wrong), evidenceOf(resolved)]);
}

/** Answers, and fails if the producer does not go on. */
export async function resolves(asked: Asked, decision: string, more?: Message): Promise<void> {
  const reply = confirmationReply(asked.listener, asked.question, decision, more);
  asked.listener.conversation.say(reply);
  if ((await resolutionOf(asked)) === undefined)
    fail(`After a reply "${decision}" an event shows that the producer goes on.`, "No such event came.", [
      noted("sent", reply),
    ]);
}

/** Rejects, and fails if the action is taken all the same: then something before the reject counted as an accept. */
export async function isRejected(asked: Asked, expected: string, before: readonly Message[] = []): Promise<void> {
  await resolves(asked, "reject");
  const call = await actionAfter(asked);
  if (call !== undefined) fail(expected, "The action was taken.", [...sent(before), evidenceOf(call)]);
}

/** Says replies, and fails if one of them counts: it resolves the question, or what follows a reject shows it. */
export async function doNotCount(asked: Asked, expected: string, replies: readonly Message[]): Promise<void> {
  await staysOpen(asked, expected, replies);
  await isRejected(asked, expected, replies);
}

/** Fails unless a session goes on as the default of its question says: the call shows it, whatever is said of it. */
export async function followsDefault(asked: Asked): Promise<void> {
  const { question } = asked;
  const isAccepted = question.default_decision === "accept";
  const call = await (isAccepted ? callOrEnd(asked, () => true) : actionAfter(asked));
  if (isAccepted === (call !== undefined)) return;
  fail(
    `The default ${wordsOf(question.default_decision)} applies.`,
    call === undefined ? "No tool was invoked." : "The action was taken.",
    [noted("received", question), ...(call === undefined ? [] : [evidenceOf(call)])],
  );
}

/**
 * Whether a call takes the action that is asked for: it says so itself, the question names its tool, or an accept brings it about. If no case has
 * shown yet what an accept brings about, a scenario of its own does. Skips the case if that shows no call: then nothing tells.
 */
async function isAction({ stage, listener, sessionId, question }: Asked, call: Message): Promise<boolean> {
  const { tool } = call;
  const { tool: named } = (question.extra_context ?? {}) as Message;
  if (isIrreversibleCall(call) || (named !== undefined && named === tool)) return true;
  if (named === undefined && stage.actions.size === 0) {
    // One scenario at a time.
    await endOf(listener, sessionId);
    const other = await ask(stage);
    const from = other.listener.conversation.record.length;
    other.listener.conversation.say(confirmationReply(other.listener, other.question, "accept"));
    const accepted = await callOrEnd(other, () => true, from);
    if (accepted === undefined) skip(`No accept shows whether ${wordsOf(tool)} takes the action.`);
    stage.actions.add(accepted.message.tool);
  }
  return stage.actions.has(tool);
}

/**
 * The call that takes the action, after the question and before a place. Skips the case if neither it nor the end of the session comes: a call
 * could still come.
 */
export function actionAfter(asked: Asked, before = Number.POSITIVE_INFINITY): Promise<Arrived | undefined> {
  return callOrEnd(asked, (call) => isAction(asked, call), asked.after, before);
}

/** The call that an accept brings about, which is known as the action's from then on. Fails if the session ends without one. */
export async function acceptedCallAfter(asked: Asked): Promise<void> {
  const call = await callOrEnd(asked, () => true);
  if (call === undefined)
    fail("After an accept a tool.invoked comes.", "The session ended without one.", [
      noted("received", asked.question),
    ]);
  asked.stage.actions.add(call.message.tool);
}

async function callOrEnd(
  { listener, sessionId, after }: Asked,
  isWanted: (call: Message) => boolean | Promise<boolean>,
  from = after,
  before = Number.POSITIVE_INFINITY,
): Promise<Arrived | undefined> {
  for (let next = from; ; ) {
    const isCall = (message: Message): boolean => isType(message, "tool.invoked") || isTerminal(message);
    const found = await seekIn(listener, sessionId, isCall, { from: next });
    if (found === undefined) return skip("The session did not end.");
    if (isTerminal(found.message) || found.place >= before) return undefined;
    if (await isWanted(found.message)) return found;
    next = found.place + 1;
  }
}

function sent(messages: readonly Message[]): readonly Evidence[] {
  return messages.map((message) => noted("sent", message));
}

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
  const asked = await questionIn({ stage, listener, sessionId });
  if (eventsOf(witness, sessionId).some(({ message }) => isType(message, "awaiting.confirmation")))
    skip("The witness was asked too, so the subscription that ends is not the only one.");
  const witnessed = { ...asked, listener: witness, after: witness.conversation.record.length };
  await end(listener);
  if ((await resolutionOf(witnessed)) === undefined)
    fail("The default applies, and an event tells of it.", "No event tells of it.");
  await followsDefault(witnessed);
}
