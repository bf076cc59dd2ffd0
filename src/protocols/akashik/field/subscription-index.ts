// Finds the subscriptions that an event may concern, without a look at the others: the subscriptions whose threshold the type alone reaches, and the
// subscriptions of agents that share a word with the event. MiniSearch would answer in one piece, however many match; this index is walked in steps
// (R34).
import type { FieldEvent, FieldSubscription } from "./field-types.js";
import { BASE_SCORES, baseScore, type Listener, relevanceScore } from "./relevance.js";
import type { ToldAgent, ToldSubscription } from "./told-agent.js";

export interface Match {
  readonly agent: ToldAgent;
  readonly subscription: ToldSubscription;
  readonly score: number;
}

export interface SubscriptionIndex {
  readonly addAgent: (agent: ToldAgent) => void;
  readonly removeAgent: (agent: ToldAgent) => void;
  readonly add: (agent: ToldAgent, subscription: ToldSubscription) => void;
  readonly remove: (subscription: ToldSubscription) => void;
  /** Walks the index: undefined for a step without a match. A subscription that comes or goes meanwhile may be met or not. */
  readonly matches: (event: FieldEvent) => Generator<Match | undefined, void, void>;
}

export function createSubscriptionIndex(): SubscriptionIndex {
  const agentsByWord = createGroups<string, ToldAgent, true>();
  /** By kind of event, and by the place in `BASE_SCORES` of the lowest score that reaches the threshold. */
  const subscriptionsByBase = createGroups<string, ToldSubscription, ToldAgent>();

  const basesOf = (subscription: FieldSubscription): readonly string[] =>
    subscription.events.map((kind) => baseKey(kind, placeOf(subscription)));

  return {
    addAgent: (agent) => {
      for (const word of wordsOfListener(agent.listener())) agentsByWord.add(word, agent, true);
    },
    removeAgent: (agent) => {
      for (const word of wordsOfListener(agent.listener())) agentsByWord.remove(word, agent);
    },
    add: (agent, subscription) => {
      for (const key of basesOf(subscription)) subscriptionsByBase.add(key, subscription, agent);
    },
    remove: (subscription) => {
      for (const key of basesOf(subscription)) subscriptionsByBase.remove(key, subscription);
    },
    *matches({ kind, subject }) {
      const base = BASE_SCORES.indexOf(baseScore(subject));
      for (let place = 0; place <= base; place += 1)
        for (const [subscription, agent] of subscriptionsByBase.of(baseKey(kind, place)))
          yield { agent, subscription, score: relevanceScore(subject, agent.listener()) };
      const seen = new Set<ToldAgent>();
      for (const word of subject.words) {
        for (const [agent] of agentsByWord.of(word)) {
          yield undefined;
          if (seen.has(agent)) continue;
          seen.add(agent);
          const score = relevanceScore(subject, agent.listener());
          for (const subscription of agent.subscriptions.values()) {
            const isFurther = placeOf(subscription) > base && subscription.events.includes(kind);
            if (isFurther && score >= (subscription.minRelevance ?? 0)) yield { agent, subscription, score };
          }
        }
      }
    },
  };
}

function baseKey(kind: string, place: number): string {
  return `${place} ${kind}`;
}

/** The place in `BASE_SCORES` of the lowest score that reaches the threshold; behind the last if none does. */
function placeOf({ minRelevance }: FieldSubscription): number {
  const place = BASE_SCORES.findIndex((score) => score >= (minRelevance ?? 0));
  return place === -1 ? BASE_SCORES.length : place;
}

function wordsOfListener({ role, interests }: Listener): ReadonlySet<string> {
  return new Set([role, ...interests.map(({ words }) => words)].flatMap((words) => [...words]));
}

/** Members by group, each with a value. A group without members is not kept. */
function createGroups<Key, Member, Value>() {
  const groups = new Map<Key, Map<Member, Value>>();
  return {
    add: (key: Key, member: Member, value: Value): void => {
      const members = groups.get(key);
      if (members === undefined) groups.set(key, new Map([[member, value]]));
      else members.set(member, value);
    },
    remove: (key: Key, member: Member): void => {
      const members = groups.get(key);
      members?.delete(member);
      if (members?.size === 0) groups.delete(key);
    },
    of: (key: Key): Iterable<readonly [Member, Value]> => groups.get(key) ?? [],
  };
}
