// What an agent's connection may ask of the engine (R2, R3, R8, R29, AAEP ch. 6); how it is done is in publishing.ts.
import type { Epoch, Producer } from "../event/event.js";
import type { HostDecision, ResolvedQuestion } from "../questions/question-result.js";
import type { PublishedEvent } from "../sessions/same-publish.js";
import type { SessionSummary } from "../sessions/session-record.js";

/** One event's place, as its agent is told (R33). */
export interface PublishedPlace {
  readonly eventId: string;
  readonly epoch: Epoch;
  /** Of the session that it started (R8). */
  readonly resumeToken: string | undefined;
}

export interface PublishReceipt {
  readonly events: readonly PublishedPlace[];
  /** The first of theirs. */
  readonly resumeToken: string | undefined;
  /** Settles when what was published is as safe as the journal makes it (R29); undefined where it is already. */
  readonly durable: Promise<void> | undefined;
}

/** An agent's connection. */
export interface AgentHandle {
  /** Publishes one event, or an array of them, all or none (R3). Throws the Fault that refuses it. */
  readonly publish: (inputs: readonly PublishedEvent[], isArray: boolean, resumeToken?: string) => PublishReceipt;
  /** Takes from its manifest who it is, and the first of its languages (R2). */
  readonly setIdentity: (producer: Producer, language: string | undefined) => void;
  readonly identity: () => Producer | undefined;
  /**
   * Takes over a session (R8), and the news of its open questions: its agent went away, or seems to be there still and is not. Throws
   * "session_not_yours" and the like.
   */
  readonly resumeSession: (sessionId: string, resumeToken: string) => SessionSummary;
  /**
   * Asks, and answers the question's token; a token of the daemon's making where `fields` has none. `done` is told the outcome, once. With
   * `resumeToken` also in a session that another connection has. Throws the Fault that refuses the question.
   */
  readonly ask: (
    fields: Readonly<Record<string, unknown>>,
    done: (resolved: ResolvedQuestion) => void,
    resumeToken?: string,
  ) => { readonly token: string; readonly receipt: PublishReceipt };
  /**
   * Takes a question back (AAEP §6.8), or closes it as decided in a dialog of the agent's own (R5a). False: it is not open, or neither its own nor of
   * the session whose token is shown. Throws "invalid_params" for a decision of what is no confirmation.
   */
  readonly cancel: (token: string, resumeToken?: string, byHost?: HostDecision) => boolean;
  /**
   * How a question ended, for an agent that came back; "open" while it is. Undefined where it is not known, and for a connection that neither has the
   * question's session, or had it to its end, nor shows its token: the two are not to be told apart (R8, R19).
   */
  readonly outcomeOf: (token: string, resumeToken?: string) => ResolvedQuestion | "open" | undefined;
  /**
   * Answers when all that happened so far is safe, undefined where it is: what an agent is told of its sessions and questions holds after a restart
   * too (R29). Throws "storage_unavailable" while the journal takes nothing, and rejects with it.
   */
  readonly whenDurable: () => Promise<void> | undefined;
  /**
   * Resolves when it may publish more; undefined where it may at once. While much of what it published waits to be shaped for its subscriptions, no
   * more is to be taken from it (R18, R34).
   */
  readonly room: () => Promise<void> | undefined;
  /** Whether an open session is its own, or it asked a question that is open. */
  readonly isHolding: () => boolean;
  /** The connection has ended; its sessions' grace begins. */
  readonly close: () => void;
}
