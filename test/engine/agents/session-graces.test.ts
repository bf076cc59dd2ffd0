// R34: sessions whose grace is over end for 2 ms in a turn, however many they are.
import { expect, it } from "vitest";
import { SessionGraces } from "../../../src/engine/agents/session-graces.js";
import { Turns } from "../../../src/engine/time/turns.js";
import { createWakeUps } from "../../../src/engine/time/wake-ups.js";
import { SILENT_LOG } from "../../support/rigs/engine-rig.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

/** Graces of no length; the end of a session takes half a millisecond. */
function stage() {
  const clock = createVirtualClock();
  const sendingTurns = new Turns(clock);
  const ended: string[] = [];
  const services = { clock, wakeUps: createWakeUps(), log: SILENT_LOG, agentGraceMs: () => 0, sendingTurns };
  const graces = new SessionGraces(services, (sessionId) => {
    ended.push(sessionId);
    clock.pass(0.5);
  });
  return { clock, sendingTurns, ended, graces };
}

it("R8, R34: an agent that vanishes without a grace leaves each turn room for others", () => {
  const { clock, ended, graces } = stage();
  for (let number = 0; number < 10; number += 1) graces.begin(`sess_${number}`);
  const counts = [ended.length];
  for (let turn = 0; turn < 3; turn += 1) {
    clock.turn();
    counts.push(ended.length);
  }
  expect(counts).toEqual([4, 8, 10, 10]);
  expect(ended).toEqual(Array.from({ length: 10 }, (_, number) => `sess_${number}`));
});

it("R34: sessions end once nobody waits to send, so that no listener falls behind the news of their ends", () => {
  const { clock, sendingTurns, ended, graces } = stage();
  let left = 3;
  const send = (): void => {
    left -= 1;
    if (left > 0) sendingTurns.wait(send);
  };
  sendingTurns.wait(send);
  graces.begin("sess_1");
  const counts = Array.from({ length: 4 }, () => {
    clock.turn();
    return ended.length;
  });
  expect([left, counts]).toEqual([0, [0, 0, 1, 1]]);
});
