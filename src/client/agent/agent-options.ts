// The options of an agent, its status and its troubles. Types only.
import type { ProducerManifest } from "#gen/aaep/types.js";
import type { Fault } from "../../base/errors.js";
import type { KnownNames } from "../../base/known-names.js";
import type { RpcConnection, RpcHandlers } from "../../contracts/rpc.js";
import type { BackOffOptions, Timers } from "../timers.js";
import type { QuestionWaiting } from "./questions.js";
import type { AgentSession, AgentStatus } from "./session-types.js";

/** One way to a daemon. */
export interface AgentConnector {
  /** Makes a connection, or rejects if there is no daemon this way. */
  readonly connect: (handlers: RpcHandlers) => Promise<RpcConnection>;
  /**
   * Whether a lost connection may return to the same daemon. The client then reconnects, and keeps its sessions. If false, a lost connection is a
   * lost daemon, and all ways are tried again from the first. Default true.
   */
  readonly isLasting?: boolean;
  /**
   * How long listeners need to find a daemon that this connector starts, ms. Until then nothing is published, so that they hear the beginning.
   * Default 0.
   */
  readonly findingMs?: number;
}

export interface OpenAgentOptions {
  /** Stable name of the agent, without its version: `producer.agent_id` of its events (AAEP §3.2.6). 1 to 256 characters. */
  readonly id: string;
  /** Name for people. Default: `id`. */
  readonly name?: string | undefined;
  /** Further members of the agent's manifest (AAEP §5.10), such as `agent_version`. */
  readonly manifest?: Partial<Pick<ProducerManifest, KnownNames<ProducerManifest>>> | undefined;
  /** Language of the agent's texts, as in "pt-BR" or "pt_BR" (R2). Default: the daemon's `default_language`. */
  readonly language?: string | undefined;
  /**
   * "optional": without a daemon the agent is silent, and its program runs as if aaepd were not installed. "required": `openAgent` then rejects with
   * `not_found`, or with the fault of an option that no daemon takes. Default "optional".
   */
  readonly mode?: "optional" | "required" | undefined;
  /** Ways to a daemon, in the order of preference. */
  readonly connectors: readonly AgentConnector[];
  /**
   * The way of an irreversible tool if nobody can be asked, because there is no daemon or no listener that can answer. "reject": it is not called.
   * "as-host": it is called, as it would be without aaepd, and a `state.changed` says that nobody was asked. Default "reject".
   */
  readonly unheard?: "reject" | "as-host" | undefined;
  /**
   * Receives whatever goes wrong: refused events, dropped text, lost sessions, a daemon that refuses the agent. That no daemon answers is no
   * error. It is called instead of a rejection, and must not throw. Default: ignored.
   */
  readonly onError?: ((trouble: AgentTrouble) => void) | undefined;
  /** Reports that waiting for a person begins or ends, for programs that stop their own clocks meanwhile. Must not throw. */
  readonly onWaiting?: ((waiting: QuestionWaiting) => void) | undefined;
  /**
   * A person asks the agent to stop, from a listener (R39). End the session, and what runs in it: nobody else does. Must not throw. Default: the
   * agent cannot be asked. Over HTTP it never is, because the daemon cannot call the agent.
   */
  readonly onStop?: ((session: AgentSession) => void) | undefined;
  /**
   * A person says something to the agent, unasked, over an address that may (`aaepd address create --user-input`). Must not throw. Default: the agent
   * is told nothing. Over HTTP it never is.
   */
  readonly onUserInput?: ((text: string) => void) | undefined;
  /**
   * The process of the agent for which this program speaks, as an adapter does: the one that it has started, or that has started it. That process,
   * and what runs below it, does not answer the agent's questions (R5d). Programs below this one never do. Default: this program alone.
   */
  readonly pid?: number | undefined;
  /** Reports each change of `Agent.status`. Must not throw. */
  readonly onStatus?: ((status: AgentStatus) => void) | undefined;
  /**
   * Characters (UTF-16 units) of text that wait in a session while the daemon takes none. Further text is dropped, counted and told. Default 262,144.
   */
  readonly mostQueuedCharacters?: number | undefined;
  /** Events that wait in a session likewise. Default 1024. */
  readonly mostQueuedEvents?: number | undefined;
  /**
   * How long a daemon may take to answer, for each connector, ms. Default 2000, and 10,000 for a daemon that the agent starts. Time in which this
   * process has no turn, as while it loads a package, hardly counts.
   */
  readonly searchMs?: number | undefined;
  /**
   * How long a question waits for a lost daemon to return, ms, before it counts as unheard. A question that was asked before the loss waits so long
   * beyond its own deadline, and then ends by "timeout". Default 10,000.
   */
  readonly patienceMs?: number | undefined;
  /** How long text waits for more text, so that fast tokens share a message, ms. Everything else is sent at once. Default 20. */
  readonly gatherMs?: number | undefined;
  /** Waits between attempts to come back to a lost daemon. */
  readonly backOff?: BackOffOptions | undefined;
  /** Default the platform's. */
  readonly timers?: Timers | undefined;
  /** From [0, 1). Default `Math.random`. */
  readonly chance?: (() => number) | undefined;
}

/** A fault, and its cost. */
export interface AgentTrouble {
  readonly fault: Fault;
  /** The AAEP session in which it went wrong; undefined if it concerns all of them. */
  readonly session_id: string | undefined;
  /** Characters (UTF-16 units) of text that no listener gets. Each is told once. */
  readonly droppedCharacters: number;
  /** Calls other than text, each of one or two events, that no listener gets, and questions that were not asked. */
  readonly droppedEvents: number;
}
