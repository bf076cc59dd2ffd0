// The calls that an agent's connection makes to the engine (R2, R3, R8, R29, AAEP ch. 6).
import { Fault } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import { type AgentProcess, withProcess } from "../event/agent-process.js";
import type { Epoch, JournaledEvent, Producer } from "../event/event.js";
import { hasLongText } from "../event/event-size.js";
import type { HostDecision, ResolvedQuestion } from "../questions/question-result.js";
import type { PublishContext } from "../sessions/change.js";
import type { PublishedEvent } from "../sessions/published-event.js";
import type { SessionSummary } from "../sessions/session-record.js";
import type { Publishing, PublishingServices } from "./publishing.js";
import type { AgentAbilities, AgentEvents } from "./question-agents.js";

/** The place of one event, as its receipt reports it to the agent (R33). */
interface PublishedPlace {
  readonly eventId: string;
  readonly epoch: Epoch;
  /** The resume token of the session that the event started (R8). */
  readonly resumeToken: string | undefined;
}

export interface PublishReceipt {
  readonly events: readonly PublishedPlace[];
  /** The first resume token of `events`. */
  readonly resumeToken: string | undefined;
  /** Resolves when the publish is as safe as the journal's policy makes it (R29); undefined if it is safe already. */
  readonly durable: Promise<void> | undefined;
}

const FORGOTTEN = "Ask anew, with another event_id: this was asked before, and its outcome is no longer remembered.";

/** An agent's connection. */
export class AgentHandle {
  private readonly publishing: Publishing;
  private readonly services: PublishingServices;
  private readonly handles: Map<object, AgentHandle>;
  private readonly connection: object;
  private readonly processId: number | undefined;
  private producer: Producer | undefined;
  private language: string | undefined;
  private readonly known = (eventId: string): JournaledEvent | undefined => this.services.journal.find(eventId);
  private processes: readonly AgentProcess[] = [];
  /** The process of the connection is listed before the first event. */
  private isListed = false;

  /**
   * The handle is among `handles`, by its connection, until it is closed. Without `events`, news of the agent's questions goes to the owner of their
   * session. `processId`: the process of the connection (R5d).
   */
  constructor(
    publishing: Publishing,
    handles: Map<object, AgentHandle>,
    connection: object,
    events: AgentEvents | undefined,
    producer: Producer | undefined,
    processId: number | undefined,
  ) {
    this.publishing = publishing;
    this.services = publishing.services;
    this.handles = handles;
    this.connection = connection;
    this.producer = producer;
    this.processId = processId;
    handles.set(connection, this);
    publishing.agents.connected(connection, events);
  }

  /** Sets the identity and the first language of the agent's manifest (R2). */
  setIdentity(producer: Producer, language: string | undefined): void {
    this.producer = producer;
    this.language = language;
  }

  identity(): Producer | undefined {
    return this.producer;
  }

  /** Sets which of `AgentEvents` the agent obeys. Default: none. */
  setAbilities(abilities: AgentAbilities): void {
    const connected = this.publishing.agents.find(this.connection);
    if (connected !== undefined) connected.abilities = abilities;
  }

  /**
   * Records a further process of the agent, for its events from now on: what runs below it does not answer the agent (R5d). `isNamed`: an adapter
   * names the process as the agent that it passes on; the process itself then does not answer either.
   */
  addProcess(pid: number | undefined, isNamed = false): void {
    if (pid === undefined) return;
    this.services.connections.agentProcess({ pid, isNamed });
    this.processes = withProcess(this.processes, { pid, isNamed });
  }

  /** Publishes one event, or an array of events, all or none (R3). Throws the Fault that refuses them. */
  publish(inputs: readonly PublishedEvent[], isArray: boolean, resumeToken?: string): PublishReceipt {
    const { publishing, connection } = this;
    const { journal, sessions } = this.services;
    publishing.assertTaking();
    if (!this.isListed) this.addProcess(this.processId);
    this.isListed = true;
    const context = this.context(isArray, resumeToken, false);
    const change = sessions.publish(inputs, context);
    const { journaled, durable } = publishing.publishAs(connection, change, resumeToken !== undefined, context.now);
    const events: PublishedPlace[] = [];
    let firstToken: string | undefined;
    for (const answer of change.answers) {
      const { eventId } = answer;
      const entry = answer.kind === "accepted" ? journaled[answer.index] : journal.find(eventId);
      const token = answer.kind === "suppressed" ? undefined : answer.resumeToken;
      firstToken ??= token;
      events.push({ eventId, epoch: entry?.epoch ?? journal.head(), resumeToken: token });
    }
    return { events, resumeToken: firstToken, durable };
  }

  /**
   * Publishes as `publish` does, once long text is scanned, in later turns (R34). The caller lets no later call of the agent overtake this one.
   * Undefined: the text is short, and is to be published at once. Throws the Fault that refuses the events now; rejects with one that does so later.
   */
  publishLater(
    inputs: readonly PublishedEvent[],
    isArray: boolean,
    resumeToken?: string,
  ): Promise<PublishReceipt> | undefined {
    if (!hasLongText(inputs)) return undefined;
    const { sessions, hub } = this.services;
    this.publishing.assertTaking();
    const asSent = inputs.map(({ fields, source }) => ({ fields, source }));
    // A refusal comes at once, before the text is scanned.
    const { events } = sessions.publish(asSent, this.context(isArray, resumeToken, true));
    return new Promise((resolve, reject) => {
      hub.scanAhead(events, () => {
        try {
          this.publishing.assertTaking();
          if (this.handles.get(this.connection) !== this) throw new Fault("peer_gone", "The agent has left.");
          resolve(this.publish(inputs, isArray, resumeToken));
        } catch (caught) {
          reject(caught);
        }
      });
    });
  }

  /**
   * Publishes a question and returns its token; the daemon makes one if `fields` has none. Calls `done` once, with the outcome. With `resumeToken`
   * the session may belong to another connection. Throws the Fault that refuses the question.
   */
  ask(
    fields: Members,
    done: (resolved: ResolvedQuestion) => void,
    resumeToken?: string,
  ): { readonly token: string; readonly receipt: PublishReceipt } {
    const { agents } = this.publishing;
    const token = this.tokenOf(fields, resumeToken);
    const awaiting = { token, connection: this.connection, done };
    agents.await(awaiting);
    try {
      // A `reply_token` of the wrong type stays, so that validation refuses it.
      const sent = fields.reply_token === undefined ? { ...fields, reply_token: token } : fields;
      const receipt = this.publish([{ fields: sent }], false, resumeToken);
      const known = this.services.questions.outcomeOf(token);
      // The event was asked before, and its question was resolved long ago.
      if (known !== "open" && agents.forget(awaiting)) {
        if (known === undefined) throw new Fault("not_found", FORGOTTEN, { pointer: "/event_id", rule: "R3" });
        done(known);
      }
      return { token, receipt };
    } catch (caught) {
      agents.forget(awaiting);
      throw caught;
    }
  }

  /**
   * Takes a question back (AAEP §6.8), or closes it with a decision from a dialog of the agent's own (R5a). Returns false if the question is not
   * open, or belongs neither to this agent nor to the session of the token. Throws "invalid_params" for a decision about a question that is no
   * confirmation.
   */
  cancel(token: string, resumeToken?: string, byHost?: HostDecision): boolean {
    const { questions } = this.services;
    const question = questions.find(token);
    return (
      question !== undefined && this.isTheirs(question.sessionId, token, resumeToken) && questions.cancel(token, byHost)
    );
  }

  /**
   * The outcome of a question, for an agent that came back; "open" while it has none. Undefined if the question is unknown. Undefined too if the
   * connection does not own the question's session, did not own it at its end, and does not show its token: the two cases look the same (R8, R19).
   */
  outcomeOf(token: string, resumeToken?: string): ResolvedQuestion | "open" | undefined {
    const { questions, sessions } = this.services;
    const isTheirs = sessions.belongsTo(questions.sessionOf(token), this.connection, resumeToken);
    return isTheirs ? questions.outcomeOf(token) : undefined;
  }

  /**
   * Takes over a session (R8) and the news of its open questions. The agent that had it went away, or its connection is lost without a sign. Throws
   * "session_not_yours" and the other faults of a claim.
   */
  resumeSession(sessionId: string, resumeToken: string): SessionSummary {
    const { sessions } = this.services;
    this.publishing.assertTaking();
    const former = sessions.ownerOf(sessionId);
    this.addProcess(this.processId);
    const summary = sessions.resume(sessionId, resumeToken, this.connection, this.processes);
    this.publishing.taken(sessionId, this.connection, former);
    return summary;
  }

  /**
   * Returns a promise that resolves when all that happened so far is safe; undefined if it is safe already. An answer about sessions and questions
   * that waits for it is still true after a restart (R29). Throws or rejects with "storage_unavailable" while the journal takes nothing.
   */
  whenDurable(): Promise<void> | undefined {
    return this.services.journal.durable();
  }

  /** Whether the agent owns an open session, or has asked a question that is open. */
  isHolding(): boolean {
    return (
      this.services.sessions.owners.countOf(this.connection) > 0 || this.publishing.agents.hasAsked(this.connection)
    );
  }

  /** Ends the handle with its connection. The grace of its sessions begins. */
  close(): void {
    this.handles.delete(this.connection);
    this.publishing.left(this.connection);
  }

  private context(isArray: boolean, resumeToken: string | undefined, isTrial: boolean): PublishContext {
    const { clock, ids, producerId } = this.services;
    return {
      now: clock.now(),
      wallTime: clock.wallTime(),
      ids,
      agent: this.producer,
      agentLanguage: this.language,
      producerId,
      connection: this.connection,
      processes: this.processes,
      resumeToken,
      isArray,
      isTrial,
      known: this.known,
    };
  }

  private isTheirs(sessionId: string, token: string, resumeToken: string | undefined): boolean {
    return (
      this.services.sessions.belongsTo(sessionId, this.connection, resumeToken) ||
      this.publishing.agents.isAsker(token, this.connection)
    );
  }

  /** The token of a question. If the agent gave none, and this event was asked before, it is the token of the first time (R3). */
  private tokenOf(fields: Members, resumeToken: string | undefined): string {
    const { event_id: eventId, session_id: sessionId, reply_token: given } = fields;
    const known = typeof eventId === "string" ? this.services.journal.find(eventId)?.event : undefined;
    const first = known?.session_id === sessionId ? known?.reply_token : undefined;
    // Only the question's own agent may receive its outcome.
    if (typeof first === "string" && !this.isTheirs(String(sessionId), first, resumeToken)) {
      const sentence = "Take the session over with its resume_token first; another connection asked this.";
      throw new Fault("session_not_yours", sentence, { pointer: "/session_id", rule: "R8" });
    }
    if (typeof given === "string") return given;
    return typeof first === "string" ? first : `rpl_${this.services.ids.hex(16)}`;
  }
}
