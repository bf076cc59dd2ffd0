// Calls that wait for a person. Only a reply lets one go to the server. Everything else is answered here: "not done".
import { argumentParts } from "../../base/argument-words.js";
import { type Members, membersOf, someText } from "../../base/members.js";
import type { Wording } from "../../engine/messages/wording.js";
import type { Decision, Sign } from "../adapter.js";
import { isClear, type MessageId, type RpcRequest } from "../rpc-message.js";
import { NO_FACTS } from "../tool-facts.js";
import { type QuestionWords, questionWords, shortAction } from "../tool-words.js";
import { isOneCall } from "./held-lines.js";
import { isModern, notDone, progressed } from "./mcp-message.js";

/** The time between two notices of progress while a call is held. */
const PROGRESS_MS = 10_000;
/** The daemon ends a question first, and this is the time that its word of it may take, ms. */
const GRACE_MS = 1000;

/** Calls that wait at a time, and UTF-16 units of all of them: their lines are kept. */
const MOST_HELD = 256;
const MOST_HELD_UNITS = 64 * 1024 * 1024;

const REASONS = {
  rejected: "the person did not agree.",
  unanswered: "nobody has agreed.",
  crowded: "too many calls wait for a person.",
  unclear: "the call could be read in two ways, and so nobody was asked.",
} as const;

export interface HeldCall {
  readonly line: string;
  readonly request: RpcRequest;
  readonly turn: string;
  readonly call: string;
  readonly name: string;
  readonly token: MessageId | undefined;
  /** The notices of progress that the host has had. */
  readonly notices: number;
  /** The question that was answered. */
  readonly question: string;
}

interface Waiting {
  readonly held: Omit<HeldCall, "notices" | "question">;
  readonly asked: Extract<Sign, { readonly kind: "question" }>;
  /** The id of the question that is open. */
  question: string;
  /** A yes is asked for once more, because the question did not have everything. */
  isToBeRepeated: boolean;
  notices: number;
  noticeAt: number;
  readonly until: number;
}

export interface Answered {
  readonly signs: readonly Sign[];
  readonly toHost?: readonly string[];
  readonly released?: HeldCall;
}

const NOTHING: Answered = { signs: [] };

export class Holding {
  readonly #words: Wording;
  readonly #seconds: number;
  readonly #byQuestion = new Map<string, Waiting>();
  #count = 0;

  /** `seconds`: how long a person has. */
  constructor(words: Wording, seconds: number) {
    this.#words = words;
    this.#seconds = seconds;
  }

  isAny(): boolean {
    return this.#byQuestion.size > 0;
  }

  /** Asks about a call. `tool` is the name in the events of AAEP. */
  ask(held: Waiting["held"], tool: string, now: number): Answered {
    const { params } = held.request;
    if (!isClear(held.line) || !isOneCall(held.line) || !isAskable(params)) return refused(held, "unclear");
    if (this.#isCrowded(held.line)) return refused(held, "crowded");
    const { action, consequence } = wordsOf(held.name, inputOf(params), this.#words);
    const asked: Waiting["asked"] = {
      kind: "question",
      turn: held.turn,
      id: this.#nextQuestion(),
      call: held.call,
      name: tool,
      action,
      consequence: consequence.text,
      risk: "high",
      irreversible: true,
      seconds: this.#seconds,
      hasHostDialog: false,
    };
    this.#byQuestion.set(asked.id, {
      held,
      asked,
      question: asked.id,
      isToBeRepeated: consequence.isCut,
      notices: 0,
      noticeAt: now + PROGRESS_MS,
      until: now + this.#seconds * 1000 + GRACE_MS,
    });
    return { signs: [asked] };
  }

  /** A person has answered. "released": the call goes to the server. */
  answered(question: string, decision: Decision, now: number): Answered {
    const waiting = this.#byQuestion.get(question);
    if (waiting === undefined) return NOTHING;
    this.#byQuestion.delete(question);
    const { held, asked, notices } = waiting;
    if (decision === "reject") return refused(held, "rejected");
    const left = Math.floor((waiting.until - GRACE_MS - now) / 1000);
    if (!waiting.isToBeRepeated) return { signs: [], released: { ...held, notices, question } };
    if (left < 1) return refused(held, "unanswered");
    waiting.isToBeRepeated = false;
    waiting.question = this.#nextQuestion();
    this.#byQuestion.set(waiting.question, waiting);
    const action = this.#words.say("notAllRead", { action: asked.action });
    return { signs: [{ ...asked, id: waiting.question, action, seconds: left }] };
  }

  /** No person has answered. */
  unanswered(question: string): Answered {
    const waiting = this.#byQuestion.get(question);
    this.#byQuestion.delete(question);
    return waiting === undefined ? NOTHING : refused(waiting.held, "unanswered");
  }

  /** The host does not want the call any more. Undefined: no such call is held. */
  withdrawn(requestKey: string): readonly Sign[] | undefined {
    const meant = [...this.#byQuestion.values()].filter(({ held }) => held.request.id.key === requestKey);
    return meant.length === 0 ? undefined : meant.map((waiting) => this.#over(waiting));
  }

  dueAt(): number | undefined {
    const times = [...this.#byQuestion.values()].map(({ held, noticeAt, until }) =>
      held.token === undefined ? until : Math.min(noticeAt, until),
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  wake(now: number): { readonly signs: readonly Sign[]; readonly toHost: readonly string[] } {
    const signs: Sign[] = [];
    const toHost: string[] = [];
    for (const waiting of [...this.#byQuestion.values()]) {
      const { held, until, noticeAt } = waiting;
      if (now >= until) {
        signs.push(this.#over(waiting));
        toHost.push(...refused(held, "unanswered").toHost);
      } else if (held.token !== undefined && now >= noticeAt) {
        toHost.push(progressed(held.token, waiting.notices, this.#words.say("waitsForPerson")));
        waiting.notices += 1;
        waiting.noticeAt = now + PROGRESS_MS;
      }
    }
    return { signs, toHost };
  }

  /** The turn is over: nobody waits for the answers. */
  forget(): void {
    this.#byQuestion.clear();
  }

  #nextQuestion(): string {
    this.#count += 1;
    return `question ${this.#count}`;
  }

  #isCrowded(line: string): boolean {
    const waiting = [...this.#byQuestion.values()].reduce((sum, { held }) => sum + held.line.length, line.length);
    return this.#byQuestion.size >= MOST_HELD || waiting > MOST_HELD_UNITS;
  }

  #over({ held, question }: Waiting): Sign {
    this.#byQuestion.delete(question);
    return { kind: "question-over", turn: held.turn, id: question };
  }
}

function refused({ request }: Waiting["held"], why: keyof typeof REASONS) {
  return { signs: [], toHost: [notDone(request.id, REASONS[why], isModern(request.params))] };
}

/**
 * The whole of a call. Its action has the beginning of the arguments, so that two calls of one tool sound different, and are different to the daemon:
 * a no takes back the consent to what is asked in the same words (R5).
 */
function wordsOf(name: string, input: Members, words: Wording): QuestionWords {
  const whole = questionWords({ ...NO_FACTS, name, input }, words);
  const what = [name, argumentParts(input).join("\n")].filter((part) => part !== "").join(": ");
  return { ...whole, action: words.say("use", { tool: shortAction(what, words) }) };
}

/** The arguments. Further members that a server could read, such as the answers to a form, stand beside them. */
function inputOf({ name: _, arguments: given, _meta: __, task: ___, requestState: ____, ...others }: Members): Members {
  return Object.keys(others).length === 0 ? membersOf(given) : { ...others, arguments: given ?? {} };
}

/** Whether a question has everything that the server gets. */
function isAskable({ name, arguments: given }: Members): boolean {
  return someText(name) !== undefined && (given === undefined || (typeof given === "object" && !Array.isArray(given)));
}
