import type { Catalogue } from "./catalogue.js";
import { createResolution } from "./resolution-words.js";
import { createWording, sentences } from "./wording.js";

const { plural, percent, duration, state, list } = createWording("en");

const STATES = {
  idle: "Idle",
  thinking: "Thinking",
  calling_tool: "Using a tool",
  writing_output: "Writing",
  awaiting_input: "Waiting for input",
  deciding: "Deciding",
  handing_off: "Handing off",
} as const;

const GAPS = {
  aged_out: "they were no longer stored when their turn came",
  resumed_too_late: "the subscription was resumed after they had been deleted",
  unknown_place: "the place from which the subscription was to go on is not known here",
} as const;

const resolution = createResolution("en", {
  decisions: {
    accepted: "Accepted.",
    rejected: "Rejected.",
    answered: "Answered.",
    cancelled: "Withdrawn.",
  },
  decidedBy: {
    reply: "",
    timeout: "Nobody answered in time, so the default applies.",
    nobody_to_ask: "Nobody could be asked, so the default applies.",
    nobody_left: "Whoever could have answered has gone, so the default applies.",
    host: "It was answered in the agent’s own window.",
    agent: "",
    host_window: "Answer it in the agent’s own window.",
  },
  decidedByTerse: {
    reply: "",
    timeout: "Timed out.",
    nobody_to_ask: "Nobody to ask.",
    nobody_left: "Left unanswered.",
    host: "Answered in the agent’s window.",
    agent: "",
    host_window: "Answer it in the agent’s own window.",
  },
  withoutDefault: {
    nobody_to_ask: "Nobody could be asked.",
    nobody_left: "Nobody who could answer is left.",
  },
  noAnswer: "No answer came.",
  yes: "yes",
  no: "no",
  takenToBe: (answer) => ({ terse: `Taken to be: ${answer}`, normal: `The answer is taken to be: ${answer}` }),
  question: (asking) => `The question was: ${asking}`,
});

const CLOSINGS = {
  producer_shutdown: {
    terse: "Shutting down.",
    normal: "The daemon is shutting down. Subscribe again when it is back.",
  },
  recording_ended: { terse: "The recording has ended.", normal: "The recording has ended. Nothing more follows." },
  producer_error: {
    terse: "Something went wrong.",
    normal: "The daemon made a mistake and closed the subscription. Subscribe again to go on where you were.",
  },
  lagging: {
    terse: "Too far behind.",
    normal: "The subscription took events too slowly and was closed. Subscribe again to go on where you were.",
  },
  handshake_timeout: {
    terse: "No request came.",
    normal: "The connection was closed because no subscription request came in time.",
  },
  idle_timeout: { terse: "Idle too long.", normal: "The connection was closed because it was idle for too long." },
} as const;

export const ENGLISH: Catalogue = {
  sessionSummary: ({ state: name, toolsRunningCount, outputOpen, questionOpen, percent: done }) => ({
    terse: sentences([
      `${state(STATES, name)}.`,
      questionOpen && "Question open.",
      done !== undefined && `${percent(done)}.`,
    ]),
    normal: sentences([
      `Current state: ${state(STATES, name)}.`,
      toolsRunningCount > 0 && plural(toolsRunningCount, { one: "# tool is running.", other: "# tools are running." }),
      outputOpen && "Output is being written.",
      questionOpen && "A question is waiting for an answer.",
      done !== undefined && `${percent(done)} done.`,
    ]),
  }),
  gap: ({ eventCount, reason }) =>
    eventCount === undefined
      ? { terse: "Events may have been missed.", normal: `Events may have been missed because ${GAPS[reason]}.` }
      : {
          terse: plural(eventCount, { one: "Up to # event missed.", other: "Up to # events missed." }),
          normal: `${plural(eventCount, { one: "Up to # event was missed", other: "Up to # events were missed" })} because ${GAPS[reason]}.`,
        },
  agentDisconnected: ({ agent }) => ({
    terse: "Agent disconnected.",
    normal: `The connection to ${agent} was lost, so the session has ended. Starting it again may help.`,
  }),
  agentNotBack: ({ agent }) => ({
    terse: "Agent did not come back.",
    normal: `The daemon was restarted and ${agent} did not come back, so the session has ended. Starting it again may help.`,
  }),
  daemonStopped: ({ agent }) => ({
    terse: "Daemon stopped.",
    normal: `The daemon was stopped, so the session of ${agent} has ended. Starting it again may help.`,
  }),
  toolAbandoned: ({ tool }) => ({
    terse: `${tool}: no result.`,
    normal: `The tool ${tool} was abandoned without a result.`,
  }),
  questionNotice: ({ agent, kind, asking }) => ({
    terse: `${kind === "confirmation" ? "Confirmation asked elsewhere" : "Question asked elsewhere"}: ${asking}`,
    normal: sentences([
      kind === "confirmation" ? `${agent} asks for a confirmation: ${asking}` : `${agent} asks a question: ${asking}`,
      "It cannot be answered over this subscription.",
    ]),
  }),
  resolution,
  countdown: ({ passed, remainingSeconds, asking }) => ({
    terse: `${duration(remainingSeconds)} left to answer.`,
    normal: sentences([
      passed === "half" ? "Half of the time to answer has passed." : "Little time is left to answer.",
      `${duration(remainingSeconds)} left.`,
      `The question is: ${asking}`,
    ]),
  }),
  closing: ({ reason }) => CLOSINGS[reason],
  relayStarted: ({ agent, capabilities }) => ({
    terse: "Session started.",
    normal: `${agent} has begun. It may use: ${list(capabilities)}.`,
  }),
  relayEnded: ({ agent }) => ({ terse: "Done.", normal: `${agent} has finished.` }),
  relayCall: ({ agent, tool, details }) => ({
    terse: `Uses ${tool}.`,
    normal: sentences([`${agent} uses ${tool}.`, details !== undefined && `With ${details}.`]),
  }),
  relayFailed: ({ tool, code }) => ({ terse: `${tool} failed.`, normal: `${tool} failed: ${code}.` }),
  relayArtifact: ({ tool, name }) => ({ terse: `File: ${name}.`, normal: `${tool} has made the file ${name}.` }),
  relayAction: ({ agent, tool, details }) => ({
    terse: `Let ${agent} use ${tool}?`,
    normal: sentences([`${agent} wants to use ${tool}.`, details !== undefined && `With ${details}.`]),
  }),
  relayConsequence: ({ tool }) => ({
    terse: "Cannot be undone.",
    normal: `Effects of ${tool} cannot be undone.`,
  }),
};
