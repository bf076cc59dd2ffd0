// The calls that an agent's connection makes to the engine (R2, R3, R8, R29, AAEP ch. 6). publishing.ts implements them.
import type { Epoch, Producer } from "../event/event.js";
import type { HostDecision, ResolvedQuestion } from "../questions/question-result.js";
import type { PublishedEvent } from "../sessions/same-publish.js";
import type { SessionSummary } from "../sessions/session-record.js";

/** The place of one event, as its receipt reports it to the agent (R33). */
export interface PublishedPlace {
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

/** An agent's connection. */
export interface AgentHandle {
  /** Publishes one event, or an array of events, all or none (R3). Throws the Fault that refuses them. */
  readonly publish: (inputs: readonly PublishedEvent[], isArray: boolean, resumeToken?: string) => PublishReceipt;
  /** Sets the identity and the first language of the agent's manifest (R2). */
  readonly setIdentity: (producer: Producer, language: string | undefined) => void;
  readonly identity: () => Producer | undefined;
  /** Sets whether the agent ends a session when `AgentEvents.stopRequested` asks it to (R39). Default false. */
  readonly setCanStop: (canStop: boolean) => void;
  /**
   * Records a further process of the agent, for its events from now on: what runs below it does not answer the agent (R5d). `isNamed`: an adapter
   * names the process as the agent that it passes on; the process itself then does not answer either. Default false.
   */
  readonly addProcess: (pid: number | undefined, isNamed?: boolean) => void;
  /**
   * Takes over a session (R8) and the news of its open questions. The agent that had it went away, or its connection is lost without a sign. Throws
   * "session_not_yours" and the other faults of a claim.
   */
  readonly resumeSession: (sessionId: string, resumeToken: string) => SessionSummary;
  /**
   * Publishes a question and returns its token; the daemon makes one if `fields` has none. Calls `done` once, with the outcome. With `resumeToken`
   * the session may belong to another connection. Throws the Fault that refuses the question.
   */
  readonly ask: (
    fields: Readonly<Record<string, unknown>>,
    done: (resolved: ResolvedQuestion) => void,
    resumeToken?: string,
  ) => { readonly token: string; readonly receipt: PublishReceipt };
  /**
   * Takes a question back (AAEP §6.8), or closes it with a decision from a dialog of the agent's own (R5a). Returns false if the question is not
   * open, or belongs neither to this agent nor to the session of the token. Throws "invalid_params" for a decision about a question that is no
   * confirmation.
   */
  readonly cancel: (token: string, resumeToken?: string, byHost?: HostDecision) => boolean;
  /**
   * The outcome of a question, for an agent that came back; "open" while it has none. Undefined if the question is unknown. Undefined too if the
   * connection does not own the question's session, did not own it at its end, and does not show its token: the two cases look the same (R8, R19).
   */
  readonly outcomeOf: (token: string, resumeToken?: string) => ResolvedQuestion | "open" | undefined;
  /**
   * Returns a promise that resolves when all that happened so far is safe; undefined if it is safe already. An answer about sessions and questions
   * that waits for it is still true after a restart (R29). Throws or rejects with "storage_unavailable" while the journal takes nothing.
   */
  readonly whenDurable: () => Promise<void> | undefined;
  /** Whether the agent owns an open session, or has asked a question that is open. */
  readonly isHolding: () => boolean;
  /** Ends the handle with its connection. The grace of its sessions begins. */
  readonly close: () => void;
}
