// Messages for agents, as documents: JSON-RPC sends them as they are, the services as protobuf messages with the same members.
import type { PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { AgentEvents } from "../../../engine/agents/question-agents.js";
import type { Producer } from "../../../engine/event/event.js";
import { outcomeFields } from "../../../engine/questions/question-result.js";
import type { SessionSummary } from "../../../engine/sessions/session-record.js";
import type { Message } from "../json/message.js";
import type { AgentHandler } from "./agent-handler.js";

/** A receipt as an agent gets it: acknowledged events are durable (R29). */
export function acknowledged(receipt: PublishReceipt | Promise<PublishReceipt>): Message | Promise<Message> {
  if (receipt instanceof Promise) return receipt.then(acknowledged);
  return whenDurable(receiptDocument(receipt), receipt.durable);
}

/** The first page, or the one behind `after`, of a session that was taken over, once everything in it is durable (R29). */
export function takenOver({ summary, durable }: ReturnType<AgentHandler["resumeSession"]>, after: unknown) {
  return whenDurable(summaryDocument(summary, after), durable);
}

function whenDurable(message: Message, durable: Promise<void> | undefined): Message | Promise<Message> {
  return durable === undefined ? message : durable.then(() => message);
}

/** Ids and epochs of published events (R33). */
export function receiptDocument({ events, resumeToken }: PublishReceipt): Message {
  return {
    events: events.map((one) => ({ event_id: one.eventId, epoch: one.epoch, resume_token: one.resumeToken })),
    resume_token: resumeToken,
  };
}

/** The methods of JSON-RPC for news that an agent receives without a call, by their fields in protobuf. */
export const AGENT_NEWS = {
  outcome: "aaep.outcome",
  waiting: "aaep.waiting",
  stop_requested: "aaep.stop_requested",
  user_input: "aaepd.user_input",
  closing: "aaepd.closing",
} as const;

/** Tells an agent its news, each as a document. */
export function agentEvents(tell: (field: keyof typeof AGENT_NEWS, news: Message) => void): AgentEvents {
  return {
    outcome: (resolved) => tell("outcome", outcomeFields(resolved)),
    waiting: ({ token, event: { event_id, session_id } }, waiting) =>
      tell("waiting", { reply_token: token, event_id, session_id, waiting }),
    stopRequested: (session_id) => tell("stop_requested", { session_id }),
    userInput: (text) => tell("user_input", { text }),
    closing: (sessions_kept) => tell("closing", { sessions_kept }),
  };
}

/**
 * The state in which an agent left its session (R8). Questions and outcomes come in pages, everything else with the first one. `after`: the `next` of
 * the page before; without one, or with another text, the first page.
 */
export function summaryDocument(summary: SessionSummary, after?: unknown): Message {
  const from = placeIn(after);
  const { agents, openTools, openOutputs } = from === undefined ? summary : NOTHING_OPEN;
  const head = {
    session_id: summary.sessionId,
    state: summary.state,
    agents: agents.map(({ producer, state }) => ({ producer: knownMembers(producer), state })),
    open_tools: openTools.map(({ tool, toolCallId }) => ({ tool, tool_call_id: toolCallId })),
    open_outputs: openOutputs.map(({ outputId, position }) => ({ output_id: outputId, position })),
  };
  const items: readonly Item[] = [
    ...summary.openQuestions.map(({ ordinal, event }) => ({ place: ordinal, document: event as Message })),
    ...summary.outcomes.map(({ number, token, outcome }) => ({
      place: FIRST_OUTCOME + number,
      document: { reply_token: token, outcome },
    })),
  ];
  const rest = from === undefined ? items : items.filter(({ place }) => place > from);
  const { page, next } = pageOf(rest, JSON.stringify(head).length);
  const isOutcome = ({ place }: Item): boolean => place >= FIRST_OUTCOME;
  return {
    ...head,
    open_questions: page.filter((item) => !isOutcome(item)).map(({ document }) => document),
    outcomes: page.filter(isOutcome).map(({ document }) => document),
    next,
  };
}

const NOTHING_OPEN = { agents: [], openTools: [], openOutputs: [] } as const;

/** A question or an outcome. Its place stays when an earlier question leaves the list: all outcomes stand behind all questions. */
interface Item {
  readonly place: number;
  readonly document: Message;
}

const FIRST_OUTCOME = 2 ** 52;

function placeIn(after: unknown): number | undefined {
  return typeof after === "string" && /^\d{1,16}$/.test(after) ? Number(after) : undefined;
}

/** UTF-16 units of JSON that one answer holds. */
const PAGE_UNITS = 65_536;

/** As many of the items as fit one answer beside `units` of others, at least one. */
function pageOf(items: readonly Item[], units: number): { readonly page: readonly Item[]; readonly next?: string } {
  let taken = units;
  let last: number | undefined;
  for (const [index, { place, document }] of items.entries()) {
    taken += JSON.stringify(document).length;
    if (last !== undefined && taken > PAGE_UNITS) return { page: items.slice(0, index), next: String(last) };
    last = place;
  }
  return { page: items };
}

/** Without members of later versions, for which messages of protobuf have no room. */
function knownMembers({ agent_id, agent_version, agent_name, model, manifest_uri }: Producer): Message {
  return { agent_id, agent_version, agent_name, model, manifest_uri };
}
