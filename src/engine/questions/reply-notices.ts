// Notices to a subscription that its reply did not count: at most one a second, however many replies it sends. The newest is never lost (R19).
import type { Millis } from "../../contracts/clock.js";
import type { WakeUps } from "../time/wake-ups.js";

/** Least time between two notices, in ms. */
const NOTICE_INTERVAL_MS: Millis = 1000;

export interface ReplyNotices {
  /** Reports that the reply with this token did not count. */
  readonly notTaken: (token: string) => void;
  /** Sends no further notices. */
  readonly close: () => void;
}

export function createReplyNotices(
  tell: (token: string) => void,
  now: () => Millis,
  wakeUps: Pick<WakeUps, "at">,
): ReplyNotices {
  let nextAt = Number.NEGATIVE_INFINITY;
  let waiting: string | undefined;
  let cancel = (): void => {};

  const say = (token: string): void => {
    nextAt = now() + NOTICE_INTERVAL_MS;
    tell(token);
  };
  const sayWaiting = (): void => {
    const token = waiting;
    waiting = undefined;
    if (token !== undefined) say(token);
  };

  return {
    notTaken: (token) => {
      const isFirst = waiting === undefined;
      if (isFirst && now() >= nextAt) {
        say(token);
        return;
      }
      waiting = token;
      if (isFirst) cancel = wakeUps.at(nextAt, sayWaiting);
    },
    close: () => {
      waiting = undefined;
      cancel();
    },
  };
}
