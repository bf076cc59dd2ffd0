// The demands of each type of event on its session, and the changes that it makes there (AAEP §4.1..§4.3, §4.5; R3a, R5, R13, R25). These are the
// steps of the table in session-sequence.ts. The steps for questions are in session-questions.ts.
import { Fault } from "../../base/errors.js";
import { textOf } from "../../base/members.js";
import { foldedName } from "../../base/tool-name.js";
import { AWAITING_INPUT } from "../event/agent-states.js";
import { AAEPD } from "../event/vocabulary.js";
import { addLengths, fitsPosition, joinChunk, remainder } from "../text/chunk-text.js";
import { shortenedText } from "../text/shortened-text.js";
import { breach, type Change, type RuleContext, textOrUndefined } from "./change.js";
import { checkClosures, checkOpenLimit, checkOpenSessions, PUBLISH_LIMITS } from "./session-limits.js";
import { asksForCall, questionsOf, wasInvoked, withdraw } from "./session-questions.js";
import {
  type AgentRecord,
  type ChunkLook,
  createOutputRecord,
  type OpenTool,
  type OutputRecord,
  type Permit,
  type SessionRecord,
  withNewest,
} from "./session-record.js";

export function startSession({ change, session, event, ownToken }: RuleContext): void {
  const { owners, options } = change.rules;
  const openCount = owners.countOf(change.connection) + (change.started?.length ?? 0);
  checkOpenSessions(options.limits.publishLimits ?? PUBLISH_LIMITS, openCount);
  session.phase = "open";
  session.starter = event.producer;
  session.language = event.localization_hints?.primary_language;
  session.owner = change.connection;
  session.resumeToken = ownToken === undefined ? `rst_${change.moment.ids.hex(16)}` : undefined;
  session.tokenHash = options.hashToken(ownToken ?? session.resumeToken ?? "");
  change.started ??= [];
  change.started.push(session);
}

/** Ends a session that succeeded. Such a session may leave no tool and no output open (R3a). */
export function completeSession(context: RuleContext): void {
  const { session } = context;
  if (session.tools.size > 0 || session.outputs.size > 0) {
    const [tool] = session.tools.values();
    const [output] = session.outputs.values();
    const first =
      tool !== undefined
        ? `tool.completed for ${tool.toolCallId ?? tool.tool}`
        : `a chunk with complete: true for ${output?.outputId ?? "the output without output_id"}`;
    breach(context, "session_incomplete", `Publish ${first} first; it is still open.`, "/type", "R3a");
  }
  endSession(context);
}

/** Ends a session. First it closes the open tools and outputs in their agents' names (R3a), and withdraws the open questions (AAEP §6.8). */
export function endSession(context: RuleContext): void {
  const { change, session, event } = context;
  closeOpen(change, session, event.timestamp);
  finish(change, session);
}

function closeOpen(change: Change, session: SessionRecord, stamp: string, isEnd = false): void {
  const { counts, options } = change.rules;
  checkClosures(counts, change.events.length, session.questions.size + session.tools.size + session.outputs.size);
  for (const question of session.questions.values()) withdraw(change, session, question, stamp, isEnd);
  for (const { tool, toolCallId, producer } of session.tools.values()) {
    change.emitMade(session, "closing", "tool.completed", producer, stamp, {
      tool,
      ...(toolCallId === undefined ? undefined : { tool_call_id: toolCallId }),
      status: "timeout",
      ...options.summary({ kind: "tool_abandoned", tool, producer }),
    });
  }
  for (const output of session.outputs.values()) {
    const { last } = output;
    if (last === undefined) continue;
    // The closing chunk repeats every member that decides about merging, so that the held text still ends as one unit (R10).
    const fields: Record<string, unknown> = { urgency: last.urgency };
    for (const name of ["output_id", "content_type", "language", "localization_hints", "correlation_id"]) {
      if (last[name] !== undefined) fields[name] = last[name];
    }
    const chunk = remainder(output.carry);
    change.emitMade(session, "closing", "output.streaming", last.producer, stamp, {
      ...fields,
      chunk,
      position: output.codePoints,
      complete: true,
      coalesce_hint: "completion",
    });
    addLengths(output, chunk);
    output.carry = "";
    endOutput(change, session, output);
  }
}

function finish(change: Change, session: SessionRecord): void {
  session.phase = "ended";
  change.ended ??= [];
  change.ended.push(session);
}

/** Changes the agent's state. `from_state` has to be the agent's last state, or one that its later events imply (AAEP §4.2.1, R3a). */
export function changeState(context: RuleContext): void {
  const { change, session, agent, event } = context;
  const from = textOf(event.from_state);
  const to = textOf(event.to_state);
  const isBelated = agent.isRestored && from === AWAITING_INPUT;
  const left = isBelated ? agent.state : from;
  if (left !== agent.state && !agent.impliedStates.includes(left)) {
    const sentence = `Set from_state to "${agent.state}", the state this agent is in.`;
    breach(context, "state_mismatch", sentence, "/from_state", "AAEP §4.2.1, R3a");
  }
  if (from === AWAITING_INPUT && (to === "thinking" || to === "deciding")) {
    const questions = questionsOf(session, agent.agentId);
    checkClosures(change.rules.counts, change.events.length, questions.length);
    for (const question of questions) withdraw(change, session, question, event.timestamp);
  }
  if (to === AWAITING_INPUT && left !== AWAITING_INPUT) agent.stateBeforeAwaiting = left;
  agent.state = to;
  agent.told = to;
  agent.current = to;
  agent.impliedStates = [];
  agent.isRestored = false;
  // The daemon has already reported that the agent no longer waits.
  if (isBelated && left === to) context.isSuppressed = true;
  else if (isBelated) context.event = { ...event, from_state: left };
}

/** Progress of its session, or of one open call that it names in the daemon's extension (R5c). */
export function reportProgress(context: RuleContext): void {
  const { session, agent, event } = context;
  const call = event.extensions?.[AAEPD]?.tool_call_id;
  if (call !== undefined) {
    if (session.tools.has(textOf(call))) return;
    throw notInvoked(
      "Name an open call, as in its tool.invoked; none with this id is open.",
      `/extensions/${AAEPD}/tool_call_id`,
    );
  }
  const { percent } = event.progress as { readonly percent?: unknown };
  agent.percent = typeof percent === "number" ? percent : undefined;
}

/** UTF-16 units of a tool's words that are remembered while it runs. */
const LONGEST_WORDS = 80;

/** Opens a tool. A call's id is used once in a session, and an irreversible call needs a confirmation (AAEP §4.3.1, R5). */
export function invokeTool(context: RuleContext): void {
  const { change, session, event } = context;
  const { counts } = change.rules;
  const tool = textOf(event.tool);
  const toolCallId = textOrUndefined(event.tool_call_id);
  if (toolCallId !== undefined && wasInvoked(session, toolCallId)) {
    const sentence = "Give every invocation a tool_call_id of its own; this one was used in this session.";
    breach(context, "tool_already_invoked", sentence, "/tool_call_id", "AAEP §4.3.1");
  }
  const consent = event.extensions?.[AAEPD]?.consent;
  let used: Permit | undefined;
  if (event.irreversible === true || consent !== undefined) used = permittedBy(context, tool, toolCallId, consent);
  else if (toolCallId !== undefined && asksForCall(session, toolCallId)) {
    const sentence = "Wait for the outcome; a question that is open asks whether this very call may be made.";
    breach(context, "confirmation_required", sentence, "/tool_call_id", "AAEP §6.1");
  }
  checkOpenLimit(counts, "tools", session.tools.size, "/tool");
  if (used !== undefined) {
    session.past = { ...session.past, permits: session.past.permits.filter((permit) => permit !== used) };
  }
  const { producer, timestamp: since } = event;
  const said = textOrUndefined(event.summary_terse) ?? textOrUndefined(event.summary_normal);
  const opened: OpenTool = {
    tool,
    toolCallId,
    producer,
    ordinal: session.ordinal + 1,
    since,
    at: change.moment.now,
    words: said === undefined ? undefined : shortenedText(said, LONGEST_WORDS),
  };
  session.tools.set(toolCallId ?? opened.ordinal, opened);
  if (toolCallId !== undefined) {
    session.past = { ...session.past, calls: withNewest(session.past.calls, toolCallId, counts.callIds) };
  }
}

/** The confirmation that permits the call and is used up by it: the one whose token the call names (R5c), else one that fits (R5). */
function permittedBy(
  context: RuleContext,
  tool: string,
  toolCallId: string | undefined,
  consent: unknown,
): Permit | undefined {
  const { change, session, agent, event } = context;
  if (change.rules.options.hasAnswered?.(change.connection, session.sessionId) === true) {
    const sentence = "Make this call over the agent's own connection; this one has answered a question of the session.";
    breach(context, "confirmation_required", sentence, "/irreversible", "R5");
  }
  const own = session.past.permits.filter(
    ({ agentId, isReversible }) => agentId === agent.agentId && !(isReversible && event.irreversible === true),
  );
  const used = consent === undefined ? fittingPermit(own, tool, toolCallId) : permitOf(own, tool, consent);
  if (used === undefined && consent === undefined) {
    const sentence =
      "Ask with awaiting.confirmation, without irreversible: false, and wait until a reply accepts it; one reply permits one action.";
    breach(context, "confirmation_required", sentence, "/irreversible", "AAEP §4.3.1, R5");
  } else if (used === undefined) {
    const sentence =
      "Name the reply_token of this agent's confirmation that a reply accepted in this session, for this tool; it permits one call.";
    breach(context, "confirmation_required", sentence, `/extensions/${AAEPD}/consent`, "R5c");
  }
  return used;
}

/** The permit with this token. If it named a tool, the call is of that tool, in whatever way its name is written (R5c). */
function permitOf(permits: readonly Permit[], tool: string, consent: unknown): Permit | undefined {
  const named = permits.find(({ token }) => token === consent);
  return named?.tool === undefined || foldedName(named.tool) === foldedName(tool) ? named : undefined;
}

/** The permit that names most of the call: the one with its id, then its tool, then the oldest without either. */
function fittingPermit(permits: readonly Permit[], tool: string, toolCallId: string | undefined): Permit | undefined {
  const fitting = permits.filter(
    (permit) =>
      (permit.tool === undefined || permit.tool === tool) &&
      (permit.toolCallId === undefined || permit.toolCallId === toolCallId),
  );
  return (
    fitting.find((permit) => permit.toolCallId !== undefined) ??
    fitting.find((permit) => permit.tool !== undefined) ??
    fitting[0]
  );
}

/**
 * Closes the open invocation with the same `tool_call_id`. Without id, it closes one of the same name: the agent's own before others', the oldest
 * first (AAEP §4.5.2).
 */
export function completeTool(context: RuleContext): void {
  const { session, agent, event } = context;
  const tool = textOf(event.tool);
  const toolCallId = textOrUndefined(event.tool_call_id);
  const open = toolCallId === undefined ? oldestOf(session, agent, tool) : session.tools.get(toolCallId);
  if (open === undefined && toolCallId !== undefined) {
    const sentence = "Publish tool.invoked with this tool_call_id first; none is open.";
    breach(context, "tool_not_invoked", sentence, "/tool_call_id", "AAEP §4.5.2");
  } else if (open === undefined) {
    const sentence = "Publish tool.invoked for this tool first, or name the tool_call_id it was invoked with.";
    breach(context, "tool_not_invoked", sentence, "/tool", "AAEP §4.5.2");
  } else {
    if (open.tool !== tool) throw notInvoked(`Set tool to "${open.tool}", as in tool.invoked.`, "/tool");
    session.tools.delete(toolCallId ?? open.ordinal);
  }
}

function notInvoked(sentence: string, pointer: string): Fault {
  return new Fault("tool_not_invoked", sentence, { pointer, rule: "AAEP §4.5.2" });
}

/** The open tool of this name that was invoked without an id: the agent's own before others', the oldest first. */
function oldestOf({ tools }: SessionRecord, agent: AgentRecord, name: string): OpenTool | undefined {
  let others: OpenTool | undefined;
  for (const one of tools.values()) {
    if (one.tool !== name || one.toolCallId !== undefined) continue;
    if (one.producer.agent_id === agent.agentId) return one;
    others ??= one;
  }
  return others;
}

/** Adds a chunk. The chunks of an output follow one another without gaps, and none follows the last (AAEP §4.3.3, §4.5.4, R13, R25). */
export function streamOutput(context: RuleContext): void {
  const { change, session, event } = context;
  const outputId = textOrUndefined(event.output_id);
  const key = outputId ?? "";
  const where = outputId === undefined ? "" : "/output_id";
  const known = session.outputs.get(key);
  if (known === undefined) {
    if (session.past.outputs.includes(key)) {
      const sentence = "Begin another output with an output_id of its own; this one is complete.";
      breach(context, "output_already_complete", sentence, where, "AAEP §4.5.4");
    }
    checkOpenLimit(change.rules.counts, "outputs", session.outputs.size, where);
  }
  const output = known ?? createOutputRecord(outputId, session.ordinal + 1);
  const { codePoints } = output;
  const given = event.position;
  if (given !== codePoints && !fitsPosition(given, output, output.carry)) {
    const sentence = `Set position to ${codePoints}, the code points sent so far, or leave it out.`;
    breach(context, "position_mismatch", sentence, "/position", "AAEP §4.3.3, R13");
  }
  if (known === undefined) {
    output.language = textOrUndefined(event.language) ?? event.localization_hints?.primary_language;
    session.outputs.set(key, output);
  }
  const chunk = textOf(event.chunk);
  const isLast = event.complete === true;
  const { text, carry } = joinChunk(output.carry, chunk, isLast);
  addLengths(output, text);
  output.carry = carry;
  if (text !== chunk || given !== codePoints) context.event = { ...event, chunk: text, position: codePoints };
  output.last = lookOf(context.event);
  if (isLast) endOutput(change, session, output);
}

/** Reduces a chunk to the members that the closing chunk repeats. Its text would stay in memory for as long as the output is open. */
function lookOf(chunk: ChunkLook): ChunkLook {
  const { producer, urgency, output_id, content_type, language, localization_hints, correlation_id } = chunk;
  return { producer, urgency, output_id, content_type, language, localization_hints, correlation_id };
}

function endOutput(change: Change, session: SessionRecord, { outputId = "" }: OutputRecord): void {
  session.outputs.delete(outputId);
  const { completedOutputs } = change.rules.counts;
  session.past = { ...session.past, outputs: withNewest(session.past.outputs, outputId, completedOutputs) };
}

/** Ends a session because its agent did not come back, or because the daemon stops (R8, R8a). */
export function abandonSession(change: Change, session: SessionRecord, isStopping: boolean): void {
  const because = isStopping ? "daemon_stopped" : session.isLeftOver ? "not_back" : "connection_lost";
  const stamp = change.stampNow(session);
  closeOpen(change, session, stamp, true);
  change.emitMade(session, "closing", "session.errored", session.starter, stamp, {
    error_category: "transient",
    error_code: "AGENT_DISCONNECTED",
    recoverable: true,
    ...change.rules.options.summary({ kind: "agent_disconnected", producer: session.starter, because }),
  });
  finish(change, session);
}
