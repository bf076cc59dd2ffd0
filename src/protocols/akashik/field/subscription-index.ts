// Finds the subscriptions that an event may concern, without a look at the others: the subscriptions whose threshold the type alone reaches, and the
// subscriptions of agents that share words with the event. The shared words of each agent are counted on the way, so an agent whose score is too low
// costs little. MiniSearch would answer in one piece, however many match; this index is walked in steps (R34).
import type { EventKind, FieldEvent, FieldSubscription } from "./field-types.js";
import { BASE_SCORES, baseScore, relevanceScore, scoreOfShares } from "./relevance.js";
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
  /**
   * Walks the index: undefined for a step without a match. A subscription that comes or goes meanwhile may be met or not. One walk takes its steps
   * at a time, because the words are counted in the index.
   */
  readonly matches: (event: FieldEvent) => Generator<Match | undefined, void, void>;
}

/** Words shared with agents that are counted in one step. */
const COUNTED_PER_STEP = 64;

/** An agent, with the event whose words were counted for it last. Counting in objects, and not in maps, takes a fifth of the time. */
interface Listening {
  readonly agent: ToldAgent;
  readonly wishes: readonly Wish[];
  /** No subscription of the agent has a lower threshold. */
  lowest: number;
  walk: number;
  /** The score has reached `lowest`. */
  isMet: boolean;
  /** The parts of the best-matching interest and of the role that the event has. */
  interest: number;
  role: number;
}

/** The role of an agent, or one of its interests. */
interface Wish {
  readonly of: Listening;
  readonly words: ReadonlySet<string>;
  readonly wordCount: number;
  readonly isRole: boolean;
  walk: number;
  found: number;
}

export function createSubscriptionIndex(): SubscriptionIndex {
  const listeningByAgent = new Map<ToldAgent, Listening>();
  const wishesByWord = createGroups<string, Wish, true>();
  /** By kind of event, and by the place in `BASE_SCORES` of the lowest score that reaches the threshold. */
  const subscriptionsByBase = createGroups<string, ToldSubscription, ToldAgent>();
  /** The number of the newest walk. */
  let walks = 0;

  const basesOf = (subscription: FieldSubscription): readonly string[] =>
    subscription.events.map((kind) => baseKey(kind, placeOf(subscription)));
  const isWantedAbove = (kind: EventKind, base: number): boolean => {
    for (let place = base + 1; place <= BASE_SCORES.length; place += 1)
      if (subscriptionsByBase.of(baseKey(kind, place)).size > 0) return true;
    return false;
  };

  return {
    addAgent: (agent) => {
      const listening = listeningOf(agent);
      listeningByAgent.set(agent, listening);
      for (const wish of listening.wishes) for (const word of wish.words) wishesByWord.add(word, wish, true);
    },
    removeAgent: (agent) => {
      for (const wish of listeningByAgent.get(agent)?.wishes ?? [])
        for (const word of wish.words) wishesByWord.remove(word, wish);
      listeningByAgent.delete(agent);
    },
    add: (agent, subscription) => {
      for (const key of basesOf(subscription)) subscriptionsByBase.add(key, subscription, agent);
      const listening = listeningByAgent.get(agent);
      if (listening !== undefined) listening.lowest = Math.min(listening.lowest, thresholdOf(subscription));
    },
    remove: (subscription) => {
      for (const key of basesOf(subscription)) subscriptionsByBase.remove(key, subscription);
    },
    *matches({ kind, subject }) {
      const base = BASE_SCORES.indexOf(baseScore(subject));
      for (let place = 0; place <= base; place += 1)
        for (const [subscription, agent] of subscriptionsByBase.of(baseKey(kind, place)))
          yield { agent, subscription, score: relevanceScore(subject, agent.listener()) };
      if (!isWantedAbove(kind, base)) return;

      walks += 1;
      const walk = walks;
      const met: Listening[] = [];
      let steps = 0;
      for (const word of subject.words) {
        for (const wish of wishesByWord.of(word).keys()) {
          const listening = wish.of;
          count(wish, walk);
          if (!listening.isMet && scoreOfShares(subject, listening.interest, listening.role) >= listening.lowest) {
            listening.isMet = true;
            met.push(listening);
          }
          steps += 1;
          if (steps % COUNTED_PER_STEP === 0) yield undefined;
        }
      }
      for (const { agent, interest, role } of met) {
        steps += 1;
        if (steps % COUNTED_PER_STEP === 0) yield undefined;
        const score = scoreOfShares(subject, interest, role);
        for (const subscription of agent.subscriptions.values()) {
          const isReached = score >= thresholdOf(subscription);
          if (isReached && placeOf(subscription) > base && subscription.events.includes(kind))
            yield { agent, subscription, score };
        }
      }
    },
  };
}

/** Counts a word of the wish that the event has. */
function count(wish: Wish, walk: number): void {
  const listening = wish.of;
  if (listening.walk !== walk) {
    listening.walk = walk;
    listening.isMet = false;
    listening.interest = 0;
    listening.role = 0;
  }
  if (wish.walk !== walk) {
    wish.walk = walk;
    wish.found = 0;
  }
  wish.found += 1;
  const share = wish.found / wish.wordCount;
  if (wish.isRole) listening.role = share;
  else if (share > listening.interest) listening.interest = share;
}

function listeningOf(agent: ToldAgent): Listening {
  const { role, interests } = agent.listener();
  const wishes: Wish[] = [];
  const lowest = Math.min(...Array.from(agent.subscriptions.values(), thresholdOf));
  const listening: Listening = { agent, wishes, lowest, walk: 0, isMet: false, interest: 0, role: 0 };
  const add = (words: ReadonlySet<string>, isRole: boolean) =>
    wishes.push({ of: listening, words, wordCount: words.size, isRole, walk: 0, found: 0 });
  add(role, true);
  for (const { words } of interests) add(words, false);
  return listening;
}

function baseKey(kind: string, place: number): string {
  return `${place} ${kind}`;
}

function thresholdOf({ minRelevance }: FieldSubscription): number {
  return minRelevance ?? 0;
}

/** The place in `BASE_SCORES` of the lowest score that reaches the threshold; behind the last if none does. */
function placeOf(subscription: FieldSubscription): number {
  const threshold = thresholdOf(subscription);
  const place = BASE_SCORES.findIndex((score) => score >= threshold);
  return place === -1 ? BASE_SCORES.length : place;
}

/** Members by group, each with a value. A group without members is not kept. */
function createGroups<Key, Member, Value>() {
  const groups = new Map<Key, Map<Member, Value>>();
  const nobody: ReadonlyMap<Member, Value> = new Map();
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
    of: (key: Key): ReadonlyMap<Member, Value> => groups.get(key) ?? nobody,
  };
}
