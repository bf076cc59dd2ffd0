// An event of a producer elsewhere, as the relay reads it: a document that nobody has checked.
import { Fault } from "../../base/errors.js";
import { membersOf } from "../../base/members.js";
import { shortenedText } from "../../engine/text/shortened-text.js";

export type Message = Readonly<Record<string, unknown>>;

export const CONTEXTS = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"];
/** UTF-16 units of what is said of a refused event, and of the name of a producer. */
const LONGEST_SUMMARY = 1000;
const LONGEST_NAME = 200;
export const ENDS = new Set(["session.completed", "session.errored", "session.cancelled"]);

/** Whether an event says that its producer waits for this question no more: its call is made, or the session leaves the state of waiting. */
export function isOver(asked: Message, event: Message): boolean {
  const topic = topicOf(event);
  if (topic === "state.changed") return event.from_state === "awaiting_input" && event.to_state !== "awaiting_input";
  if (topic !== "tool.invoked" && topic !== "tool.completed") return ENDS.has(topic);
  const { tool_call_id: call, tool } = membersOf(asked.extra_context);
  return (call !== undefined && call === event.tool_call_id) || (tool !== undefined && tool === event.tool);
}

export function noEvent(): Fault {
  return new Fault("invalid_event", "What has come is no event: it is no object with a type and an id of a session.", {
    rule: "AAEP §3.9",
  });
}

export function topicOf({ type }: Message): string {
  return String(type).replace("aaep:agent.", "");
}

export function nameOf({ agent_name: name }: Message): string {
  return textOr("", name);
}

/** The producer as it is named here: NAME at HOST (R38). */
export function producerAt(host: string, producer: Message): Message {
  const id = textOr("relayed-producer", producer.agent_id);
  return { ...producer, agent_id: id, agent_name: `${textOr(id, producer.agent_name)} at ${host}` };
}

/** The text, or `other` where a producer gave something else, or nothing. */
function textOr(other: string, given: unknown): string {
  return typeof given === "string" && given !== "" ? given : other;
}

/** The name of a producer, shortened: what a refused event says of its producer may be why it was refused. */
export function namedOnly({ agent_id: id, agent_name: name }: Message): Message {
  const short = (text: unknown): string => shortenedText(textOr("", text), LONGEST_NAME);
  return { agent_id: short(id), agent_name: short(name) };
}

/** Whether an event tells of an irreversible call that nobody allowed, once it was refused. */
export function isCritical(event: Message): boolean {
  if (topicOf(event) === "tool.invoked") return event.irreversible === true;
  return event.urgency === "critical" && breachIn(event) !== undefined;
}

/** The rule that the event broke on its way here: it comes from a relay itself. */
export function breachIn({ extensions }: Message): unknown {
  return membersOf(membersOf(extensions).aaepd).breach;
}

/** The mark of an event that was refused. */
export function breached({ rule, code }: Fault): Message {
  return { "@context": CONTEXTS, extensions: { aaepd: { breach: rule ?? code } } };
}

/** The words that an event has for people. */
export function summaryOf(event: Message): string {
  const texts = [event.summary_normal, event.summary_terse, event.chunk, event.action, event.question, event.tool];
  const text = texts.find((one) => typeof one === "string" && one.trim() !== "");
  return shortenedText(String(text ?? topicOf(event)), LONGEST_SUMMARY);
}
