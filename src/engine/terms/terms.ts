// The complete terms of one subscription: the negotiation has filled in every default.
import type { SpeakableOptions } from "../../speakable/index.js";
import type { Verbosity } from "../event/event.js";

/** Strengths of a boundary in streamed text, the weakest first (AAEP §5.3.1.6). */
export const BOUNDARIES = ["none", "word", "sentence", "paragraph", "completion"] as const;
export type Boundary = (typeof BOUNDARIES)[number];

/** The boundary that a wire value names; undefined for any other value. */
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

/** How a subscriber hears blocks of code, links and emoji (R37). */
export type SpeakableChoices = Required<Omit<SpeakableOptions, "language">>;

/** The sessions of the agents on a subscription's connection, or above its process. The subscription cannot answer their questions (R5, R5d). */
export interface OwnSessions {
  /** The same for the same agents, of this connection and process alone. */
  readonly key: string;
  /** Whether an agent stands above the process. Default false. */
  readonly isBelow?: boolean;
  /** Whether the connection owns the session or took part in it, or one of the session's agents stands above the process. */
  readonly has: (sessionId: string) => boolean;
}

/** The terms that a subscription was granted (AAEP §5.3, R26). */
export interface Terms {
  /** Events a second, 1..100000; undefined for no limit. */
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
  /** Words a minute, 50..1000; undefined if the subscriber itself paces its speech. */
  readonly paceWpm: number | undefined;
  readonly acceptSignedManifestsOnly: boolean;
  /** Only critical events leave (R26). */
  readonly paused: boolean;
  /** Longest text of one output event, in code points, 80..16384, with `speakable` at most 2000 (R26). */
  readonly maxChars: number;
  /** The words that come beside each text; undefined for none (R37). */
  readonly speakable?: SpeakableChoices | undefined;
  /** The subscription receives notices of its replies that did not count (R19). */
  readonly replyStatus: boolean;
  /** The subscription receives checkpoints of its place (R17). */
  readonly checkpoints: boolean;
  /** Set by the engine; undefined if the subscription's connection has no agents. */
  readonly ownSessions?: OwnSessions | undefined;
}

/** The terms that the daemon can grant; its configuration narrows them. */
export interface Offer {
  /** Upper bound of any subscription's rate, in events a second; undefined grants the rate that was asked. */
  readonly maxEventsPerSecond: number | undefined;
  /**
   * Whether an agent here speaks a language that serves this one. Another is granted with a note, since an agent that speaks it may yet come (R14).
   */
  readonly isSpoken: (tag: string) => boolean;
  readonly coalesceBoundaries: readonly Boundary[];
  readonly conformanceLevels: readonly number[];
  /** Whether the daemon can present a signed manifest (AAEP §5.3.1.12). */
  readonly signedManifest: boolean;
  /** Events that may leave at once after a pause, 1..1000 (R9). Default 1. */
  readonly burst: number;
}
