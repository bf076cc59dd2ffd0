// The subscriptions that were shown a question that is over. One of them that answers too late gets a notice that its reply did not count (R19).

/** Questions remembered, the newest. */
const KEPT_COUNT = 256;

export interface ShownQuestions {
  /** Records that a question is over. `to` are the ids of the subscriptions that were shown it. */
  readonly over: (token: string, to: ReadonlySet<string>) => void;
  readonly wasShown: (token: string, subscriptionId: string) => boolean;
}

export function createShownQuestions(): ShownQuestions {
  const shown = new Map<string, ReadonlySet<string>>();
  return {
    over: (token, to) => {
      if (to.size === 0) return;
      shown.set(token, to);
      const [oldest] = shown.size > KEPT_COUNT ? shown.keys() : [];
      if (oldest !== undefined) shown.delete(oldest);
    },
    wasShown: (token, subscriptionId) => shown.get(token)?.has(subscriptionId) === true,
  };
}
