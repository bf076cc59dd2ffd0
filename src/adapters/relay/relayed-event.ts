// An event of a producer elsewhere, as the relay reads it: a document that nobody has checked.
import { Fault } from "../../base/errors.js";
import { shortenedText } from "../../engine/text/shortened-text.js";
import type { Message } from "./producer-stream.js";

export const CONTEXTS = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"];
/** UTF-16 units of what is said of a refused event. */
const LONGEST_SUMMARY = 1000;
export const ENDS = new Set(["session.completed", "session.errored", "session.cancelled"]);

export function objectOf(value: unknown): Message {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Message) : {};
}

/** Whether an event says that its producer waits for this question no more: its call is made, or the session leaves the state of waiting. */
export function isOver(asked: Message, event: Message): boolean {
  const topic = topicOf(event);
  if (topic === "state.changed") return event.from_state === "awaiting_input" && event.to_state !== "awaiting_input";
  if (topic !== "tool.invoked" && topic !== "tool.completed") return ENDS.has(topic);
  const { tool_call_id: call, tool } = objectOf(asked.extra_context);
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
  return String(name);
}

/** The mark of an event that was refused. */
export function breached(event: Message, { rule, code }: Fault): Message {
  return {
    "@context": CONTEXTS,
    extensions: { ...objectOf(event.extensions), aaepd: { breach: rule ?? code } },
  };
}

/** The words that an event has for people. */
export function summaryOf(event: Message): string {
  const texts = [event.summary_normal, event.summary_terse, event.chunk, event.action, event.question, event.tool];
  const text = texts.find((one) => typeof one === "string" && one.trim() !== "");
  return shortenedText(String(text ?? topicOf(event)), LONGEST_SUMMARY);
}
