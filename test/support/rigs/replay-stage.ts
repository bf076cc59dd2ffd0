// A session recorded with a real engine, and listeners to its replay on a virtual clock.
import { createHash } from "node:crypto";
import { createSegmenter } from "../../../src/daemon/platform/segmenter.js";
import type { RecordedEvent, RecordedSession } from "../../../src/daemon/replay/recorded-session.js";
import { createReplayEngine, type ReplayOptions } from "../../../src/daemon/replay/replay-engine.js";
import type { Engine } from "../../../src/engine/engine.js";
import type { EngineOptions } from "../../../src/engine/engine-options.js";
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { drained } from "../drained.js";
import { createEngineRig, type EngineRig, type Received, SILENT_LOG } from "./engine-rig.js";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.js";

/** What the engine journals while `act` is at work, received at the rig's virtual time. */
export function record(act: (rig: EngineRig) => void): readonly RecordedEvent[] {
  const entries: JournaledEvent[] = [];
  act(createEngineRig({ journaled: (entry) => void entries.push(entry) }));
  return entries.map((entry) => ({ ...entry, receivedAt: entry.at }));
}

export function sessionOf(events: readonly RecordedEvent[], sessionId = "sess_1"): RecordedSession {
  const own = events.filter(({ event }) => event.session_id === sessionId);
  return { sessionId, read: (after, limit) => own.filter(({ epoch }) => epoch > after).slice(0, limit) };
}

export interface ReplayListener {
  readonly subscription: ReturnType<Engine["subscribe"]>;
  readonly received: readonly Received[];
  /** Why it was ended, once it was; what was held goes out before. */
  readonly ended: readonly string[];
  readonly block: (isBlocked: boolean) => void;
}

export interface ReplayStage {
  readonly clock: VirtualClock;
  readonly engine: Engine;
  /** How many were left, each time that one ended. */
  readonly left: readonly number[];
  readonly listen: (terms?: Partial<Terms>, resumeAfter?: string) => ReplayListener;
}

export function createReplayStage(
  session: RecordedSession,
  pace: Partial<ReplayOptions> = {},
  options: Partial<EngineOptions> = {},
): ReplayStage {
  const clock = createVirtualClock();
  const left: number[] = [];
  let ids = 0;
  const engine = createReplayEngine(
    {
      clock,
      ids: {
        hex: (bytes) => {
          ids += 1;
          return ids.toString(16).padStart(bytes * 2, "0");
        },
      },
      idServices: { sha256Hex: (text) => createHash("sha256").update(text).digest("hex") },
      segmenter: createSegmenter(),
      log: SILENT_LOG,
      validate: () => {},
    },
    {
      producerId: undefined,
      defaultLanguage: "en-US",
      sequencing: "enforce",
      clockSkewMs: 60_000,
      agentGraceMs: 0,
      maxHoldMs: 5000,
      burst: 1,
      maxSubscriptions: 3,
      retryAfterSeconds: 5,
      lag: { maxMs: 3_600_000, maxEvents: 1_000_000 },
      viewWindowCount: 1024,
      turnRoomMs: Number.POSITIVE_INFINITY,
      queueLimitCount: 256,
      confirmationGraceMs: 0,
      reconnectGraceMs: 0,
      endedRetentionMs: 3_600_000,
      ...options,
    },
    { session, speed: 1, listenerGone: (leftCount) => void left.push(leftCount), ...pace },
  );

  const listen = (terms: Partial<Terms> = {}, resumeAfter?: string): ReplayListener => {
    const received: Received[] = [];
    const ended: string[] = [];
    let isQueued = false;
    let isBlocked = false;
    const pull = (): void => {
      isQueued = false;
      if (isBlocked || subscription.isClosed()) return;
      for (let taken = subscription.take(); taken.kind === "batch"; taken = subscription.take()) {
        for (const delivery of taken.batch.deliveries)
          received.push({ event: delivery.event, at: clock.now(), delivery });
        // As a pump does: what comes after all of it wakes it.
        if (taken.isAll) break;
      }
    };
    const wake = (): void => {
      if (isQueued) return;
      isQueued = true;
      clock.afterTurn(pull);
    };
    const subscription = engine.subscribe({
      subscriberId: "listener",
      terms: { ...defaultTerms(), ...terms },
      resumeAfter,
      wake,
      ended: (reason) => {
        for (const delivery of drained(subscription))
          received.push({ event: delivery.event, at: clock.now(), delivery });
        ended.push(reason);
        subscription.close(reason);
      },
    });
    wake();
    return {
      subscription,
      received,
      ended,
      block: (next) => {
        isBlocked = next;
        subscription.setBlocked(next);
        if (!next) wake();
      },
    };
  };
  return { clock, engine, left, listen };
}
