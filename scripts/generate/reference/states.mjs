import { code, heading, link, list, page, paragraph, table } from "./markdown.mjs";
import { placeOf, ruleLinks } from "./rule-links.mjs";

const toEvent = (kind) =>
  kind === "extension" ? "an event of an extension" : `[${kind}](events.md#agent${kind.replaceAll(".", "")})`;
const joined = (items) => (items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`);

function phaseAfter(kind, phase, { isTerminalKind }) {
  if (kind === "session.started") return "open";
  return isTerminalKind(kind) ? "ended" : phase;
}

/** docs/reference/states.md: the states of agents, the phases of sessions and the ends of questions. */
export function statesPage(tables) {
  const { STANDARD_STATES, STATE_GUIDE, PHASE_GUIDE, RESOLUTION_GUIDE, stateImpliedBy, orderIn } = tables;
  const kinds = orderIn("open").kinds;
  const impliedBy = (state) => kinds.filter((kind) => stateImpliedBy(kind) === state);
  const implying = kinds.filter((kind) => stateImpliedBy(kind) !== undefined);
  return page([
    heading(1, "States"),
    paragraph(
      "An agent has a *state* in each of its sessions, a session has a *phase*, and a question has an *end*. This page has an entry for each, and the steps that the daemon permits between them.",
    ),
    heading(2, "States of an agent"),
    paragraph(
      "An agent announces a change of its state by [state.changed](events.md#agentstatechanged). Any text of 1 to 64 characters is a state. AAEP recommends these seven, and the daemon has words for them in all its languages:",
    ),
    list([`Rules: ${ruleLinks("AAEP §4.2.1, R3a", tables)}. Specification: ${placeOf("AAEP §4.2.1")}`]),
    ...STANDARD_STATES.flatMap((state) => [
      heading(3, state),
      paragraph(STATE_GUIDE[state]),
      impliedBy(state).length === 0 ? undefined : list([`Implied by: ${joined(impliedBy(state).map(toEvent))}`]),
    ]),
    heading(2, "States that events imply"),
    paragraph(
      "Some events imply a state, so that the agent need not announce it. After such an event, the next `state.changed` may begin at the implied state, or at the last state that was announced.",
    ),
    table(
      ["event", "implied state"],
      implying.map((kind) => [toEvent(kind), link(stateImpliedBy(kind))]),
    ),
    heading(2, "Changes of state"),
    paragraph(
      "The daemon keeps the state of each agent in each session. An agent that has published nothing in a session is in `idle`. A `state.changed` may lead to any state. Its `from_state` decides whether the daemon takes it:",
    ),
    table(
      ["`from_state`", "the daemon"],
      [
        ["the agent's last `to_state`, at first `idle`", "takes the event"],
        ["a state that an event since the last `state.changed` implies", "takes the event"],
        [
          "`awaiting_input`, after the daemon itself has reported the end of the wait",
          "takes the event, and delivers it with the state that the daemon has restored. If that is also its `to_state`, nothing is delivered",
        ],
        ["any other state", "refuses the event ([state_mismatch](errors.md#state_mismatch))"],
      ],
    ),
    paragraph(
      "A step from `awaiting_input` to `thinking` or `deciding` takes back all open questions of the agent. If an agent asks without having announced `awaiting_input`, the daemon announces it, and the state before it after the last answer.",
    ),
    heading(2, "Sessions"),
    paragraph(
      "A session is in one of three phases. Each phase takes the events of its entry, and the daemon refuses all others with the code of the entry.",
    ),
    list([`Rules: ${ruleLinks("AAEP §4.5, AAEP §4.5.1, R3", tables)}. Specification: ${placeOf("AAEP §4.5")}`]),
    ...Object.keys(PHASE_GUIDE).flatMap((phase) => {
      const { kinds: taken, refusal } = orderIn(phase);
      return [
        heading(3, phase),
        paragraph(PHASE_GUIDE[phase]),
        taken.length === 0
          ? "The phase takes no event."
          : table(
              ["event", "phase afterwards"],
              taken.map((kind) => [toEvent(kind), code(phaseAfter(kind, phase, tables))]),
            ),
        list([`Refusal of all others: [${refusal}](errors.md#${refusal})`]),
      ];
    }),
    paragraph(
      "A `session.completed` is refused while a tool or an output is open ([session_incomplete](errors.md#session_incomplete)). At `session.errored` and `session.cancelled` the daemon closes them first, and takes open questions back.",
    ),
    heading(2, "Questions"),
    paragraph(
      "A question is open from its event to its end. It ends once, in one of these ways, which `resolved_by` of the outcome names. [How a question ends](../confirmations.md#how-a-question-ends) explains the consequences.",
    ),
    list([`Rules: ${ruleLinks("AAEP §6.1, R6", tables)}. Specification: ${placeOf("AAEP §6.1")}`]),
    ...Object.entries(RESOLUTION_GUIDE).flatMap(([way, { cause, result }]) => [
      heading(3, way),
      paragraph(cause),
      list([`Decision or answer: ${result}`]),
    ]),
  ]);
}
