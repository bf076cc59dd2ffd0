// The daemon's engine in one process, with its real journal, validation, segmenter and codec: for counts, and for CPU without sockets.
import { createIdSource, sha256Hex } from "../dist/src/daemon/platform/ids.js";
import { createSegmenter } from "../dist/src/daemon/platform/segmenter.js";
import { createUtf8 } from "../dist/src/daemon/platform/utf8.js";
import { Engine } from "../dist/src/engine/engine.js";
import { createJournalRing } from "../dist/src/engine/journal/journal-ring.js";
import { Turns } from "../dist/src/engine/time/turns.js";
import { createWakeUps } from "../dist/src/engine/time/wake-ups.js";
import { createJsonCodec } from "../dist/src/protocols/aaep/json/json-codec.js";
import { defaultTerms } from "../dist/src/protocols/aaep/subscriber/negotiate.js";
import { assertPublishedEvent } from "../dist/src/protocols/aaep/validation/validate.js";
import { frameBatchOf } from "../dist/src/runtime/conversation.js";
import { Pump } from "../dist/src/runtime/pump.js";

/** A clock that stands still until it is advanced. */
export function createVirtualClock() {
  const wallStart = Date.now();
  const wakeUps = createWakeUps();
  let now = 0;
  let turn = [];
  let turnNumber = 0;
  const settle = () => {
    while (turn.length > 0) {
      turnNumber += 1;
      const due = turn;
      turn = [];
      for (const run of due) run();
    }
  };
  return {
    now: () => now,
    wallTime: () => wallStart + Math.floor(now),
    wakeAt: wakeUps.at,
    turnNumber: () => turnNumber,
    afterCall: (run) => void turn.push(run),
    afterTurn: (run) => void turn.push(run),
    settle,
    advance: (ms) => {
      const until = now + ms;
      settle();
      for (let next = wakeUps.next(); next !== undefined && next <= until; next = wakeUps.next()) {
        now = Math.max(now, next);
        wakeUps.advance(now);
        settle();
      }
      now = until;
      settle();
    },
  };
}

/** A segmenter that counts its calls. */
function countingSegmenter() {
  const segmenter = createSegmenter();
  const counted = { calls: 0 };
  for (const [name, find] of Object.entries(segmenter))
    counted[name] = (text, language) => {
      counted.calls += 1;
      return find(text, language);
    };
  return counted;
}

/** The engine. By default its journal is in memory and its clock stands still. */
export function createEngineStage({
  clock = createVirtualClock(),
  createJournal = () => createJournalRing({ id: "0".repeat(32), firstEpoch: Date.now() * 1000 }),
} = {}) {
  const segmenter = countingSegmenter();
  // Rows of the engine alone measure its work, not the number of turns.
  const sendingTurns = new Turns(clock, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  const silent = () => {};
  const ids = createIdSource();
  const engine = new Engine(
    {
      clock,
      ids,
      idServices: { sha256Hex },
      segmenter,
      loadSpeakable: () => import("../dist/src/speakable/index.js"),
      log: { debug: silent, info: silent, warn: silent, error: silent },
      createJournal,
      validate: assertPublishedEvent,
    },
    {
      producerId: undefined,
      defaultLanguage: "en-US",
      clockSkewMs: 3_600_000,
      agentGraceMs: 5000,
      maxHoldMs: 5000,
      burst: 1,
      maxSubscriptions: 100_000,
      maxTermSets: 1024,
      retryAfterSeconds: 5,
      lag: { maxMs: 60_000, maxEvents: 16_384 },
      viewWindowCount: 1024,
      turnRoomMs: Number.POSITIVE_INFINITY,
      queueLimitCount: 256,
      confirmationGraceMs: 0,
      reconnectGraceMs: 0,
      endedRetentionMs: 24 * 3600 * 1000,
    },
  );
  const codec = createJsonCodec(createUtf8());
  let subscribers = 0;
  return {
    clock,
    ids,
    engine,
    segmenterCalls: () => segmenter.calls,
    /** A subscription whose pump passes its frames to `take`. */
    subscribe: (terms, take) => {
      subscribers += 1;
      const pump = new Pump(
        {
          send: (batch) => {
            take(frameBatchOf(batch, codec).frames, batch);
            return true;
          },
          writable: () => Promise.resolve(),
          failed: (fault) => {
            throw fault;
          },
          ended: () => {
            throw new Error("A subscription was closed as lagging.");
          },
        },
        { clock, sendingTurns },
      );
      const subscription = engine.subscribe({
        subscriberId: `bench-${subscribers}`,
        terms: { ...defaultTerms(), ...terms },
        resumeAfter: undefined,
        outlet: pump,
      });
      pump.join(subscription);
      clock.settle();
      return subscription;
    },
  };
}

export const PASS_THROUGH = {
  coalesceBoundaries: ["none"],
  eventFilters: { include: ["aaep:agent.output.streaming"], exclude: [] },
};
