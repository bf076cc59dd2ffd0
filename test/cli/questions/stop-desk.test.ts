// R39: a person stops an agent by word.
import { expect, test } from "vitest";
import { createStopDesk } from "../../../src/cli/questions/stop-desk.js";

function stage() {
  const said: string[] = [];
  const stopped: string[] = [];
  const desk = createStopDesk((line) => void said.push(line));
  let isConnected = true;
  const source = (label: string) => ({
    label,
    stop: (id: string) => {
      if (isConnected) stopped.push(`${id} at ${label}`);
      return isConnected;
    },
  });
  const event = (kind: string, session_id: string, agent_name?: string) => ({
    type: `aaep:agent.${kind}`,
    session_id,
    event_id: "evt_1",
    timestamp: "2026-01-01T00:00:00Z",
    urgency: "normal" as const,
    "@context": "https://aaep-protocol.org/context/v1" as const,
    producer: { agent_id: "a", ...(agent_name === undefined ? {} : { agent_name }) },
  });
  const heard = () => said.splice(0);
  const disconnect = () => {
    isConnected = false;
  };
  return { desk, source, event, stopped, heard, disconnect };
}

test("one agent is named, and only its number stops it", () => {
  const { desk, source, event, stopped, heard } = stage();
  const home = source("");
  desk.typed(undefined);
  expect(heard()).toEqual(["No agent is heard at the moment."]);
  desk.heard(home, event("session.started", "sess_1", "Claude in shop\u001b[2J"));
  desk.heard(home, event("tool.invoked", "sess_1", "Another"));
  // A number that nobody has heard stops nothing.
  desk.typed(1);
  expect([heard(), stopped]).toEqual([["Type stop 1 to stop Claude in shop[control sequence [2J]."], []]);
  desk.typed(1);
  expect([heard(), stopped]).toEqual([["Sent: stop Claude in shop[control sequence [2J]."], ["sess_1 at "]]);
  desk.heard(home, event("session.cancelled", "sess_1"));
  desk.typed(1);
  expect(heard()).toEqual(["Claude in shop[control sequence [2J] has ended already."]);
});

test("several have the numbers that were told last, whatever begins and ends meanwhile", () => {
  const { desk, source, event, stopped, heard, disconnect } = stage();
  const [home, work] = [source(""), source("work")];
  desk.heard(home, event("session.started", "sess_1", "Bank"));
  desk.heard(work, event("state.changed", "sess_2"));
  desk.typed(undefined);
  expect(heard()).toEqual(["1 is Bank.", "2 is a, at work.", "Type stop and a number, as in stop 1."]);
  desk.heard(home, event("session.completed", "sess_1"));
  desk.heard(home, event("session.started", "sess_3", "Shop"));
  desk.typed(2);
  expect([heard(), stopped]).toEqual([["Sent: stop a, at work."], ["sess_2 at work"]]);
  desk.typed(3);
  expect(heard()).toHaveLength(3);
  disconnect();
  desk.typed(1);
  expect(heard()).toEqual(["Not sent: there is no connection at the moment."]);
  desk.forget(home);
  desk.forget(work);
  desk.typed(undefined);
  expect(heard()).toEqual(["No agent is heard at the moment."]);
});

test("a refused stop is told by the name of its agent, once", () => {
  const { desk, source, event, heard } = stage();
  const [home, work] = [source(""), source("work")];
  desk.heard(home, event("session.started", "sess_1", "Claude in shop"));
  desk.typed(undefined);
  expect(desk.refused(home, true)).toBe(false);
  desk.typed(1);
  heard();
  expect(desk.refused(work, true)).toBe(false);
  expect(desk.refused(home, true)).toBe(true);
  expect(desk.refused(home, true)).toBe(false);
  desk.typed(1);
  expect(desk.refused(home, false)).toBe(true);
  expect(heard()).toEqual([
    "Claude in shop cannot be stopped from here: press Esc in its own window.",
    "Sent: stop Claude in shop.",
    "Claude in shop has ended already.",
  ]);
});
