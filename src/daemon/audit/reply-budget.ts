// Limits the replies that are recorded one by one although they did not count (AAEP §10 T3, T4). Each subscription has a budget of its own, so that
// another's flood hides none of its attempts. Attempts on open questions have further budgets, so that a subscription's own flood does not hide them.
import type { AuditEntry, ReplyFate } from "../../contracts/audit.js";
import type { Clock, Millis } from "../../contracts/clock.js";

export type ReplyEntry = Extract<AuditEntry, { kind: "reply" }>;

/** Attempts without a line of their own, counted by subscription and fate; attempts on an open question also by question. */
interface LeftOutReplies {
  readonly count: number;
  readonly fate: ReplyFate;
  /** Missing if more subscriptions tried within a second than the budget distinguishes. */
  readonly subscription_id?: string;
  readonly subscriber_id?: string;
  readonly reply_token?: string;
}

interface Account {
  readonly owner: Omit<LeftOutReplies, "count" | "fate">;
  readonly leftOut: Map<ReplyFate, number>;
  secondBegan: Millis;
  inSecond: number;
}

const SECOND_MS: Millis = 1000;
/** Most accounts at a time: a bound on memory, far above the number of concurrent subscriptions. */
const MOST_ACCOUNTS = 10_000;

/** `perSecond`: recorded replies of one subscription within a second; on open questions, recorded replies for each question and fate. */
export function createReplyBudget(perSecond: number, clock: Pick<Clock, "now">) {
  const vain = new Map<string, Account>();
  // Bounded by the open questions and the subscriptions that know their tokens.
  const onOpen = new Map<string, Account>();

  function accountOf(entry: ReplyEntry): Account {
    const { subscription_id, subscriber_id, reply_token, fate } = entry;
    if (entry.token_is_open) {
      const owner = { subscription_id, subscriber_id, reply_token };
      return obtain(onOpen, `${subscription_id} ${fate} ${reply_token}`, owner);
    }
    const isKnown = vain.has(subscription_id) || vain.size < MOST_ACCOUNTS;
    return isKnown ? obtain(vain, subscription_id, { subscription_id, subscriber_id }) : obtain(vain, "others", {});
  }

  function obtain(accounts: Map<string, Account>, key: string, owner: Account["owner"]): Account {
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const account = { owner, leftOut: new Map(), secondBegan: clock.now(), inSecond: 0 };
    accounts.set(key, account);
    return account;
  }

  return {
    /** Whether the reply may have a line of its own. A caller that records no line, for this or another reason, calls `leaveOut`. */
    allows: (entry: ReplyEntry): boolean => {
      const account = accountOf(entry);
      const now = clock.now();
      if (now - account.secondBegan >= SECOND_MS) {
        account.secondBegan = now;
        account.inSecond = 0;
      }
      account.inSecond += 1;
      return account.inSecond <= perSecond;
    },
    leaveOut: (entry: ReplyEntry): void => {
      const { leftOut } = accountOf(entry);
      leftOut.set(entry.fate, (leftOut.get(entry.fate) ?? 0) + 1);
    },
    /** Counts of left-out replies that no line reports yet. Call `told` once a line reports the count. */
    untold: (): readonly { readonly leftOut: LeftOutReplies; readonly told: () => void }[] =>
      [...vain.values(), ...onOpen.values()].flatMap(({ owner, leftOut }) =>
        Array.from(leftOut, ([fate, count]) => ({
          leftOut: { count, ...owner, fate },
          told: () => void leftOut.delete(fate),
        })),
      ),
    /** Forgets accounts without an attempt for a second and without an unreported count. Returns whether any account is left. */
    forgetIdle: (): boolean => {
      const now = clock.now();
      for (const accounts of [vain, onOpen]) {
        for (const [key, { secondBegan, leftOut }] of accounts) {
          if (leftOut.size === 0 && now - secondBegan >= SECOND_MS) accounts.delete(key);
        }
      }
      return vain.size + onOpen.size > 0;
    },
  };
}
