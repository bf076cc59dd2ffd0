import type { Journal } from "../../contracts/journal.js";
import type { IdServices } from "../event/derived-id.js";
import type { Hub } from "../hub/hub.js";
import type { EpochSteps } from "../journal/epoch-boots.js";
import type { NoticeFactory } from "../notices/notice-factory.js";
import type { Sessions } from "../sessions/sessions.js";
import type { WakeUps } from "../time/wake-ups.js";
import type { ReadingTurns } from "./backlog.js";
import type { ListenerServices } from "./listener.js";
import type { ClosureReason, NamedSubscription, PaceChange, SubscriptionLimits } from "./subscription-spec.js";

/** What every subscription is made with. */
export interface SubscriptionServices extends ListenerServices {
  readonly hub: Hub;
  readonly journal: Journal;
  readonly steps: EpochSteps;
  readonly readTurns: ReadingTurns;
  readonly wakeUps: WakeUps;
  readonly ids: IdServices;
  readonly notices: NoticeFactory;
  readonly sessions: Sessions;
  /** Read again for each use. */
  readonly limits: SubscriptionLimits;
  /** Whether the daemon is stopping and leaves pending events to the next boot (R8b). */
  readonly isLeaving: () => boolean;
  /** Called at the beginning and at the end of each episode of falling behind. */
  readonly pace: (change: PaceChange, who: NamedSubscription) => void;
  readonly closed: (subscription: NamedSubscription, reason: ClosureReason) => void;
}
