// Permissions that an agent waits for, each asked in two places: the host's own dialog and the listeners. The first answer counts, and the agent gets
// exactly one. Ids go back as they are written. A request that could be read in two ways, or is no plain yes or no, is left to the editor.
import { type Members, membersOf, someText } from "../../base/members.js";
import { foldedName } from "../../base/tool-name.js";
import type { Wording } from "../../engine/messages/wording.js";
import type { Consent, Decision, Reading, Sign } from "../adapter.js";
import { listOf } from "../fields.js";
import { isClear, type MessageId, type RpcRequest, type RpcResponse } from "../rpc-message.js";
import type { ToolFacts } from "../tool-facts.js";
import { questionWords } from "../tool-words.js";
import { announced } from "../words.js";
import type { Turn } from "./turn.js";

/** How long a person has, in seconds. The host's dialog stays after that. */
const ANSWER_SECONDS = 600;

/** Requests that are open at a time. Further ones are between agent and host. */
const MOST_OPEN = 256;

/** Kinds of tools whose permission is a yes or a no. A kind that is not here, such as `switch_mode`, has a dialog of its own. */
const ANSWERABLE_KINDS: ReadonlySet<string> = new Set([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "other",
]);

/** Tools that ask something else than for permission, whatever their kind is. */
const DIALOGS: ReadonlySet<string> = new Set(
  ["AskUserQuestion", "ask_user", "ExitPlanMode", "exit_plan_mode", "EnterPlanMode"].map(foldedName),
);

/** The options that a yes and a no of a listener choose. */
interface Answers {
  readonly accept: string;
  readonly reject: string;
}

interface Permission {
  readonly id: MessageId;
  readonly sessionId: string;
  readonly turn: Turn;
  readonly call: string;
  readonly options: unknown;
  readonly answers: Answers | undefined;
  /** The question, for a second one. */
  readonly asked: Extract<Sign, { readonly kind: "question" }> | undefined;
  /** The id of the question that is open; undefined if listeners have none. */
  question: string | undefined;
  /** A yes is asked for once more, because the question did not have everything. */
  isToBeRepeated: boolean;
}

const NOTHING: Reading = { signs: [] };

export class Permissions {
  readonly #words: Wording;
  readonly #irreversibleKinds: ReadonlySet<string>;
  readonly #open = new Map<string, Permission>();
  readonly #byQuestion = new Map<string, Permission>();
  /** Answers of the host that will come too late: how many, by the id. */
  readonly #late = new Map<string, number>();
  #count = 0;

  constructor(words: Wording, irreversibleKinds: ReadonlySet<string>) {
    this.#words = words;
    this.#irreversibleKinds = irreversibleKinds;
  }

  /** Whether an answer of the host may be one that matters here. */
  isAnyAwaited(): boolean {
    return this.#open.size > 0 || this.#late.size > 0;
  }

  /** The agent asks the host, in a turn. `text` is the whole message. */
  requested({ id, params }: RpcRequest, text: string, turn: Turn, now: number): Reading {
    const sessionId = someText(params.sessionId) ?? "";
    const toolCall = membersOf(params.toolCall);
    const call = turn.callOf(sessionId, someText(toolCall.toolCallId) ?? id.key);
    const inFront = turn.inFront(sessionId);
    // Two open requests of one id cannot be told apart: both are left to the host.
    const isDoubled = this.#open.has(id.key);
    if (this.#open.size >= MOST_OPEN && !isDoubled) return NOTHING;
    const before = [...turn.tools.goesOn(call), ...this.withdrawn(id.key, now).signs];
    const facts = turn.tools.asked(call, toolCall, now, inFront);
    const words = questionWords(facts, this.#words);
    const answers = isClear(text) && !isDoubled ? answersOf(facts, params.options) : undefined;
    const isIrreversible = this.#irreversibleKinds.has(facts.kind ?? "other");
    const asked: Permission["asked"] =
      answers === undefined
        ? undefined
        : {
            kind: "question",
            turn: turn.key,
            id: this.#nextQuestion(),
            call,
            name: facts.name ?? facts.kind ?? "tool",
            action: inFront(words.action),
            consequence: words.consequence.text,
            risk: isIrreversible ? "high" : "medium",
            irreversible: isIrreversible,
            seconds: ANSWER_SECONDS,
          };
    const permission: Permission = {
      id,
      sessionId,
      turn,
      call,
      options: params.options,
      answers,
      asked,
      question: asked?.id,
      isToBeRepeated: words.consequence.isCut,
    };
    this.#open.set(id.key, permission);
    if (asked !== undefined) {
      this.#byQuestion.set(asked.id, permission);
      return { signs: [...before, asked] };
    }
    const told = announced(
      this.#words.say("askedThere", { asking: `${announced(words.action, this.#words)}.` }),
      this.#words,
    );
    return { signs: [...before, { kind: "state", turn: turn.key, state: "awaiting_input", words: told }] };
  }

  /** The host answers a request of the agent. */
  answeredByHost({ id, result, error }: RpcResponse, now: number): Reading {
    const late = this.#late.get(id.key);
    if (late !== undefined) {
      if (late === 1) this.#late.delete(id.key);
      else this.#late.set(id.key, late - 1);
      return { signs: [], verdict: "swallow" };
    }
    const permission = this.#open.get(id.key);
    if (permission === undefined) return NOTHING;
    const outcome = membersOf(result.outcome);
    const chosen = outcome.outcome === "selected" ? decisionOf(permission.options, outcome.optionId) : undefined;
    this.#open.delete(id.key);
    const over = this.#questionOver(permission, error === undefined ? chosen : undefined);
    // A call without an allowing answer does not run.
    return { signs: [...over, ...this.#settled(permission, chosen ?? "reject", "host", now)] };
  }

  /** A listener answers. An answer to what is over by now is none. */
  answeredByListener(question: string, decision: Decision, now: number): Reading {
    const permission = this.#byQuestion.get(question);
    this.#byQuestion.delete(question);
    if (permission?.question !== question || permission.answers === undefined) return NOTHING;
    permission.question = undefined;
    if (decision === "accept" && permission.isToBeRepeated && permission.asked !== undefined) {
      permission.isToBeRepeated = false;
      const action = this.#words.say("notAllRead", { action: permission.asked.action });
      const again = { ...permission.asked, id: this.#nextQuestion(), action };
      permission.question = again.id;
      this.#byQuestion.set(again.id, permission);
      return { signs: [again] };
    }
    const lines = this.#answer(permission, { outcome: "selected", optionId: permission.answers[decision] });
    return { signs: this.#settled(permission, decision, { question }, now), ...lines };
  }

  /** The agent takes back a request. The host's answer, if one comes, is the agent's own affair. */
  withdrawn(key: string, now: number): Reading {
    const permission = this.#open.get(key);
    if (permission === undefined) return NOTHING;
    this.#open.delete(key);
    return {
      signs: [...this.#questionOver(permission, undefined), ...this.#settled(permission, undefined, undefined, now)],
    };
  }

  /** The person cancels in the host, with its subagents: nothing is asked of listeners any more, and the host answers what is open. */
  cancelledByHost(sessionId: string): readonly Sign[] {
    return this.#of(({ turn, ...one }) => one.sessionId === sessionId || turn.sessionId === sessionId).flatMap((one) =>
      this.#questionOver(one, undefined),
    );
  }

  /** A listener stops the turn: the host, which knows nothing of it, will not answer what is open. */
  stopped(turn: Turn, now: number): Reading {
    const signs: Sign[] = [];
    const toChild: string[] = [];
    const toHost: string[] = [];
    for (const permission of this.#of((one) => one.turn === turn)) {
      signs.push(...this.#questionOver(permission, undefined));
      signs.push(...turn.tools.settled(permission.call, "reject", undefined, now));
      const answer = this.#answer(permission, { outcome: "cancelled" });
      toChild.push(...answer.toChild);
      toHost.push(...answer.toHost);
    }
    return { signs, toChild, toHost };
  }

  /** The turn is over. A request that is still open is between agent and host. */
  ended(turn: Turn): readonly Sign[] {
    return this.#of((one) => one.turn === turn).flatMap((permission) => {
      this.#open.delete(permission.id.key);
      return this.#questionOver(permission, undefined);
    });
  }

  #of(isMeant: (permission: Permission) => boolean): readonly Permission[] {
    return [...this.#open.values()].filter(isMeant);
  }

  /** The answer to the agent, and the word to the host that nobody waits for its answer. */
  #answer({ id }: Permission, outcome: Members): { readonly toChild: [string]; readonly toHost: [string] } {
    this.#open.delete(id.key);
    this.#late.set(id.key, (this.#late.get(id.key) ?? 0) + 1);
    return {
      toChild: [`{"jsonrpc":"2.0","id":${id.text},"result":${JSON.stringify({ outcome })}}`],
      toHost: [`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id.text}}}`],
    };
  }

  /** While the agent waits for another permission of the same call, only a no is the end of the matter. */
  #settled(
    { turn, call }: Permission,
    decision: Decision | undefined,
    consent: Consent | undefined,
    now: number,
  ): readonly Sign[] {
    const others = this.#of((one) => one.turn === turn && one.call === call);
    return decision !== "reject" && others.length > 0 ? [] : turn.tools.settled(call, decision, consent, now);
  }

  #questionOver(permission: Permission, decision: Decision | undefined): readonly Sign[] {
    const { question: id, turn } = permission;
    if (id === undefined) return [];
    permission.question = undefined;
    this.#byQuestion.delete(id);
    return [{ kind: "question-over", turn: turn.key, id, ...(decision === undefined ? {} : { decision }) }];
  }

  #nextQuestion(): string {
    this.#count += 1;
    return `question ${this.#count}`;
  }
}

/** Undefined if the permission is no plain yes or no. "Always" is never chosen for a person. */
function answersOf({ kind, name }: ToolFacts, options: unknown): Answers | undefined {
  if (!ANSWERABLE_KINDS.has(kind ?? "other")) return undefined;
  if (name !== undefined && DIALOGS.has(foldedName(name))) return undefined;
  const accepting = optionsOf(options, "allow_once");
  const [reject] = optionsOf(options, "reject_once");
  const [accept] = accepting;
  // Several ways to allow are a choice.
  if (accept === undefined || reject === undefined || accepting.length > 1) return undefined;
  return { accept, reject };
}

/** The decision that a chosen option is; undefined for one that was not offered. */
function decisionOf(options: unknown, optionId: unknown): "accept" | "reject" | undefined {
  const chosen = listOf(options)
    .map(membersOf)
    .find((option) => option.optionId === optionId);
  const kind = someText(chosen?.kind);
  if (kind === undefined) return undefined;
  return kind.startsWith("allow_") ? "accept" : "reject";
}

function optionsOf(options: unknown, kind: string): readonly string[] {
  return listOf(options)
    .map(membersOf)
    .filter((option) => option.kind === kind)
    .flatMap(({ optionId }) => someText(optionId) ?? []);
}
