import { createHash } from "node:crypto";
import type { AccessPolicy } from "../../../src/contracts/access.js";
import type { Audit, AuditEntry, AuditNote } from "../../../src/contracts/audit.js";
import type { Journal } from "../../../src/contracts/journal.js";
import type { Log } from "../../../src/contracts/log.js";
import type { Segmenter } from "../../../src/contracts/segmenter.js";
import { createSegmenter } from "../../../src/daemon/platform/segmenter.js";
import type { AgentHandle } from "../../../src/engine/agents/agent-handle.js";
import { Engine } from "../../../src/engine/engine.js";
import type { EngineOptions } from "../../../src/engine/engine-options.js";
import { cursorText } from "../../../src/engine/event/cursor.js";
import type { AgentEvent, JournaledEvent, Producer } from "../../../src/engine/event/event.js";
import { createJournalRing, type JournalRingOptions } from "../../../src/engine/journal/journal-ring.js";
import type { ResolvedQuestion } from "../../../src/engine/questions/question-result.js";
import type { Subscription } from "../../../src/engine/subscriptions/subscription.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import type { Delivery } from "../../../src/engine/views/delivery.js";
import type { SpeakableModule } from "../../../src/engine/views/shape-words.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { assertEvent } from "../../../src/protocols/aaep/validation/validate.js";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.js";

export interface Received {
  readonly event: AgentEvent;
  /** Virtual time at which it was handed to the transport, ms. */
  readonly at: number;
  readonly delivery: Delivery;
}

/** The journal in memory of every rig. */
const RING_ID = "e".repeat(32);

/** The cursor of a place in a rig's journal: everything up to an epoch was received. */
export function cursorAfter(after: number, journalId: string = RING_ID): string {
  return cursorText({ journalId, after });
}

/** A place that a subscription was told. */
export interface Place {
  /** Events that it had been given by then. */
  readonly received: number;
  readonly cursor: string | undefined;
}

export interface Listener {
  readonly subscription: Subscription;
  readonly received: Received[];
  /** Its place after each take. */
  readonly places: readonly Place[];
  readonly ended: string[];
  /** While true, the transport takes nothing. */
  readonly block: (blocked: boolean) => void;
  /** The transport takes so many runs more, then nothing. */
  readonly takeRuns: (count: number) => void;
}

/** An agent's connection, with what it was told without asking. */
export interface RigAgent extends AgentHandle {
  readonly outcomes: readonly ResolvedQuestion[];
  /** Token and whether a person is waited for, in order. */
  readonly waiting: readonly (readonly [token: string, isWaiting: boolean])[];
  /** Each time that it was told that the daemon stops: whether sessions are kept. */
  readonly closings: readonly boolean[];
  readonly stops: readonly string[];
  readonly inputs: readonly string[];
}

export interface EngineRig {
  /** Entries of the audit log. */
  readonly audit: readonly AuditEntry[];
  /** Warnings of the log. */
  readonly warnings: readonly { readonly fields: Readonly<Record<string, unknown>>; readonly message: string }[];
  /** Errors of the log. */
  readonly errors: EngineRig["warnings"];
  readonly openAgent: (identity?: Producer) => RigAgent;
  readonly clock: VirtualClock;
  readonly engine: Engine;
  /** `connection`: as an agent of it names it (R5). `replyNotTaken`: told as its terms ask (R19). `lineage`: its process and parents (R5d). */
  readonly listen: (
    terms?: Partial<Terms>,
    subscriberId?: string,
    resumeAfter?: string,
    connection?: object,
    replyNotTaken?: (token: string) => void,
    lineage?: readonly number[],
  ) => Listener;
  /** Publishes from one agent connection; fields are completed by the daemon. */
  readonly publish: (...events: Readonly<Record<string, unknown>>[]) => readonly { eventId: string; epoch: number }[];
  readonly agent: RigAgent;
  readonly advance: (ms: number) => void;
}

export interface RigOptions {
  /** Wraps the journal, to make it fail or take its time. */
  readonly wrapJournal?: (journal: Journal) => Journal;
  readonly engine?: Partial<EngineOptions>;
  readonly journal?: Partial<JournalRingOptions>;
  /** A journal of the test's own in place of the ring. */
  readonly openJournal?: (clock: VirtualClock) => Journal;
  /** A clock of the test's own: the engine is not the first on it. */
  readonly clock?: VirtualClock;
  /** Ids given out so far, by engines before this one. */
  readonly idsBefore?: number;
  /** Replaces members of the journal. */
  readonly around?: (journal: Journal) => Partial<Journal>;
  /** Told of every id that is drawn at random. */
  readonly drew?: () => void;
  /** Replaces members of the audit log. */
  readonly audit?: Partial<Audit>;
  /** Told of each entry of the audit log, and to say when it is written. Default at once. */
  readonly recorded?: (entry: AuditEntry, note: AuditNote) => void;
  /** Told of every event that is journaled, the daemon's own among them. */
  readonly journaled?: (entry: JournaledEvent) => void;
  /** Which peer of a handler may do what. Default: each may do everything. */
  readonly access?: AccessPolicy;
  /** In place of the platform's. */
  readonly segmenter?: Segmenter;
  readonly loadSpeakable?: () => Promise<SpeakableModule>;
  /** So many turns pass after each thing that happens; default: as many as there is work for. */
  readonly turnsBetween?: number;
}

const silent = (): void => undefined;
export const SILENT_LOG: Log = { debug: silent, info: silent, warn: silent, error: silent };

/** An engine with a virtual clock and counted ids; subscriptions pull as a pump would, at the end of each turn. */
export function createEngineRig(options: RigOptions = {}): EngineRig {
  const clock = options.clock ?? createVirtualClock();
  let ids = options.idsBefore ?? 0;
  const audit: AuditEntry[] = [];
  const warnings: EngineRig["warnings"][number][] = [];
  const errors: EngineRig["errors"][number][] = [];
  const settle = (): void => {
    if (options.turnsBetween === undefined) clock.settle();
    else for (let turn = 0; turn < options.turnsBetween; turn += 1) clock.turn();
  };
  const wrap = options.wrapJournal ?? ((journal) => journal);
  const engine = new Engine(
    {
      clock,
      ids: {
        hex: (bytes) => {
          ids += 1;
          options.drew?.();
          return ids.toString(16).padStart(bytes * 2, "0");
        },
      },
      idServices: {
        sha256Hex: (text) => createHash("sha256").update(text).digest("hex"),
      },
      loadSpeakable: options.loadSpeakable ?? (() => import("../../../src/speakable/index.js")),
      segmenter: options.segmenter ?? createSegmenter(),
      log: {
        ...SILENT_LOG,
        warn: (fields, message) => void warnings.push({ fields, message }),
        error: (fields, message) => void errors.push({ fields, message }),
      },
      audit: {
        isOn: true,
        record: (entry, note) => {
          audit.push(entry);
          if (options.recorded === undefined) note?.settled?.();
          else options.recorded(entry, note ?? {});
        },
        ...options.audit,
      },
      createJournal: () => {
        const ring = (): Journal => createJournalRing({ id: RING_ID, firstEpoch: 1000, ...options.journal });
        const journal = wrap(options.openJournal?.(clock) ?? ring());
        const append: typeof journal.append = (events) => {
          const appended = journal.append(events);
          for (const entry of appended.events) options.journaled?.(entry);
          return appended;
        };
        return { ...journal, append, ...options.around?.({ ...journal, append }) };
      },
      validate: assertEvent,
    },
    {
      producerId: "test-agent",
      defaultLanguage: "en-US",
      clockSkewMs: 60_000,
      agentGraceMs: 5000,
      maxHoldMs: 5000,
      burst: 1,
      maxSubscriptions: 100_000,
      maxTermSets: 1024,
      retryAfterSeconds: 5,
      lag: { maxMs: 30_000, maxEvents: 1_000_000 },
      viewWindowCount: 1024,
      turnRoomMs: Number.POSITIVE_INFINITY,
      queueLimitCount: 256,
      confirmationGraceMs: 0,
      reconnectGraceMs: 0,
      endedRetentionMs: 24 * 3600 * 1000,
      ...options.engine,
    },
  );
  const openAgent = (identity?: Producer): RigAgent => {
    const outcomes: ResolvedQuestion[] = [];
    const waiting: (readonly [string, boolean])[] = [];
    const closings: boolean[] = [];
    const stops: string[] = [];
    const inputs: string[] = [];
    const handle = engine.openAgent(identity, {
      outcome: (resolved) => void outcomes.push(resolved),
      waiting: ({ token }, isWaiting) => void waiting.push([token, isWaiting]),
      stopRequested: (sessionId) => void stops.push(sessionId),
      userInput: (text) => void inputs.push(text),
      closing: (areSessionsKept) => void closings.push(areSessionsKept),
    });
    return Object.assign(handle, { outcomes, waiting, closings, stops, inputs });
  };
  const agent = openAgent();
  return {
    audit,
    warnings,
    errors,
    openAgent,
    clock,
    engine,
    agent,
    listen: (terms = {}, subscriberId = "listener", resumeAfter, connection, replyNotTaken, lineage) => {
      const received: Received[] = [];
      const places: Place[] = [];
      const ended: string[] = [];
      let blocked = false;
      let queued = false;
      let runsLeft = Number.POSITIVE_INFINITY;
      const pull = (): void => {
        queued = false;
        if (blocked || subscription.isClosed()) return;
        for (let taken = subscription.take(); taken.kind === "batch"; taken = subscription.take()) {
          for (const delivery of taken.batch.deliveries)
            received.push({ event: delivery.event, at: clock.now(), delivery });
          places.push({ received: received.length, cursor: subscription.cursor() });
          runsLeft -= 1;
          if (runsLeft > 0) {
            // As a pump does: what comes after all of it wakes it.
            if (taken.isAll) break;
            continue;
          }
          blocked = true;
          subscription.setBlocked(true);
          break;
        }
      };
      const wake = (): void => {
        if (queued) return;
        queued = true;
        clock.afterTurn(pull);
      };
      const subscription = engine.subscribe({
        subscriberId,
        terms: { ...defaultTerms(), ...terms },
        connection,
        replyNotTaken,
        lineage,
        resumeAfter,
        outlet: {
          wake,
          ended: (reason) =>
            clock.afterTurn(() => {
              ended.push(reason);
              subscription.close();
            }),
        },
      });
      wake();
      settle();
      return {
        subscription,
        received,
        places,
        ended,
        takeRuns: (count) => {
          runsLeft = count;
        },
        block: (next) => {
          runsLeft = Number.POSITIVE_INFINITY;
          if (next === blocked) return;
          blocked = next;
          subscription.setBlocked(next);
          if (!next) wake();
          settle();
        },
      };
    },
    publish: (...events) => {
      const receipt = agent.publish(
        events.map((fields) => ({ fields })),
        events.length > 1,
      );
      settle();
      return receipt.events;
    },
    advance: (ms) => {
      clock.advance(ms);
    },
  };
}

/** The text of all chunks of one output, in the order received. */
export function textOf(received: readonly Received[], outputId?: string): string {
  return received
    .filter(({ event }) => event.type === "aaep:agent.output.streaming" && event.output_id === outputId)
    .map(({ event }) => String(event.chunk))
    .join("");
}

/** Event types without their common beginning. */
export function typesOf(received: readonly Pick<Received, "event">[]): readonly string[] {
  return received.map(({ event }) => event.type.replace("aaep:agent.", ""));
}

/** Short forms of the events that tests publish. */
export const session = (id = "sess_1") => ({
  started: (): Record<string, unknown> => ({
    type: "aaep:agent.session.started",
    session_id: id,
    summary_normal: "Begins.",
  }),
  completed: (): Record<string, unknown> => ({
    type: "aaep:agent.session.completed",
    session_id: id,
    summary_normal: "Done.",
  }),
  errored: (): Record<string, unknown> => ({
    type: "aaep:agent.session.errored",
    session_id: id,
    error_category: "unknown",
    summary_normal: "Failed.",
  }),
  state: (from: string, to: string, urgency = "normal"): Record<string, unknown> => ({
    type: "aaep:agent.state.changed",
    session_id: id,
    from_state: from,
    to_state: to,
    urgency,
  }),
  progress: (percent: number): Record<string, unknown> => ({
    type: "aaep:agent.progress.updated",
    session_id: id,
    progress: { percent },
  }),
  chunk: (chunk: string, complete = false, outputId = "out_1"): Record<string, unknown> => ({
    type: "aaep:agent.output.streaming",
    session_id: id,
    chunk,
    complete,
    output_id: outputId,
  }),
  invoked: (tool: string, call: string): Record<string, unknown> => ({
    type: "aaep:agent.tool.invoked",
    session_id: id,
    tool,
    tool_call_id: call,
    summary_normal: `Runs ${tool}.`,
  }),
  toolDone: (tool: string, call: string): Record<string, unknown> => ({
    type: "aaep:agent.tool.completed",
    session_id: id,
    tool,
    tool_call_id: call,
    status: "success",
  }),
  confirmation: (token: string, extra: Record<string, unknown> = {}): Record<string, unknown> => ({
    type: "aaep:agent.awaiting.confirmation",
    session_id: id,
    action: "Delete the file.",
    consequence: "It is gone.",
    reply_token: token,
    timeout_seconds: 60,
    default_decision: "reject",
    ...extra,
  }),
});
