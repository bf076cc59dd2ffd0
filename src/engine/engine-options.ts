// The services and the options of an engine.
import type { IdSource } from "../base/ids.js";
import type { Audit } from "../contracts/audit.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Journal } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { Segmenter } from "../contracts/segmenter.js";
import type { IdServices } from "./event/derived-id.js";

import type { ValidateEvent } from "./sessions/event-intake.js";
import type { PublishLimits, SessionCounts } from "./sessions/session-limits.js";
import type { LagLimits } from "./subscriptions/subscription-spec.js";
import type { SpeakerServices } from "./views/shape-words.js";

/**
 * Limits and lengths of time may change while the engine runs, because they are read for each use. Call `Engine.limitsChanged` after a
 * change.
 */
export interface EngineOptions {
  /** Identity of events whose agent named none (R2); undefined refuses such events. */
  readonly producerId: string | undefined;
  readonly defaultLanguage: string;
  /** Events are those of a recording, which were accepted once (R3). */
  readonly isRecording?: boolean;
  readonly clockSkewMs: Millis;
  /** Counts at which a session refuses or forgets. Default `SESSION_COUNTS`. They do not change while the engine runs. */
  readonly sessionCounts?: SessionCounts;
  /** Limits of a publish, and of a publisher (R34). Default `PUBLISH_LIMITS`. */
  readonly publishLimits?: PublishLimits;
  /** Wait of a session for its agent to come back, in ms; 0 ends it at once (R8). */
  readonly agentGraceMs: Millis;
  readonly maxHoldMs: Millis;
  readonly burst: number;
  readonly maxSubscriptions: number;
  /** See `HubOptions.maxTermSets`. */
  readonly maxTermSets: number;
  readonly retryAfterSeconds: number;
  readonly lag: LagLimits;
  readonly viewWindowCount: number;
  readonly queueLimitCount: number;
  /** Time that a turn has for reading back, in ms. Default 2 (R34). */
  readonly turnRoomMs?: Millis;
  readonly confirmationGraceMs: Millis;
  readonly reconnectGraceMs: Millis;
  /** Time for which ended sessions are remembered for subscribers that come back, in ms; longer than for events (R17). */
  readonly endedRetentionMs: Millis;
}

export interface EngineServices {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly idServices: IdServices;
  readonly segmenter: Segmenter;
  readonly log: Log;
  readonly audit: Audit;
  readonly loadSpeakable: SpeakerServices["loadSpeakable"];

  readonly createJournal: () => Journal;
  readonly validate: ValidateEvent;
}
