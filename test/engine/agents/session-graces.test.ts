// R34: sessions whose grace is over end for 2 ms in a turn, however many they are.
import { expect, it } from "vitest";
import { SessionGraces } from "../../../src/engine/agents/session-graces.js";
import { createWakeUps } from "../../../src/engine/time/wake-ups.js";
import { SILENT_LOG } from "../../support/rigs/engine-rig.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

it("R8, R34: an agent that vanishes without a grace leaves each turn room for others", () => {
  const clock = createVirtualClock();
  const ended: string[] = [];
  const graces = new SessionGraces(
    { clock, wakeUps: createWakeUps(), log: SILENT_LOG, agentGraceMs: () => 0 },
    (sessionId) => {
      ended.push(sessionId);
      clock.pass(0.5);
    },
  );
  for (let number = 0; number < 10; number += 1) graces.begin(`sess_${number}`);
  const counts = [ended.length];
  for (let turn = 0; turn < 3; turn += 1) {
    clock.turn();
    counts.push(ended.length);
  }
  expect(counts).toEqual([4, 8, 10, 10]);
  expect(ended).toEqual(Array.from({ length: 10 }, (_, number) => `sess_${number}`));
});
