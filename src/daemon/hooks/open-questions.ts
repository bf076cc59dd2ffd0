// The questions of one conversation that wait for a person, each for a process of the host that waits too.
import type { Decision } from "../../adapters/adapter.js";
import type { HookReading } from "../../adapters/hooks/hook-host.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { AgentHandle } from "../../engine/agents/agent-handle.js";
import type { ResolvedQuestion } from "../../engine/questions/question-result.js";

/** Calls of one message of the agent begin within this time, ms. A later call shows that the host has its answer. */
const SAME_MESSAGE_MS: Millis = 1000;
/** How often the daemon looks whether anybody can still answer, ms. */
const AUDIENCE_MS: Millis = 1000;

/** The subject of a question. */
interface Subject {
  readonly key: string | undefined;
  readonly actor: string | undefined;
  /** The host's id of the call; undefined if it was not seen to begin. */
  readonly call: string | undefined;
}

interface Waiting extends Subject {
  readonly token: string;
  readonly askedAt: Millis;
  readonly whenOver: Promise<void>;
}

/** A person's reply to the question of this token; undefined if nobody has replied. */
export type Answer = { readonly decision: Decision; readonly token: string } | undefined;

/** A question that the host has decided; `decision` is undefined where its message does not show how. */
interface Settled extends Subject {
  readonly decision: Decision | undefined;
  /** Resolves when the daemon has closed the question, which waits for its journal. */
  readonly whenOver: Promise<unknown>;
}

export interface Asking {
  /** Publishes the question, and returns its token; undefined if it was refused. */
  readonly publish: (done: (resolved: ResolvedQuestion) => void) => string | undefined;
  /** The question ends as soon as nobody can answer it. */
  readonly needsAudience: boolean;
  /** Calls a function when the host's process has gone, unless the returned function cancels that. */
  readonly whenLeft: (run: () => void) => () => void;
}

/** `hasAudience`: whether a subscription can answer a question of the present turn. */
export function createOpenQuestions(
  agent: AgentHandle,
  clock: Pick<Clock, "now" | "wakeAt">,
  hasAudience: () => boolean,
) {
  const waiting = new Set<Waiting>();

  return {
    /** Asks, and resolves with the answer. Never rejects. */
    ask: (subject: Subject, { publish, needsAudience, whenLeft }: Asking): Promise<Answer> =>
      new Promise((resolve) => {
        let isOver = false;
        let mine: Waiting | undefined;
        const { promise: whenOver, resolve: over } = withResolvers();
        let cancelLook = (): void => {};
        let stay = (): void => {};
        const done = ({ question, result }: ResolvedQuestion): void => {
          isOver = true;
          cancelLook();
          stay();
          if (mine !== undefined) waiting.delete(mine);
          resolve(answerOf(question.token, result));
          over();
        };
        const token = publish(done);
        if (token === undefined) return resolve(undefined);
        if (isOver) return;
        mine = { ...subject, token, askedAt: clock.now(), whenOver };
        waiting.add(mine);
        const takeBack = (): void => {
          if (!isOver) agent.cancel(token);
        };
        const look = (): void => {
          if (!hasAudience()) takeBack();
          else cancelLook = clock.wakeAt(clock.now() + AUDIENCE_MS, look);
        };
        stay = whenLeft(takeBack);
        if (needsAudience) look();
      }),
    /** Ends the questions of which a message shows that the host has an answer. */
    settle: (reading: HookReading): readonly Settled[] =>
      [...waiting].flatMap((one) => {
        const decision = shownBy(reading, one, clock.now());
        if (decision === "nothing") return [];
        agent.cancel(one.token, undefined, decision);
        return [{ ...one, decision }];
      }),
    isAny: (): boolean => waiting.size > 0,
    isAbout: (id: string): boolean => [...waiting].some(({ call }) => call === id),
  };
}

function answerOf(token: string, { resolvedBy, decision }: ResolvedQuestion["result"]): Answer {
  return resolvedBy === "reply" && decision !== undefined ? { decision, token } : undefined;
}

/** The host's decision that a message shows; undefined: it has decided, and the message does not show how. */
function shownBy({ actor, signs, key }: HookReading, question: Waiting, now: Millis): Decision | undefined | "nothing" {
  const isOf = actor === question.actor;
  for (const sign of signs) {
    switch (sign.kind) {
      case "tool-end": {
        const isCall = question.call === undefined ? key === question.key : sign.call === question.call;
        // A call that has ended was allowed before, unless the host has stopped it.
        if (isCall && isOf) return sign.status === "cancelled" ? "reject" : "accept";
        break;
      }
      case "tool":
        if (isOf && now - question.askedAt > SAME_MESSAGE_MS) return undefined;
        break;
      case "text":
      case "turn":
      case "end":
        if (isOf) return undefined;
        break;
      case "state":
        // A subagent that says something else has ended, or goes on.
        if (isOf && actor !== undefined && sign.state !== "awaiting_input") return undefined;
        break;
      default:
        break;
    }
  }
  return "nothing";
}
