// The terms of one subscription, complete: every default is filled in, so that nothing behind the negotiation has a `??`.
import type { Verbosity } from "../event/event.js";

/** Strengths of a place to cut streamed text, weakest first (AAEP §5.3.1.6). */
export const BOUNDARIES = ["none", "word", "sentence", "paragraph", "completion"] as const;
export type Boundary = (typeof BOUNDARIES)[number];

/** The boundary that a wire value names, or undefined. */
export function boundaryOf(value: unknown): Boundary | undefined {
  return BOUNDARIES.includes(value as Boundary) ? (value as Boundary) : undefined;
}

export function isAtLeast(boundary: Boundary, least: Boundary): boolean {
  return BOUNDARIES.indexOf(boundary) >= BOUNDARIES.indexOf(least);
}

export function stronger(a: Boundary, b: Boundary): Boundary {
  return isAtLeast(a, b) ? a : b;
}

export type CognitiveLoad = "low" | "medium" | "high";

export interface EventFilters {
  /** Patterns of types to deliver. Empty: critical events only (R32). */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** The sessions that an agent has over the connection of a subscription: of what is asked in them the subscription decides nothing (R5). */
export interface OwnSessions {
  /** The connection's own: no other has it. */
  readonly key: string;
  /** Whether the connection has the session now. */
  readonly has: (sessionId: string) => boolean;
}

/** What a subscription was granted (AAEP §5.3, R26). */
export interface Terms {
  /** Events a second, 1..100000; undefined is no limit. */
  readonly maxEventsPerSecond: number | undefined;
  readonly preferredVerbosity: Verbosity;
  /** RFC 5646 tags in order of preference; never empty. */
  readonly languages: readonly string[];
  readonly supportsConfirmationReply: boolean;
  readonly supportsClarificationReply: boolean;
  /** Never empty. With "none" in it, chunks pass through as they were published. */
  readonly coalesceBoundaries: readonly Boundary[];
  readonly eventFilters: EventFilters;
  readonly supportedConformanceLevels: readonly number[];
  readonly supportedExtensions: readonly string[];
  readonly cognitiveLoad: CognitiveLoad;
  /** Words a minute, 50..1000; undefined: the subscriber's own affair. */
  readonly paceWpm: number | undefined;
  readonly acceptSignedManifestsOnly: boolean;
  /** R26: only critical events go out. */
  readonly paused: boolean;
  /** R26: longest text of one output event, code points, 80..16384. */
  readonly maxChars: number;
  /** R19: it is told of replies of its own that did not count. */
  readonly replyStatus: boolean;
  /** R17: it is told the place that it has reached. */
  readonly checkpoints: boolean;
  /** The engine's to set; undefined where no agent speaks over the subscription's connection. */
  readonly ownSessions?: OwnSessions | undefined;
}

/** What the daemon is willing to grant; its configuration narrows it. */
export interface Offer {
  /** Upper bound of any subscription's rate, events/s; undefined grants what was asked. */
  readonly maxEventsPerSecond: number | undefined;
  /** Whether somebody here speaks a language that serves this one. Another is granted with a note: an agent may yet come that speaks it (R14). */
  readonly isSpoken: (tag: string) => boolean;
  readonly coalesceBoundaries: readonly Boundary[];
  readonly conformanceLevels: readonly number[];
  /** Whether a signed manifest can be shown (AAEP §5.3.1.12). */
  readonly signedManifest: boolean;
  /** Events that may leave at once after a pause, 1..1000 (R9). Default 1. */
  readonly burst: number;
}
