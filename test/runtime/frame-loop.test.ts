// R34: connections that read share turns of the event loop by time, not by frames.
import { expect, it } from "vitest";
import { Turns } from "../../src/engine/time/turns.js";
import { FrameLoop } from "../../src/runtime/frame-loop.js";
import { createMemoryPair } from "../../transports/memory/memory-pair.js";
import { createVirtualClock, settle } from "../support/rigs/virtual-clock.js";

/** Connections by name, whose frames take so many ms each. Returns the names of those that were read in each turn. */
async function readByTurn(frames: Readonly<Record<string, readonly number[]>>, turnCount: number) {
  const clock = createVirtualClock();
  const turns = new Turns(clock, { most: 256 });
  const byTurn: string[] = [];
  let read = "";
  for (const [name, ofConnection] of Object.entries(frames)) {
    const { first, second } = createMemoryPair<number>();
    for (const frame of ofConnection) first.send(frame);
    const take = (ms: number): void => {
      read += name;
      clock.pass(ms);
    };
    new FrameLoop(second, { take, room: () => undefined, noMore: () => undefined }, turns);
  }
  for (let turn = 0; turn < turnCount; turn += 1) {
    // Frames are handed over after the running call.
    await settle();
    byTurn.push(read);
    read = "";
    clock.turn();
  }
  return byTurn;
}

it("a connection whose frame took much longer than a turn leaves as many turns to the others, who read on meanwhile", async () => {
  const short = Array<number>(16).fill(0.5);
  expect(await readByTurn({ s: short, L: [13, 13] }, 10)).toEqual([
    "ssss",
    "sL",
    "ssss",
    "ssss",
    "sss",
    "",
    "",
    "",
    "L",
    "",
  ]);
});

it("a connection that is alone with its long frames loses nothing but short turns", async () => {
  expect(await readByTurn({ L: [13, 13, 1, 1] }, 9)).toEqual(["L", "", "", "", "", "", "", "L", ""]);
});

it("a connection that has just begun waits where others do: nobody gains by coming anew for each long frame", async () => {
  expect(await readByTurn({ L: [5], n: [0.5], m: [0.5] }, 4)).toEqual(["L", "", "", "nm"]);
});
