// The services and the options of an engine.
import type { IdSource } from "../base/ids.js";
import type { Audit } from "../contracts/audit.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Journal } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { Segmenter } from "../contracts/segmenter.js";
import type { IdServices } from "./event/derived-id.js";
import type { HubOptions } from "./hub/hub.js";
import type { QuestionLimits } from "./questions/pending-question.js";
import type { ValidateEvent } from "./sessions/event-intake.js";
import type { SessionLimits } from "./sessions/session-limits.js";
import type { SubscriptionLimits } from "./subscriptions/subscription-spec.js";
import type { SpeakerServices } from "./views/shape-words.js";

/**
 * Limits and lengths of time may change while the engine runs, because they are read for each use. Call `Engine.limitsChanged` after a
 * change. Counts of sessions do not change.
 */
export interface EngineOptions extends HubOptions, SessionLimits, QuestionLimits, SubscriptionLimits {
  /** Identity of events whose agent named none (R2); undefined refuses such events. */
  readonly producerId: string | undefined;
  /** Events are those of a recording, which were accepted once (R3). */
  readonly isRecording?: boolean;
  /** Wait of a session for its agent to come back, in ms; 0 ends it at once (R8). */
  readonly agentGraceMs: Millis;
  readonly maxSubscriptions: number;
  readonly retryAfterSeconds: number;
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
