// Tells a daemon that runs the signs of an adapter, by the sessions of an agent whose name no other one has. The teller closes what is open in a turn
// before the turn ends. Nothing here ever throws, waits or writes to standard output.
import { within } from "../base/time-limit.js";
import { toolNameOf } from "../base/tool-name.js";
import { APPROVED_BY_HOST } from "../client/agent/own-extension.js";
import type { Agent, AgentSession, CallOptions, ToolCall } from "../client/agent/session-types.js";
import { openAgent } from "../client/node.js";
import { newReplyToken } from "../client/random-ids.js";
import { QUIET_TIMERS } from "../client/timers.js";
import type { Decision, RunOptions, Sign } from "./adapter.js";
import { claimName } from "./claim-name.js";
import { foreignId } from "./fields.js";
import { agentIdOf } from "./names.js";

export interface TellerOptions {
  readonly run: Pick<RunOptions, "command" | "speech" | "socket" | "runtimeFolder" | "onFault">;
  /** Name for people; it gets a number if another process has it. */
  readonly name: string;
  /** The process of the agent: no program below it answers it (R5d). Undefined: not known. */
  readonly pid: number | undefined | Promise<number>;
  /** A person has answered. Nothing but a reply is an answer: a default, a time-out and a lost daemon leave the decision to the host. */
  readonly answered: (question: string, decision: Decision) => void;
  /** A question is over without a person's answer, or could not be asked. Default: nobody waits for that. Must not throw. */
  readonly unanswered?: (question: string) => void;
  /** A person wants a turn to stop (R39). The host ends it. Default: nobody can stop it. */
  readonly stop?: (turn: string) => void;
}

export interface Teller {
  readonly tell: (sign: Sign) => void;
  /** Waits until the daemon has everything, at most so long, ms. */
  readonly close: (withinMs: number) => Promise<void>;
}

/** Signs that wait while the agent is being opened. Of further ones the texts, states and progress are left out. */
const MOST_WAITING = 4096;

interface Asked {
  readonly abort: AbortController;
  readonly token: string;
  /** The name by which the tool was asked about: its consent is good for no other (R5). */
  readonly name: string;
}

interface OpenTurn {
  readonly session: AgentSession;
  /** Calls that are open, by the host's ids. */
  readonly tools: Map<string, ToolCall>;
  /** Calls that have begun, by the host's ids. */
  readonly begun: Set<string>;
  readonly questions: Map<string, Asked>;
}

export function createTeller(options: TellerOptions): Teller {
  const { run, pid, answered, unanswered = () => {}, stop } = options;
  const { socket, onFault } = run;
  const { name, release } = claimName(options.name, run.runtimeFolder, process.getuid?.());
  const turns = new Map<string, OpenTurn>();
  /** Undefined once an agent takes the signs. */
  let waiting: Sign[] | undefined;
  let agent: Agent | undefined;
  let isClosing = false;
  let opened = look();

  async function open(): Promise<Agent> {
    const known = await pid;
    return openAgent({
      id: agentIdOf(run.command),
      name,
      language: run.speech.language,
      ...(known === undefined ? {} : { pid: known }),
      onStop: stop === undefined ? undefined : onStop,
      ...(socket === undefined ? {} : { socket }),
      // A daemon of its own would be found by nobody in time.
      spawn: false,
      onError: ({ fault }) => onFault(fault),
    });
  }
  /** Opens the agent, at first and for each turn that begins without a daemon, and hands it what has waited. */
  async function look(): Promise<Agent | undefined> {
    waiting = [];
    try {
      const one = await open();
      for (const sign of waiting) quietly(() => tellTo(one, sign), sign);
      waiting = undefined;
      agent = one;
      return one;
    } catch (caught) {
      const left = waiting ?? [];
      waiting = undefined;
      onFault(caught);
      for (const sign of left) isUnheard(sign);
      return undefined;
    }
  }
  function onStop(session: AgentSession): void {
    for (const [key, turn] of turns) if (turn.session === session) quietly(() => stop?.(key));
  }
  function lookAgain(): void {
    if (agent?.status.kind !== "silent" || turns.size > 0) return;
    void agent.close(0);
    agent = undefined;
    opened = look();
  }

  /** `sign`: it is told by this work. */
  function quietly(work: () => void, sign?: Sign): void {
    try {
      work();
    } catch (caught) {
      onFault(caught);
      if (sign !== undefined) isUnheard(sign);
    }
  }
  function isUnheard(sign: Sign): void {
    if (sign.kind === "question") unanswered(sign.id);
  }

  function tellTo(to: Agent, sign: Sign): void {
    if (sign.kind === "turn") {
      const started = sign.conversation === undefined ? {} : { started: { correlation_id: sign.conversation } };
      const session = to.session(sign.words, started);
      turns.set(sign.turn, { session, tools: new Map(), begun: new Set(), questions: new Map() });
      return;
    }
    const turn = turns.get(sign.turn);
    if (turn === undefined) isUnheard(sign);
    else tellIn(turn, sign);
    if (sign.kind === "end") turns.delete(sign.turn);
  }

  function tellIn(turn: OpenTurn, sign: Exclude<Sign, { readonly kind: "turn" }>): void {
    const { session } = turn;
    switch (sign.kind) {
      case "text":
        session.text(sign.text);
        break;
      case "text-end":
        // A stream without text ends the output before it.
        void session.say([]);
        break;
      case "tool":
        begin(turn, sign);
        break;
      case "tool-end":
        turn.tools.get(sign.call)?.end(sign.status, sign.words);
        turn.tools.delete(sign.call);
        break;
      case "progress": {
        const { step, total: total_steps, percent, words: description } = sign;
        const members = withoutUndefined({ step, total_steps, percent, description });
        const about = sign.call === undefined ? session : turn.tools.get(sign.call);
        about?.progress(members as unknown as Parameters<AgentSession["progress"]>[0]);
        break;
      }
      case "state":
        session.state(sign.state, sign.words);
        break;
      case "question":
        ask(turn, sign);
        break;
      case "question-over":
        // The reason tells the client who decided (R5a). Without one the question is withdrawn.
        turn.questions
          .get(sign.id)
          ?.abort.abort(sign.decision === undefined ? undefined : { decided_by: "host", decision: sign.decision });
        break;
      case "end":
        end(turn, sign);
        break;
    }
  }

  function begin({ session, tools, begun, questions }: OpenTurn, sign: Extract<Sign, { readonly kind: "tool" }>): void {
    if (tools.has(sign.call)) return;
    const { consent, irreversible = false } = sign;
    const asked = consent === undefined || consent === "host" ? undefined : questions.get(consent.question);
    const isConsented = irreversible && asked !== undefined;
    const options: CallOptions = {
      call_id: foreignId(sign.call),
      summary: sign.words,
      ...(isConsented ? { irreversible, consent: asked.token } : {}),
      ...(consent === "host" ? { invoked: APPROVED_BY_HOST } : {}),
    };
    begun.add(sign.call);
    tools.set(sign.call, session.begin(asked?.name ?? sign.name, options));
  }

  function ask({ session, begun, questions }: OpenTurn, sign: Extract<Sign, { readonly kind: "question" }>): void {
    const abort = new AbortController();
    const token = newReplyToken();
    questions.set(sign.id, { abort, token, name: sign.name });
    const outcome = session.confirm(
      {
        reply_token: token,
        action: sign.action,
        consequence: sign.consequence,
        risk_level: sign.risk,
        irreversible: sign.irreversible,
        timeout_seconds: sign.seconds,
        default_decision: "reject",
        // Where the host asks too, nobody's silence decides here (R5b).
        ...(sign.hasHostDialog === false ? {} : { host_dialog: true }),
        // A question names only a call to come (R5c). Some hosts ask when a call runs already, or ask again.
        ...(begun.has(sign.call) ? {} : { call_id: foreignId(sign.call) }),
        extra_context: { tool: toolNameOf(sign.name) },
      },
      { signal: abort.signal },
    );
    void outcome.then(
      ({ resolved_by, decision }) => {
        if (resolved_by === "reply" && decision !== undefined) quietly(() => answered(sign.id, decision));
        else unanswered(sign.id);
      },
      (caught) => {
        onFault(caught);
        unanswered(sign.id);
      },
    );
  }

  function end({ session, tools, questions }: OpenTurn, sign: Extract<Sign, { readonly kind: "end" }>): void {
    for (const call of tools.values()) call.end("error");
    for (const { abort } of questions.values()) abort.abort();
    switch (sign.how) {
      case "completed":
        session.complete(sign.words);
        break;
      case "cancelled":
        session.cancel(sign.words, "user");
        break;
      case "errored":
        session.publish({
          type: "aaep:agent.session.errored",
          summary_normal: sign.words,
          error_category: "unknown",
          ...(sign.code === undefined ? {} : { error_code: sign.code }),
        });
    }
  }

  return {
    tell: (sign) => {
      if (isClosing) return;
      // The client waits longer and longer between its own searches. Somebody who has just started a daemon wants to hear the next turn.
      if (sign.kind === "turn") lookAgain();
      if (waiting !== undefined) {
        if (waiting.length < MOST_WAITING || !isMinor(sign)) waiting.push(sign);
      } else if (agent !== undefined) {
        const to = agent;
        quietly(() => tellTo(to, sign), sign);
      } else isUnheard(sign);
    },
    close: async (withinMs) => {
      const one = await within(QUIET_TIMERS.now() + withinMs, opened, QUIET_TIMERS);
      isClosing = true;
      await one?.close(withinMs);
      release();
    },
  };
}

function isMinor({ kind }: Sign): boolean {
  return kind === "text" || kind === "text-end" || kind === "state" || kind === "progress";
}

function withoutUndefined(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
