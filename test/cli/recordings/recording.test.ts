import { expect, test } from "vitest";
import {
  agentsPart,
  createAgentsParts,
  createRestamper,
  createSchedule,
} from "../../../src/cli/recordings/recording.js";

function countingIds() {
  const made: string[] = [];
  return { hex: () => `new${made.push("")}` };
}

test("R3b: timestamps become those of now, and never go back", () => {
  const restamp = createRestamper({ keepsIds: true, ids: countingIds() });
  const event = { event_id: "evt_1", timestamp: "2020-01-01T00:00:00Z" };
  expect(restamp(event, 5000)).toEqual({ event_id: "evt_1", timestamp: "1970-01-01T00:00:05.000Z" });
  expect(restamp(event, 4000).timestamp).toBe("1970-01-01T00:00:05.000Z");
});

test("R2: what the agent left out stays out", () => {
  const restamp = createRestamper({ keepsIds: false, ids: countingIds() });
  expect(restamp({ type: "x", session_id: "sess_1" }, 0)).toEqual({ type: "x", session_id: "sess_new1" });
});

test("ids are new, the same one for the same old one; those of outputs and tools belong to the session and stay", () => {
  const restamp = createRestamper({ keepsIds: false, ids: countingIds() });
  const first = restamp({ event_id: "evt_1", session_id: "sess_1", reply_token: "rpl_1", output_id: "out_1" }, 0);
  const second = restamp({ event_id: "evt_2", session_id: "sess_1", tool_call_id: "call_1" }, 0);
  expect(first).toEqual({ event_id: "evt_new1", session_id: "sess_new2", reply_token: "rpl_new3", output_id: "out_1" });
  expect(second).toEqual({ event_id: "evt_new4", session_id: "sess_new2", tool_call_id: "call_1" });
  // R5c: a call names its consent by the token.
  const call = { extensions: { mine: {}, aaepd: { consent: "rpl_1", approved_by: "host" } } };
  expect(restamp(call, 0)).toEqual({ extensions: { mine: {}, aaepd: { consent: "rpl_new3", approved_by: "host" } } });
  expect(restamp({ event_id: 7, session_id: "wrong" }, 0)).toEqual({ event_id: 7, session_id: "wrong" });
});

test("paces: at once, at a rate, as recorded, faster than recorded", () => {
  const at = (seconds: number) => ({ timestamp: new Date(seconds * 1000).toISOString() });
  const events = [at(10), at(11), at(10.5), {}, at(14)];
  const due = (pace: Parameters<typeof createSchedule>[0]) => events.map(createSchedule(pace));
  expect(due({ kind: "unpaced" })).toEqual([0, 0, 0, 0, 0]);
  expect(due({ kind: "rate", eventsPerSecond: 4 })).toEqual([0, 250, 500, 750, 1000]);
  expect(due({ kind: "recorded", speed: 1 })).toEqual([0, 1000, 1000, 1000, 4000]);
  expect(due({ kind: "recorded", speed: 2 })).toEqual([0, 500, 500, 500, 2000]);
});

test("R31: of a recording an agent's part is played: no marks of the daemon, and of states that it tells by itself the step", () => {
  const state = { type: "aaep:agent.state.changed", session_id: "sess_1" };
  expect(agentsPart({ ...state, extensions: { aaepd: { by: "daemon", gap: { events: 3 } } } })).toBeUndefined();
  expect(agentsPart(state)).toBe(state);
  const step = { ...state, from_state: "awaiting_input", to_state: "calling_tool" };
  const told = { urgency: "critical", summary_normal: "Nobody could be asked.", localization_hints: {} };
  expect(agentsPart({ ...step, ...told, extensions: { aaepd: { by: "daemon", decision: "rejected" } } })).toEqual(step);
  expect(agentsPart({ ...step, extensions: { aaepd: { by: "daemon", summary: true } } })).toBeUndefined();
  const standing = { ...step, to_state: "awaiting_input" };
  expect(agentsPart({ ...standing, extensions: { aaepd: { by: "daemon", asks: "confirmation" } } })).toBeUndefined();
  const errored = { type: "aaep:agent.session.errored", session_id: "sess_1" };
  expect(agentsPart({ ...errored, extensions: { aaepd: { by: "daemon" } } })).toEqual(errored);
  expect(agentsPart({ ...errored, extensions: { mine: {}, aaepd: { overtook: true } } })).toEqual({
    ...errored,
    extensions: { mine: {} },
  });
  const asking = { ...errored, extensions: { aaepd: { accepts_modified_action: true } } };
  const approved = { ...errored, extensions: { aaepd: { approved_by: "host" } } };
  expect(agentsPart({ ...approved, extensions: { aaepd: { approved_by: "host", overtook: true } } })).toEqual(approved);
  expect(agentsPart(asking)).toEqual(asking);
});

test("R6: of a recording that holds a question's notice beside the question, the notice tells nothing; alone it is the agent's step", () => {
  const notice = {
    type: "aaep:agent.state.changed",
    from_state: "thinking",
    to_state: "awaiting_input",
    extensions: { aaepd: { by: "daemon", asks: "confirmation", question: "evt_1" } },
  };
  const step = { type: notice.type, from_state: "thinking", to_state: "awaiting_input" };
  expect(createAgentsParts()(notice)).toEqual(step);
  const agentsPartOf = createAgentsParts();
  const supplied = { ...notice, extensions: { aaepd: { by: "daemon", asks: "confirmation" } } };
  expect(agentsPartOf(supplied)).toEqual(step);
  const question = { type: "aaep:agent.awaiting.confirmation", event_id: "evt_1" };
  expect(agentsPartOf(question)).toEqual(question);
  expect(agentsPartOf(notice)).toBeUndefined();
});
