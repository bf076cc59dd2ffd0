// Chapter 4: the order of the events of a session.
import type { Message } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { type HeardSession, isTerminal } from "./hearing.js";
import { eachSession, type SessionFault, type WatchingCase } from "./producer-case.js";
import { isType, kindOf } from "./stage.js";

const unseen = "No session that was heard from its beginning to its end.";

/** The state that an event implies beside `state.changed` (AAEP §4.2.1). */
const IMPLIED: ReadonlyMap<string | undefined, string> = new Map(
  Object.entries({
    "tool.invoked": "calling_tool",
    "output.streaming": "writing_output",
    "awaiting.confirmation": "awaiting_input",
    "awaiting.clarification": "awaiting_input",
    "handoff.requested": "handing_off",
  }),
);

/** The scenarios in which the agent thinks, as they say. */
const THINKING: readonly string[] = ["session", "cancel", "verbosity"];
/** How the sessions of these scenarios end, as they say. */
const ENDS: ReadonlyMap<string | undefined, string> = new Map([
  ["session", "session.completed"],
  ["error", "session.errored"],
  ["error-after-tools", "session.errored"],
  ["cancel", "session.cancelled"],
  ["cancel-question", "session.cancelled"],
]);
/** The statuses of the tools of these scenarios. */
const STATUSES: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ["session", ["success"]],
  ["error", ["error"]],
  ["tool-failure", ["error", "timeout"]],
]);
/** The states that follow a tool's. */
const AFTER_TOOLS: ReadonlySet<unknown> = new Set(["thinking", "deciding", "writing_output", "idle"]);

/** The work whose states a producer must tell of at least (AAEP §9.3.1). */
const WORK = ["tool.invoked", "output.streaming"];

export const SESSION_CASES: readonly WatchingCase[] = [
  eachSession(
    "P1-session-started",
    "A session begins with session.started, and has it once.",
    ["AAEP §4.5.1", "AAEP §4.1.1", "AAEP §9.3.1"],
    unseen,
    ({ events, isFromBeginning, isFiltered }) => {
      if (!isFromBeginning || isFiltered) return "not judged";
      const starts = placesOf(events, (event) => isType(event, "session.started"));
      if (starts.length > 1) return { seen: "A session began twice.", places: starts };
      return starts[0] === 0
        ? undefined
        : { seen: "Another event came before session.started.", places: [0, ...starts] };
    },
  ),
  eachSession(
    "P1-one-terminal",
    "A session ends with one of session.completed, session.errored and session.cancelled, and has one of them.",
    ["AAEP §4.5.1", "AAEP §9.3.1"],
    unseen,
    ({ events, isFromBeginning, isOver, isFiltered, isOwn, scenario }) => {
      const ends = placesOf(events, isTerminal);
      // A subscription that came later may have missed the end.
      if (ends.length === 0 && isFromBeginning && isOver && !isFiltered)
        return { seen: "A session did not end, though its scenario was over.", places: [events.length - 1] };
      if (ends.length === 0) return "not judged";
      if (ends.length > 1) return { seen: `A session ended ${ends.length} times.`, places: ends };
      const wanted = isOwn ? ENDS.get(scenario) : undefined;
      return wanted === undefined || events.some(({ event }) => isType(event, wanted))
        ? undefined
        : { seen: `The session of the scenario ${scenario} does not end with ${wanted}.`, places: ends };
    },
  ),
  eachSession(
    "P1-nothing-after-end",
    "No event of a session comes after its terminal event.",
    ["AAEP §4.5.1"],
    unseen,
    ({ events, isFiltered }) => {
      const [end] = placesOf(events, isTerminal);
      // A critical end overtakes what a rate holds back.
      if (end === undefined || isFiltered) return "not judged";
      const after = events.findIndex(({ event }, place) => place > end && !isTerminal(event));
      return after === -1 ? undefined : { seen: "An event came after the end of its session.", places: [end, after] };
    },
  ),
  eachSession(
    "P1-tool-invoked-first",
    "Every tool.completed follows a tool.invoked of the same call.",
    ["AAEP §4.5.2"],
    "No tool.completed came in a session that was heard from its beginning.",
    (session) => (toolsMayBeMissing(session) ? "not judged" : toolFault(session, "invoked")),
  ),
  eachSession(
    "P1-tool-completed",
    "Every tool.invoked is followed by a tool.completed before its session ends, also after errors and timeouts, and before the state calling_tool is left.",
    ["AAEP §9.3.1", "AAEP §4.3.2"],
    "No tool was invoked in a session that was heard to its end.",
    (session) => {
      const isEnded = session.events.some(({ event }) => isTerminal(event));
      if (toolsMayBeMissing(session) || !isEnded) return "not judged";
      return (
        toolFault(session, "completed") ?? (session.isOwn ? (leftFault(session) ?? statusFault(session)) : undefined)
      );
    },
  ),
  eachSession(
    "P1-tool-call-unique",
    "A tool_call_id is invoked once in its session.",
    ["AAEP §4.3.1"],
    "No tool with a tool_call_id was invoked.",
    ({ events }) => {
      const seen = new Map<unknown, number>();
      for (const [place, { event }] of events.entries()) {
        if (!isType(event, "tool.invoked") || event.tool_call_id === undefined) continue;
        const known = seen.get(event.tool_call_id);
        if (known !== undefined)
          return { seen: `${wordsOf(event.tool_call_id)} is invoked twice.`, places: [known, place] };
        seen.set(event.tool_call_id, place);
      }
      return seen.size === 0 ? "not judged" : undefined;
    },
  ),
  eachSession(
    "P1-tool-name",
    "tool.completed names the tool that its tool.invoked names.",
    ["AAEP §4.3.2"],
    "No tool with a tool_call_id completed.",
    ({ events }) => {
      const tools = new Map<unknown, unknown>();
      let judged = 0;
      for (const [place, { event }] of events.entries()) {
        if (event.tool_call_id === undefined) continue;
        if (isType(event, "tool.invoked")) tools.set(event.tool_call_id, event.tool);
        if (!isType(event, "tool.completed") || !tools.has(event.tool_call_id)) continue;
        judged += 1;
        if (tools.get(event.tool_call_id) !== event.tool)
          return { seen: `The tool of ${wordsOf(event.tool_call_id)} is now ${wordsOf(event.tool)}.`, places: [place] };
      }
      return judged === 0 ? "not judged" : undefined;
    },
  ),
  eachSession(
    "P1-state-first",
    "The first state.changed of a session comes from the state idle.",
    ["AAEP §4.2.1"],
    "No state.changed came in a session that was heard from its beginning.",
    ({ events, isFromBeginning, isFiltered }) => {
      const first = events.findIndex(({ event }) => isType(event, "state.changed"));
      if (first === -1 || !isFromBeginning || isFiltered) return "not judged";
      const event = events[first]?.event;
      const isImplied = events.slice(0, first).some(({ event: before }) => IMPLIED.has(kindOf(before)));
      return event?.from_state === "idle" || isImplied
        ? undefined
        : { seen: `The first state.changed comes from ${wordsOf(event?.from_state)}.`, places: [first] };
    },
  ),
  eachSession(
    "P1-state-chain",
    "Every state.changed comes from the state in which the events before it left the agent.",
    ["AAEP §4.2.1"],
    "No two state.changed came in one session.",
    stateChainFault,
  ),
  eachSession(
    "P1-states-told",
    "A session that calls tools has a state.changed to calling_tool, one that writes has one to writing_output, and one that thinks has one to thinking.",
    ["AAEP §9.3.1"],
    "No session that calls tools or writes was heard from its beginning to its end.",
    ({ events, isFromBeginning, isFiltered, isOwn, scenario }) => {
      const isWhole = isFromBeginning && !isFiltered && events.some(({ event }) => isTerminal(event));
      const works = events.some(({ event }) => isType(event, ...WORK));
      const thinks = isOwn && scenario !== undefined && THINKING.includes(scenario);
      if (!(works || thinks) || !isWhole) return "not judged";
      const told = new Set(events.map(({ event }) => (isType(event, "state.changed") ? event.to_state : undefined)));
      if (thinks && !told.has("thinking"))
        return { seen: "No state.changed of the session goes to thinking.", places: [0] };
      for (const kind of WORK) {
        const state = IMPLIED.get(kind);
        const place = events.findIndex(({ event }) => isType(event, kind));
        if (place !== -1 && !told.has(state))
          return { seen: `No state.changed of the session goes to ${state}.`, places: [place] };
      }
      return undefined;
    },
  ),
];

function placesOf(events: HeardSession["events"], isWanted: (event: Message) => boolean): readonly number[] {
  return events.flatMap(({ event }, place) => (isWanted(event) ? [place] : []));
}

function toolsMayBeMissing({ events, isFromBeginning, isFiltered }: HeardSession): boolean {
  return !isFromBeginning || isFiltered || !events.some(({ event }) => isType(event, "tool.invoked", "tool.completed"));
}

/** The first call that has no other half. */
function toolFault({ events }: HeardSession, wanted: "invoked" | "completed"): SessionFault | undefined {
  /** The places of the open calls. Calls of one tool without ids may run side by side. */
  const open = new Map<string, number[]>();
  for (const [place, { event }] of events.entries()) {
    if (!isType(event, "tool.invoked", "tool.completed")) continue;
    const call = wordsOf(event.tool_call_id ?? `of ${wordsOf(event.tool)}`);
    const places = open.get(call);
    if (isType(event, "tool.invoked")) {
      if (places === undefined) open.set(call, [place]);
      else places.push(place);
    } else if (places?.pop() === undefined && wanted === "invoked")
      return { seen: `tool.completed has the call ${call}, which was not invoked or had completed.`, places: [place] };
  }
  const left = wanted === "completed" ? [...open].find(([, places]) => places.length > 0) : undefined;
  return left === undefined ? undefined : { seen: `The call ${left[0]} never completed.`, places: left[1].slice(0, 1) };
}

/** A state that follows the only open call, before its end (AAEP §4.3.2). Scenarios call one tool after the other. */
function leftFault({ events }: HeardSession): SessionFault | undefined {
  let open = 0;
  for (const [place, { event }] of events.entries()) {
    if (isType(event, "tool.invoked")) open += 1;
    if (isType(event, "tool.completed")) open -= 1;
    const leaves = event.from_state === "calling_tool" && AFTER_TOOLS.has(event.to_state);
    if (open === 1 && isType(event, "state.changed") && leaves)
      return { seen: "The state calling_tool is left before the call completes.", places: [place] };
  }
  return undefined;
}

/** A tool of the scenario whose outcome nobody is told of (AAEP §4.3.2). */
function statusFault({ events, scenario }: HeardSession): SessionFault | undefined {
  const completed = placesOf(events, (event) => isType(event, "tool.completed"));
  const told = new Set(completed.map((place) => events[place]?.event.status));
  const missing = STATUSES.get(scenario)?.find((status) => !told.has(status));
  return missing === undefined
    ? undefined
    : { seen: `No tool of the scenario ${scenario} completes with the status ${missing}.`, places: completed };
}

function stateChainFault({
  events,
  isFiltered,
  answersConfirmations,
}: HeardSession): SessionFault | "not judged" | undefined {
  // A filter may leave out a state, and a critical change overtakes others.
  if (isFiltered) return "not judged";
  const states = new Map<unknown, Set<unknown>>();
  /** The place of the last event that left each agent in a state. */
  const places = new Map<unknown, number>();
  let judged = 0;
  for (const [place, { event }] of events.entries()) {
    const agent = (event.producer as Message | undefined)?.agent_id;
    const implied = IMPLIED.get(kindOf(event));
    const possible = states.get(agent);
    const leaving = places.get(agent);
    if (implied !== undefined || isType(event, "state.changed")) places.set(agent, place);
    if (implied !== undefined) {
      // The state that stands, and the state that the event implies: the chapter allows both.
      states.set(agent, new Set([...(possible ?? []), implied]));
    }
    if (!isType(event, "state.changed")) continue;
    if (possible !== undefined) {
      judged += 1;
      // A question that was kept from the subscription (§5.3.1.4) has left the agent there.
      const isAfterQuestion = !answersConfirmations && event.from_state === "awaiting_input";
      if (!possible.has(event.from_state) && !isAfterQuestion) {
        const seen = `A state.changed comes from ${wordsOf(event.from_state)}, and the agent was in ${[...possible].join(" or ")}.`;
        return { seen, places: [...(leaving === undefined ? [] : [leaving]), place] };
      }
    }
    states.set(agent, new Set([event.to_state]));
  }
  return judged === 0 ? "not judged" : undefined;
}
