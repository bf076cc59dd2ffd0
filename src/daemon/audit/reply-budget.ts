// How many replies that did not count are recorded one by one: each subscription has a budget of its own, so that nobody can hide an attempt behind
// another's flood; and attempts on a question that is open have one besides, so that nobody can hide them behind a flood of its own (AAEP §10 T3,
// T4).
import type { AuditEntry, ReplyFate } from "../../contracts/audit.js";
import type { Clock, Millis } from "../../contracts/clock.js";

export type ReplyEntry = Extract<AuditEntry, { kind: "reply" }>;

/** Attempts that are in no line of their own, by who made them; for those on an open question also on which, and why they did not count. */
export interface LeftOutReplies {
  readonly count: number;
  /** Missing where more subscriptions than are told apart have tried within a second. */
  readonly subscription_id?: string;
  readonly subscriber_id?: string;
  readonly reply_token?: string;
  readonly fate?: ReplyFate;
}

export interface ReplyBudget {
  /** Whether it is to be recorded. Whoever does not, for this or another reason, says so by `leaveOut`. */
  readonly allows: (entry: ReplyEntry) => boolean;
  readonly leaveOut: (entry: ReplyEntry) => void;
  /** What has been left out and not been told yet, each until `told`. */
  readonly untold: () => readonly { readonly leftOut: LeftOutReplies; readonly told: () => void }[];
  /** Forgets whoever has not tried for a second and of whom all is told. Whether anybody is left. */
  readonly forgetIdle: () => boolean;
}

interface Account {
  readonly owner: Omit<LeftOutReplies, "count">;
  secondBegan: Millis;
  inSecond: number;
  leftOutCount: number;
}

const SECOND_MS: Millis = 1000;
/** So many budgets at a time; a bound on memory, far above the subscriptions that there can be at one time. */
const MOST_ACCOUNTS = 10_000;

/** `perSecond`: how many of one subscription are recorded within a second; of those on open questions, so many of each question and fate. */
export function createReplyBudget(perSecond: number, clock: Pick<Clock, "now">): ReplyBudget {
  const vain = new Map<string, Account>();
  // Their number is bounded by the questions that are open and the subscriptions that know their tokens.
  const onOpen = new Map<string, Account>();

  function accountOf(entry: ReplyEntry): Account {
    const { subscription_id, subscriber_id, reply_token, fate } = entry;
    if (entry.token_is_open) {
      const owner = { subscription_id, subscriber_id, reply_token, fate };
      return obtain(onOpen, `${subscription_id} ${fate} ${reply_token}`, owner);
    }
    const isKnown = vain.has(subscription_id) || vain.size < MOST_ACCOUNTS;
    return isKnown ? obtain(vain, subscription_id, { subscription_id, subscriber_id }) : obtain(vain, "others", {});
  }

  function obtain(accounts: Map<string, Account>, key: string, owner: Account["owner"]): Account {
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const account = { owner, secondBegan: clock.now(), inSecond: 0, leftOutCount: 0 };
    accounts.set(key, account);
    return account;
  }

  return {
    allows: (entry) => {
      const account = accountOf(entry);
      const now = clock.now();
      if (now - account.secondBegan >= SECOND_MS) {
        account.secondBegan = now;
        account.inSecond = 0;
      }
      account.inSecond += 1;
      return account.inSecond <= perSecond;
    },
    leaveOut: (entry) => {
      accountOf(entry).leftOutCount += 1;
    },
    untold: () =>
      [...vain.values(), ...onOpen.values()].flatMap((account) => {
        const { owner, leftOutCount: count } = account;
        if (count === 0) return [];
        const told = () => {
          account.leftOutCount -= count;
        };
        return [{ leftOut: { count, ...owner }, told }];
      }),
    forgetIdle: () => {
      const now = clock.now();
      for (const accounts of [vain, onOpen]) {
        for (const [key, { secondBegan, leftOutCount }] of accounts) {
          if (leftOutCount === 0 && now - secondBegan >= SECOND_MS) accounts.delete(key);
        }
      }
      return vain.size + onOpen.size > 0;
    },
  };
}
