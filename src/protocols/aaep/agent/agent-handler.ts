// The agent's side of AAEP, for every framing (R2, R3, R8, R33, AAEP ch. 6): publications, the agent's identity, sessions that it takes over, and
// questions as calls that are answered with the outcome. Framing, and the wording of answers, are in other files.
import { Fault, faultFrom } from "../../../base/errors.js";
import { isObject } from "../../../base/members.js";
import { assertMay } from "../../../base/permission.js";
import type { Access } from "../../../contracts/access.js";
import type { AbortSignalLike } from "../../../contracts/rpc.js";
import type { AgentHandle, PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { AgentEvents } from "../../../engine/agents/question-agents.js";
import type { Engine } from "../../../engine/engine.js";
import { isQuestionKind, type Producer, type QuestionKind, topicKind } from "../../../engine/event/event.js";
import type { HostDecision, ResolvedQuestion } from "../../../engine/questions/question-result.js";
import type { SessionSummary } from "../../../engine/sessions/session-record.js";
import type { Message } from "../json/message.js";
import { type EventsMessage, sourceTexts } from "../json/source-text.js";
import { MOST_DECLARED_LANGUAGES, type SpokenLanguages } from "../subscriber/spoken-languages.js";
import { assertManifest, assertResumeSession, ownMembersIn } from "../validation/validate-messages.js";

export interface AgentHandlerServices {
  readonly engine: Pick<Engine, "openAgent" | "publishRefused">;
  /** The rights of the connection (R36). */
  readonly access: Access;
  /** Identity of the events of an agent that declares none. */
  readonly identity?: Producer | undefined;
  /** Callbacks for messages to the agent. Default: it cannot receive any. */
  readonly events?: AgentEvents;
  /** The connection, if it may have subscriptions too: the same object as in `SubscriptionEvents` (R5). Default: it has none. */
  readonly connection?: object;
  /** The process of the connection. Default: not known (R5d). */
  readonly processId?: number | undefined;
  /** Receives the languages of the manifest while the agent is connected. */
  readonly languages: Pick<SpokenLanguages, "changed">;
  /** Receives each declared manifest: identity, languages and extensions. Default: nobody does. */
  readonly manifestDeclared?: (manifest: Message) => void;
}

/** A call that waits for a person. `signal`: "cancelled" withdraws the question, "ended" leaves it open. */
export interface AskingCall {
  readonly signal: AbortSignalLike;
  /** The token of a session that another connection has (R8). */
  readonly resumeToken?: string | undefined;
}

/**
 * Most questions of one connection that wait for their outcomes at a time: half of those that may be open in all sessions, and far fewer than the
 * unanswered requests at which reading pauses, so that an agent with too many questions can still withdraw some.
 */
export const MAX_AWAITED_COUNT = 256;

/** Defaults for members that a question leaves out: time enough for a person, and rejection without an answer. */
const DEFAULTS = {
  confirmation: { timeout_seconds: 300, default_decision: "reject" },
  clarification: { timeout_seconds: 300 },
} as const;

/** One agent, from its first call to the end of its connection. */
export class AgentHandler {
  private readonly services: AgentHandlerServices;
  private handle: AgentHandle | undefined;
  private spoken: readonly string[] = [];
  private awaitedCount = 0;
  private publishing: Promise<void> | undefined;

  constructor(services: AgentHandlerServices) {
    this.services = services;
  }

  /** The engine's agent behind the handler; opened at the first call, and again after `close`. */
  agent(): AgentHandle {
    const { engine, identity, events, connection, processId } = this.services;
    this.handle ??= engine.openAgent(identity, events, connection, processId);
    return this.handle;
  }

  /**
   * Publishes all events or none. `isArray`: pointers of faults begin with an index. `resumeToken`: of a session that another connection has (R8).
   * `message`: the JSON that carried the events. Throws the Fault that refuses them. With long text it publishes in a later turn (R34), for
   * which later calls have to wait (`room`), and rejects with the Fault.
   */
  publish(
    events: readonly unknown[],
    isArray: boolean,
    resumeToken?: string | undefined,
    message?: EventsMessage,
  ): PublishReceipt | Promise<PublishReceipt> {
    try {
      this.assertMayPublish(events);
      const texts = message && sourceTexts(message, isArray);
      const inputs = events.map((event, index) => ({
        fields: event as Message,
        source: texts?.[index],
        isHandedOver: true,
      }));
      const later = this.agent().publishLater(inputs, isArray, resumeToken);
      return later === undefined ? this.agent().publish(inputs, isArray, resumeToken) : this.follow(later);
    } catch (caught) {
      throw this.refused(caught);
    }
  }

  /** Resolves, and never rejects, when the publish under way is done; undefined if none is. */
  room(): Promise<void> | undefined {
    return this.publishing;
  }

  /**
   * Asks a question; `fields` are the members of the awaiting event, with `session_id`. Throws the Fault that refuses it; resolves with its outcome.
   */
  ask(kind: QuestionKind, fields: unknown, { signal, resumeToken }: AskingCall): Promise<ResolvedQuestion> {
    if (!isObject(fields)) {
      const sentence = "Give the fields of the question, with session_id.";
      throw new Fault("invalid_params", sentence, { pointer: "", rule: "R33" });
    }
    assertMay(this.services.access, "ask", fields.session_id);
    if (this.awaitedCount >= MAX_AWAITED_COUNT) {
      const sentence = `Wait for an outcome or take a question back first: ${MAX_AWAITED_COUNT} of this connection are waited for.`;
      throw new Fault("rate_limit", sentence, { pointer: "", rule: "AAEP §6.1" });
    }
    // Defaults stand last: the text of a question that has them all is the one that was published before (R3).
    const missing = Object.entries(DEFAULTS[kind]).filter(([name]) => !Object.hasOwn(fields, name));
    const event = { ...fields, type: `aaep:agent.awaiting.${kind}`, ...Object.fromEntries(missing) };
    return new Promise((resolve) => {
      const told = (resolved: ResolvedQuestion): void => {
        this.awaitedCount -= 1;
        resolve(resolved);
      };
      // Counted first, because the outcome may come at once.
      this.awaitedCount += 1;
      let token: string;
      try {
        token = this.agent().ask(event, told, resumeToken).token;
      } catch (caught) {
        this.awaitedCount -= 1;
        throw caught;
      }
      const withdraw = (): void => this.withdraw(token, signal, resumeToken);
      if (signal.aborted) withdraw();
      else signal.addEventListener("abort", withdraw, { once: true });
    });
  }

  /**
   * Withdraws a question, or closes it with the decision of the agent's own dialog in `host` (R5a). Returns, once that is durable (R29), whether the
   * question was open and belonged to this agent or to the session of `resumeToken`.
   */
  cancel(token: string, host: Message, resumeToken?: string): boolean | Promise<boolean> {
    assertMay(this.services.access, "cancel");
    const handle = this.agent();
    if (!handle.cancel(token, resumeToken, hostDecision(host))) return false;
    return handle.whenDurable()?.then(() => true) ?? true;
  }

  /**
   * The outcome of a question. Throws "not_found" for a token that is not remembered, and likewise if this connection neither has the question's
   * session nor shows its token (R19).
   */
  outcomeOf(token: string, resumeToken?: string): ResolvedQuestion | "open" {
    assertMay(this.services.access, "outcome");
    const outcome = this.agent().outcomeOf(token, resumeToken);
    if (outcome !== undefined) return outcome;
    const sentence =
      "Name the reply_token of a question of your own session that was asked in the last 24 hours; show resume_token where the session is another connection's.";
    throw new Fault("not_found", sentence, { pointer: "/reply_token", rule: "AAEP §6.2" });
  }

  /** Takes a complete manifest. Throws "invalid_message". */
  setManifest(manifest: unknown): void {
    assertMay(this.services.access, "declare");
    assertManifest(manifest);
    const { pid, abilities } = ownMembersIn(manifest);
    const { agent_id, agent_version, agent_name, languages_supported: languages = [] } = manifest;
    const identity = {
      agent_id,
      ...(agent_version === undefined ? {} : { agent_version }),
      ...(agent_name === undefined ? {} : { agent_name }),
    };
    const agent = this.agent();
    agent.setIdentity(identity, languages[0]);
    agent.addProcess(pid, true);
    agent.setAbilities(abilities);
    this.speak(languages.slice(0, MOST_DECLARED_LANGUAGES));
    this.services.manifestDeclared?.(manifest as unknown as Message);
  }

  /**
   * Takes over the session in `{session_id, resume_token}` (R8). Throws "invalid_message", and the Faults of the engine. `durable`: when everything
   * in the summary is safe (R29).
   */
  resumeSession(claim: unknown): { readonly summary: SessionSummary; readonly durable: Promise<void> | undefined } {
    // First, because no session is taken over while the journal cannot write.
    const durable = this.agent().whenDurable();
    assertResumeSession(claim);
    assertMay(this.services.access, "resume", claim.session_id);
    return { summary: this.agent().resumeSession(claim.session_id, claim.resume_token), durable };
  }

  /** Reports that the connection has ended, or that the agent sends no more: the grace of its sessions begins (R8). */
  close(): void {
    this.handle?.close();
    this.handle = undefined;
    this.speak([]);
  }

  private async follow(later: Promise<PublishReceipt>): Promise<PublishReceipt> {
    const done = (): void => {
      this.publishing = undefined;
    };
    this.publishing = later.then(done, done);
    try {
      return await later;
    } catch (caught) {
      throw this.refused(caught);
    }
  }

  private refused(caught: unknown): unknown {
    this.services.engine.publishRefused(faultFrom(caught).code);
    return caught;
  }

  private speak(languages: readonly string[]): void {
    this.services.languages.changed(this.spoken, languages);
    this.spoken = languages;
  }

  private assertMayPublish(events: readonly unknown[]): void {
    for (const [index, event] of events.entries()) {
      if (!isObject(event))
        throw new Fault("invalid_event", "An event is a JSON object.", { pointer: `/${index}`, rule: "AAEP §3.9" });
      const { type, session_id: sessionId } = event;
      assertMay(this.services.access, isQuestionKind(topicKind(type)) ? "ask" : "publish", sessionId);
    }
  }

  /** An agent whose connection is lost may come back to its question (R8); only a connected agent withdraws it. */
  private withdraw(token: string, signal: AbortSignalLike, resumeToken: string | undefined): void {
    if (signal.reason !== "cancelled") return;
    try {
      this.agent().cancel(token, resumeToken);
    } catch (caught) {
      // While the journal cannot write, the question stays open and is still waited for.
      if (!(caught instanceof Fault) || caught.code !== "storage_unavailable") throw caught;
    }
  }
}

/** Undefined if the question is only withdrawn. Throws "invalid_params" for one member without the other, and for other values. */
function hostDecision({ decided_by: by, decision }: Message): HostDecision | undefined {
  if (by === undefined && decision === undefined) return undefined;
  const fault = (pointer: string, sentence: string) => new Fault("invalid_params", sentence, { pointer, rule: "R5a" });
  if (by !== "host") {
    throw fault(
      "/decided_by",
      'Set `decided_by` to "host" where the agent\'s own dialog was answered, else leave out `decision` as well.',
    );
  }
  if (decision === "accept" || decision === "reject") return decision;
  throw fault("/decision", 'Set `decision` to "accept" or "reject", as the person decided.');
}
