// What a session makes of whatever is published in it: what is accepted with which of the daemon's events before it, and what is refused with which
// code (AAEP §4.5; R3, R3a, R3b, R5, R6, R8, R13). One rule each, written from the rules and not from the source.
import type { DaemonMade } from "../../../src/engine/event/event.js";
import type { Fields } from "../rigs/session-stage.js";
import { CHUNK, DOES, SAYS, type Said, type Step, WHO, type Who } from "./session-plans.js";

/** What was answered and went out, and what the session then is. */
export interface Told {
  readonly lines: readonly string[];
  readonly session: Fields | undefined;
}

interface Agent {
  state: string;
  told: string;
  current: string;
  implied: string[];
  before: string;
  isRestored: boolean;
  /** Its last sequence_number, and whether it has said anything (R16). */
  number: number | undefined;
  hasSpoken: boolean;
  readonly permits: Permit[];
}

interface Permit {
  readonly token: string;
  readonly action: unknown;
  readonly tool?: unknown;
  readonly call?: unknown;
}

interface Question {
  readonly token: string;
  readonly agent: string;
  readonly isConfirmation: boolean;
  readonly words: string;
  readonly permit: Permit;
}

interface Session {
  phase: "absent" | "open" | "ended";
  owner: number | undefined;
  /** The daemon has the token itself; on the disk is its hash alone (R8). */
  hasToken: boolean;
  /** Its agent has not come back since the daemon was restarted (R8b). */
  isLeftOver: boolean;
  starter: string;
  speaker: string;
  language: unknown;
  eventCount: number;
  readonly agents: Record<string, Agent>;
  tools: { readonly tool: unknown; readonly call: unknown; readonly agent: string }[];
  readonly usedCalls: unknown[];
  outputs: { readonly id: unknown; count: number; agent: string; readonly language: unknown }[];
  readonly completed: unknown[];
  questions: Question[];
  readonly usedTokens: string[];
  readonly outcomes: string[];
  /** What was published, by the words of its event: what was answered, and whether it went out. */
  readonly known: Record<string, true>;
}

class Refusal extends Error {}

const AWAITING = "awaiting_input";
const OUT_OF_PLACE = { absent: "session_not_started", open: "session_already_started", ended: "session_ended" };

/** One event on its way. */
interface Turn {
  readonly session: Session;
  readonly agent: Agent;
  readonly name: string;
  readonly fields: Fields;
  readonly lines: string[];
  /** In which its texts are, as far as that is known. */
  readonly language: unknown;
  readonly refuse: (code: string, pointer: string) => never;
}

type Rule = (turn: Turn) => string | undefined;

const RULES: Readonly<Record<string, Rule>> = {
  "session.started": () => "",
  "session.completed": (turn) => {
    const { tools, outputs } = turn.session;
    if (tools.length + outputs.length > 0) turn.refuse("session_incomplete", "/type");
    return end(turn);
  },
  "session.errored": (turn) => `unknown undefined${end(turn)}`,
  "session.cancelled": (turn) => end(turn),
  "acme:note": () => "",
  "progress.updated": () => "",
  "handoff.requested": ({ agent }) => {
    imply(agent, "handing_off");
    return "";
  },
  "state.changed": changeState,
  "tool.invoked": invoke,
  "tool.completed": complete,
  "output.streaming": stream,
  "awaiting.confirmation": ask,
  "awaiting.clarification": ask,
};

/** An agent leaves the state that it is in, or that a later event implies, or `awaiting_input` if the daemon ended that (R3a). */
function changeState(turn: Turn): string | undefined {
  const { agent, fields, name, session, lines } = turn;
  const [from, to] = [String(fields.from_state), String(fields.to_state)];
  const isBelated = agent.isRestored && from === AWAITING;
  const left = isBelated ? agent.state : from;
  if (left !== agent.state && !agent.implied.includes(left)) {
    turn.refuse("state_mismatch", "/from_state");
  }
  // AAEP §6.8
  if (from === AWAITING && (to === "thinking" || to === "deciding"))
    for (const question of session.questions) if (question.agent === name) withdraw(session, question, lines);
  if (to === AWAITING && left !== AWAITING) agent.before = left;
  Object.assign(agent, { state: to, told: to, current: to, implied: [], isRestored: false });
  return isBelated && left === to ? undefined : `${left}>${to}`;
}

/** A call's id is used once. What cannot be undone takes the permit that it names (R5c), or the best of those that fit (R5). */
function invoke(turn: Turn): string {
  const { agent, fields, name, session } = turn;
  const { tool, tool_call_id: call } = fields;
  if (call !== undefined && session.usedCalls.includes(call)) turn.refuse("tool_already_invoked", "/tool_call_id");
  const consent = (fields.extensions as { aaepd: { consent?: unknown } } | undefined)?.aaepd.consent;
  if (consent !== undefined) {
    const permit = agent.permits.find((one) => one.token === consent && isSameTool(one.tool ?? tool, tool));
    if (permit === undefined) return turn.refuse("confirmation_required", "/extensions/aaepd/consent");
    agent.permits.splice(agent.permits.indexOf(permit), 1);
  } else if (fields.irreversible === true) {
    const fits = ({ tool: its, call: one }: Permit) => (its ?? tool) === tool && (one === undefined || one === call);
    const fitting = agent.permits.filter(fits);
    const used = fitting.find((one) => one.call !== undefined) ?? fitting.find((one) => one.tool !== undefined);
    const permit = used ?? fitting[0];
    if (permit === undefined) return turn.refuse("confirmation_required", "/irreversible");
    agent.permits.splice(agent.permits.indexOf(permit), 1);
  } else if (call !== undefined && session.questions.some(({ permit }) => permit.call === call))
    turn.refuse("confirmation_required", "/tool_call_id");
  session.tools.push({ tool, call, agent: name });
  if (call !== undefined) session.usedCalls.push(call);
  imply(agent, "calling_tool");
  return `${tool} ${call}`;
}

/** By its id; without one, the agent's own before others', the oldest first (AAEP §4.5.2). */
function complete(turn: Turn): string {
  const { fields, name, session } = turn;
  const { tool, tool_call_id: call } = fields;
  const open = session.tools.filter((one) => one.call === call && (call !== undefined || one.tool === tool));
  const closed = open.find((one) => one.agent === name) ?? open[0];
  const pointer = call === undefined ? "/tool" : "/tool_call_id";
  if (closed === undefined) {
    return turn.refuse("tool_not_invoked", pointer);
  }
  if (closed.tool !== tool) turn.refuse("tool_not_invoked", "/tool");
  session.tools = session.tools.filter((one) => one !== closed);
  return `${tool} ${call} success`;
}

/** Chunks follow one another without gaps, in any of three units, and go out in code points (AAEP §4.3.3, §4.5.4, R13). */
function stream(turn: Turn): string {
  const { agent, fields, name, session } = turn;
  const { output_id: id, position, complete: isLast } = fields;
  let output = session.outputs.find((one) => one.id === id);
  if (output === undefined) {
    if (session.completed.includes(id)) turn.refuse("output_already_complete", id === undefined ? "" : "/output_id");
    output = { id, count: 0, agent: name, language: turn.language };
    session.outputs.push(output);
  }
  const { count } = output;
  if (position !== undefined && !CHUNK.lengths.some((length) => length * count === position))
    turn.refuse("position_mismatch", "/position");
  output.count += 1;
  output.agent = name;
  if (isLast === true) {
    session.outputs = session.outputs.filter((one) => one !== output);
    session.completed.push(id);
  }
  imply(agent, "writing_output");
  return `${id} ${count * CHUNK.lengths[0]} ${fields.chunk} ${isLast}`;
}

/** A token is used once, the same is not asked twice at a time, and the daemon tells the waiting that the agent leaves out (AAEP §6.1, §6.2, R6). */
function ask(turn: Turn): string {
  const { agent, fields, name, session } = turn;
  const isConfirmation = fields.action !== undefined;
  const token = String(fields.reply_token);
  const named: Fields = (fields.extra_context as Fields | undefined) ?? {};
  const permit = { token, action: fields.action, tool: named.tool, call: named.tool_call_id };
  if (isConfirmation && permit.call !== undefined && session.usedCalls.includes(permit.call))
    turn.refuse("tool_already_invoked", "/extra_context/tool_call_id");
  if (session.usedTokens.includes(token)) turn.refuse("reply_token_reused", "/reply_token");
  const words = JSON.stringify([name, fields.action, fields.question, named.tool, named.tool_call_id]);
  if (session.questions.some((one) => one.words === words))
    turn.refuse("already_asked", isConfirmation ? "/action" : "/question");
  if (agent.told !== AWAITING) {
    made(
      "supplied",
      turn,
      name,
      `state.changed ${agent.told}>${AWAITING} ${isConfirmation ? "confirmation" : "clarification"}`,
    );
    agent.before = agent.told;
    agent.told = AWAITING;
  }
  session.questions.push({ token, agent: name, isConfirmation, words, permit });
  session.usedTokens.push(token);
  agent.isRestored = false;
  imply(agent, AWAITING);
  return token;
}

/** Numbers rise, a gap is no fault, and an agent that began without goes on without (AAEP §3.4.1, R16). */
function countUp(agent: Agent, number: unknown, refuse: Turn["refuse"]): void {
  const last = agent.number;
  if (number !== undefined || last !== undefined) {
    const isNext = last === undefined ? !agent.hasSpoken : typeof number === "number" && number > last;
    if (!isNext) refuse("sequence_mismatch", "/sequence_number");
  }
  if (typeof number === "number") agent.number = number;
  agent.hasSpoken = true;
}

/** Nothing of theirs is text for people (AAEP §11.1). */
const WORDLESS = new Set(["state.changed", "progress.updated", "tool.completed", "acme:note"]);

/** Its own word, that of its output's first chunk, that of its session's start, that of its agent's manifest, the daemon's (R2). */
function languageOf({ outputs, language }: Session, kind: string, fields: Fields, manifests: unknown): unknown {
  const hints = fields.localization_hints as Fields | undefined;
  const output = kind === "output.streaming" ? outputs.find(({ id }) => id === fields.output_id) : undefined;
  return hints?.primary_language ?? fields.language ?? output?.language ?? language ?? manifests ?? "en-US";
}

function imply(agent: Agent, state: string): void {
  agent.implied.push(state);
  agent.current = state;
}

/** An event of the daemon's for an agent (R31). */
function made(kind: DaemonMade, { session, lines }: Pick<Turn, "session" | "lines">, name: string, said: string): void {
  session.eventCount += 1;
  lines.push(`${kind} for ${name}: ${said}`);
}

function withdraw(session: Session, question: Question, lines: string[]): void {
  session.questions = session.questions.filter((one) => one !== question);
  session.outcomes.push(`${question.token} withdrawn`);
  made(
    "resolution",
    { session, lines },
    question.agent,
    `state.changed ${AWAITING}>${AWAITING} cancelled agent question_withdrawn`,
  );
}

/** Questions, tools, outputs: what is open ends before its session does, the oldest of each first (R3a, AAEP §6.8). */
function end({ session, lines }: Pick<Turn, "session" | "lines">): string {
  for (const question of session.questions) withdraw(session, question, lines);
  for (const { tool, call, agent } of session.tools)
    made("closing", { session, lines }, agent, `tool.completed ${tool} ${call} timeout Gave up ${tool}.`);
  for (const { id, count, agent } of session.outputs)
    made("closing", { session, lines }, agent, `output.streaming ${id} ${count * CHUNK.lengths[0]}  true`);
  session.phase = "ended";
  return "";
}

/** One session, as the rules have it. */
export class SessionOracle {
  #session: Session = {
    phase: "absent",
    owner: undefined,
    hasToken: true,
    isLeftOver: false,
    starter: "planner",
    speaker: "planner",
    language: undefined,
    eventCount: 0,
    agents: {},
    tools: [],
    usedCalls: [],
    outputs: [],
    completed: [],
    questions: [],
    usedTokens: [],
    outcomes: [],
    known: {},
  };

  /** An array is taken whole or not at all (R3). */
  play(step: Step): Told {
    const before = structuredClone(this.#session);
    const lines: string[] = [];
    try {
      if (typeof step === "string" && step in DOES) this.#do(step, lines);
      else for (const [index, one] of [step].flat().entries()) this.#say(one as Said, index, step, lines);
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught;
      this.#session = before;
      return { lines: [caught.message], session: this.#standing() };
    }
    const isAway = before.phase === "open" && before.owner === undefined;
    if (this.#session.owner !== undefined) this.#session.isLeftOver = false;
    if (!(String(step) in DOES) && isAway && this.#session.owner !== undefined) lines.push("adopted");
    if (this.#session.phase === "ended") forget(this.#session);
    return { lines, session: this.#standing() };
  }

  #say(said: Said, index: number, step: Step, lines: string[]): void {
    const session = this.#session;
    const [who, words] = said.split(": ") as [Who, string];
    const { agent: name, connection, hasToken, language: manifests } = WHO[who];
    const [kind, fields, id] = SAYS[words] ?? ["", {}];
    const refuse = (code: string, pointer: string): never => {
      throw new Refusal(`${code} ${typeof step === "string" ? "" : `/${index}`}${pointer}`);
    };
    // The same id again: its first answer, or another's event (R3).
    const known = id === undefined ? undefined : session.known[id];
    if (known !== undefined) {
      if (session.known[`${name}: ${words}`] === undefined) refuse("event_id_reused", "/event_id");
      const isOwnStart = kind === "session.started" && session.owner === connection && session.hasToken;
      lines.push(`repeated${isOwnStart ? " with its token" : ""}`);
      return;
    }
    const isOpen = session.phase === "open";
    if (isOpen === (kind === "session.started") || session.phase === "ended") {
      refuse(OUT_OF_PLACE[session.phase], "/session_id");
    }
    if (isOpen && session.owner !== connection && !hasToken) refuse("session_not_yours", "/session_id");
    if (!isOpen || session.owner === undefined) session.owner = connection;
    session.agents[name] ??= newAgent();
    const agent = session.agents[name];
    session.speaker = name;
    countUp(agent, fields.sequence_number, refuse);
    const language = languageOf(session, kind, fields, manifests);
    if (!isOpen) Object.assign(session, { language, starter: name });
    const rule = RULES[kind];
    const outcome = rule?.({ session, agent, name, fields, lines, language, refuse });
    if (!isOpen) session.phase = "open";
    if (outcome === undefined) return void lines.push("suppressed");
    if (id !== undefined) Object.assign(session.known, { [id]: true, [`${name}: ${words}`]: true });
    session.eventCount += 1;
    lines.push(`${name}: ${kind} ${outcome}`.trim() + (WORDLESS.has(kind) ? "" : `, in ${language}`));
  }

  #do(does: string, lines: string[]): void {
    const session = this.#session;
    const { connection, abandons, outcome, token, isDefault } = DOES[does] ?? {};
    const isOpen = session.phase === "open";
    if (abandons === true) {
      if (!isOpen) throw new Refusal("not_found ");
      end({ session, lines });
      const why = session.isLeftOver ? "not_back" : "connection_lost";
      made("closing", { session, lines }, session.starter, `session.errored transient AGENT_DISCONNECTED ${why}`);
    } else if (outcome !== undefined) this.#resolve(token, outcome, isDefault === true, lines);
    else if (does === "the daemon restarts")
      Object.assign(session, { owner: undefined, hasToken: false, isLeftOver: true });
    else if (does.endsWith("vanishes")) {
      if (!isOpen || session.owner !== connection) return;
      session.owner = undefined;
      lines.push("left");
    } else {
      if (!isOpen) throw new Refusal(`${OUT_OF_PLACE[session.phase]} /session_id`);
      if (does.endsWith("guesses")) throw new Refusal("session_not_yours /resume_token");
      session.owner = connection;
    }
  }

  /** The last resolution of an agent gives it back the state before (R6). */
  #resolve(token: string | undefined, outcome: string, isDefault: boolean, lines: string[]): void {
    const session = this.#session;
    const question = session.phase === "open" ? session.questions.find((one) => one.token === token) : undefined;
    const agent = question && session.agents[question.agent];
    if (question === undefined || agent === undefined) throw new Refusal("not_found ");
    session.questions = session.questions.filter((one) => one !== question);
    session.outcomes.push(`${token} ${outcome}`);
    const { permit } = question;
    if (outcome === "accepted" && !isDefault && question.isConfirmation) agent.permits.push(permit);
    // AAEP §6.1: a rejection takes back what was permitted of the same.
    if (outcome === "rejected" && question.isConfirmation)
      for (const one of [...agent.permits])
        if (isSame(one, permit)) agent.permits.splice(agent.permits.indexOf(one), 1);
    const isLast = !session.questions.some((one) => one.agent === question.agent);
    const restored = agent.state === AWAITING ? agent.before : agent.state;
    const to = isLast ? restored : AWAITING;
    made("resolution", { session, lines }, question.agent, `state.changed ${AWAITING}>${to} Answered.`);
    if (!isLast) return;
    const implied = agent.implied.filter((one) => one !== AWAITING);
    Object.assign(agent, { state: restored, told: restored, current: restored, implied, isRestored: true });
  }

  #standing(): Fields | undefined {
    const { phase, owner, agents, speaker, tools, outputs, questions, outcomes, eventCount } = this.#session;
    if (phase !== "open") return undefined;
    return {
      states: Object.entries(agents).map(([name, { current }]) => `${name} ${current}`),
      state: agents[speaker]?.current,
      tools: tools.map(({ tool, call, agent }) => `${agent} ${tool} ${call}`),
      outputs: outputs.map(({ id, count }) => `${id} ${count * CHUNK.lengths[0]}`),
      questions: questions.map(({ token }) => token),
      outcomes,
      eventCount,
      isAgentConnected: owner !== undefined,
    };
  }
}

/** Nobody owns what is over. */
function forget(session: Session): void {
  session.owner = undefined;
}

function newAgent(): Agent {
  const states = { state: "idle", told: "idle", current: "idle", implied: [], before: "idle", isRestored: false };
  return { ...states, number: undefined, hasSpoken: false, permits: [] };
}

function isSame(one: Permit, other: Permit): boolean {
  if (one.action === other.action) return true;
  if (one.call !== undefined && other.call !== undefined) return one.call === other.call;
  return one.tool !== undefined && isSameTool(one.tool, other.tool);
}

const isSameTool = (one: unknown, other: unknown): boolean => String(one).toLowerCase() === String(other).toLowerCase();
