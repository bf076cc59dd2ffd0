// How much a unit or an event concerns an agent: 0 to 1, from the agent's role and interests and from the type alone. There is no clock in it and
// nothing of other agents, so the same pair always has the same score, pushed or polled.
import type { EventKind, FieldAgent, Subject, UnitType } from "./field-types.js";
import { wordsOf } from "./words.js";

/** The largest share of each part of a score. */
const INTEREST_SHARE = 0.6;
const ROLE_SHARE = 0.2;

/** The share of the type, at most 0.2. */
const BASES: Readonly<Record<UnitType | EventKind, number>> = {
  human_directive: 0.2,
  contradiction: 0.15,
  correction: 0.15,
  decision: 0.15,
  constraint: 0.15,
  question: 0.1,
  finding: 0.1,
  synthesis: 0.1,
  observation: 0.05,
  intention: 0.05,
  assumption: 0.05,
  "memory.recorded": 0.1,
  "memory.superseded": 0.1,
  "memory.contested": 0.15,
  "conflict.detected": 0.15,
  "conflict.resolved": 0.15,
  "handoff.incoming": 0.2,
  "task.assigned": 0.15,
  "task.completed": 0.1,
  "task.state_changed": 0.05,
  "agent.failed": 0.15,
  "agent.joined": 0.05,
  "session.paused": 0.15,
  "session.ended": 0.1,
};

/** An agent, as relevance sees it. */
export interface Listener {
  readonly interests: readonly { readonly text: string; readonly words: ReadonlySet<string> }[];
  readonly role: ReadonlySet<string>;
}

/** Most different words of a role, and of all interests of an agent together. Further interests are wanted by nobody. */
const MOST_WANTED_WORDS = 128;

export function listenerOf({ role, interests }: Pick<FieldAgent, "role" | "interests">): Listener {
  let left = MOST_WANTED_WORDS;
  const wanted: Listener["interests"][number][] = [];
  for (const text of interests) {
    if (left <= 0) break;
    const words = new Set([...wordsOf(text)].slice(0, left));
    left -= words.size;
    wanted.push({ text, words });
  }
  return { role: new Set([...wordsOf(role)].slice(0, MOST_WANTED_WORDS)), interests: wanted };
}

export interface Relevance {
  /** 0 to 1, in thousandths. */
  readonly score: number;
  /** A sentence for people and for logs. */
  readonly reason: string;
}

/** The score alone. */
export function relevanceScore(subject: Subject, listener: Listener): number {
  return scoreOf(subject, bestInterest(subject, listener)?.share ?? 0, shareOf(listener.role, subject.words));
}

export function relevance(subject: Subject, listener: Listener): Relevance {
  const best = bestInterest(subject, listener);
  const role = shareOf(listener.role, subject.words);
  const reasons = [
    ...(best === undefined ? [] : [`has ${percent(best.share)} of the interest "${best.text}"`]),
    ...(role === 0 ? [] : [`has ${percent(role)} of the role`]),
    `is of the type ${subject.kind}`,
  ];
  return { score: scoreOf(subject, best?.share ?? 0, role), reason: `It ${reasons.join(", ")}.` };
}

function scoreOf({ kind }: Subject, interest: number, role: number): number {
  return Math.round((BASES[kind] + INTEREST_SHARE * interest + ROLE_SHARE * role) * 1000) / 1000;
}

/** The interest of which the subject has most, the first of equals; undefined if it has nothing of any. */
function bestInterest({ words }: Subject, { interests }: Listener) {
  let best: { readonly text: string; readonly share: number } | undefined;
  for (const interest of interests) {
    const share = shareOf(interest.words, words);
    if (share > (best?.share ?? 0)) best = { text: interest.text, share };
  }
  return best;
}

/** The part of the wanted words that is there. */
function shareOf(wanted: ReadonlySet<string>, words: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  let count = 0;
  for (const word of wanted) if (words.has(word)) count += 1;
  return count / wanted.size;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
