// An agent, its sessions and their tools, as an author uses them. Types only.
import type { Fault } from "../../base/errors.js";
import type { FurtherMembers, PublishedEvent } from "../events.js";
import type { SignalLike } from "./on-abort.js";
import type {
  ClarificationOutcome,
  ConfirmationOutcome,
  SessionAskOptions,
  SessionClarification,
  SessionConfirmation,
} from "./questions.js";

type Without<Type, Name extends string> = Type extends unknown
  ? { [Key in keyof Type as Exclude<Key, Name>]: Type[Key] }
  : never;

export interface SessionOptions {
  /** Ends the session as cancelled when it is aborted, and takes its open questions back. */
  readonly signal?: SignalLike | undefined;
  /** Further members of `session.started` (AAEP §4.1.1), such as `request_text` or `summary_terse`. */
  readonly started?: FurtherMembers<"aaep:agent.session.started"> | undefined;
}

/** How a call ended. */
export type ToolStatus = "success" | "error" | "timeout" | "cancelled";

/** Options of a call that its caller ends. */
export interface CallOptions extends Pick<EveryToolOptions<unknown>, "summary" | "risk_level" | "invoked"> {
  /** The id that the agent's host has for the call: 1 to 256 characters, unique in the session (R5c). Default: an id of the client's own. */
  readonly call_id?: string | undefined;
  /**
   * `reply_token` of a confirmation of this session that a reply accepted. The call uses it up, and is refused without it (R5c). Default: none.
   */
  readonly consent?: string | undefined;
  /** The call cannot be undone. It then needs `consent`: nobody is asked here. Default false. */
  readonly irreversible?: boolean | undefined;
}

/** A call of a tool that has begun. */
export interface ToolCall {
  /** Reports progress of this call alone, as `AgentSession.progress`. */
  readonly progress: AgentSession["progress"];
  /** Ends the call, once. `summary` is a sentence for people about the result. Default "success", without a sentence. */
  readonly end: (status?: ToolStatus, summary?: string) => void;
}

export type ToolOptions<Result> = EveryToolOptions<Result> & (AskingToolOptions<Result> | PlainToolOptions);

interface EveryToolOptions<Result> {
  /** A sentence for people while the tool runs: "Reading your balance." Default: the tool's name. */
  readonly summary?: string | undefined;
  /** A sentence for people about the result. Default: none. */
  readonly completed?: (string | ((result: Result) => string)) | undefined;
  /** Default "low", and "high" for an irreversible tool. */
  readonly risk_level?: "low" | "medium" | "high" | undefined;
  /** Further members of `tool.invoked` (AAEP §4.3.1), such as `args_summary`. */
  readonly invoked?:
    | FurtherMembers<"aaep:agent.tool.invoked", "tool" | "tool_call_id" | "irreversible" | "risk_level">
    | undefined;
}

/** The options of a tool about which a person is asked. Without `irreversible` nobody is, and therefore the others do not compile. */
interface AskingToolOptions<Result> {
  /**
   * The call cannot be undone. A person is asked first, and the function runs only after an accepting reply, and after the daemon has taken the call
   * (R5). Default false.
   */
  readonly irreversible: boolean;
  /** The question's action, in words. Default: `summary`. */
  readonly action?: string | undefined;
  /** The question's consequence, in words. Default: "It cannot be undone." in English. */
  readonly consequence?: string | undefined;
  /** Seconds that a person has for the answer, 1 to 86,400. Default 300. */
  readonly timeout_seconds?: number | undefined;
  /** Facts for the person who decides, such as an amount. */
  readonly extra_context?: Readonly<Record<string, unknown>> | undefined;
  /** Called in place of the tool if it may not be called; its result is that of the call. Default: the call rejects with `confirmation_required`. */
  readonly declined?: ((outcome: ConfirmationOutcome) => Result | PromiseLike<Result>) | undefined;
}

type PlainToolOptions = { readonly [Name in keyof AskingToolOptions<unknown>]?: undefined };

/**
 * One session (AAEP §4.1). Its calls are heard in the order in which they were made. None of them throws or rejects because of aaepd, except a tool
 * that was declined, and a tool or a question with a mistake in it. After the end of the session nothing more is published.
 */
export interface AgentSession extends AsyncDisposable {
  /** The AAEP session's id. It changes if a daemon has lost the session. */
  readonly id: string;
  /** Characters (UTF-16 units) of text that were dropped so far, because the queue was full or a daemon refused them. */
  readonly dropped: number;
  /**
   * Appends a token to the session's text. Never waits, rejects or throws. The output ends by itself when a tool, a question, a handoff or another
   * output begins, and with the session.
   */
  readonly text: (chunk: string) => void;
  /** Passes a stream of text on as one output, and resolves at its end. Rejects with the error of the stream. */
  readonly say: (chunks: AsyncIterable<string> | (Iterable<string> & object)) => Promise<void>;
  /**
   * Runs a tool between `tool.invoked` and `tool.completed`, and resolves with its result. Rejects with the tool's own error, or with the Fault
   * `confirmation_required` if the call was declined; the outcome of the question is its `cause`. Rejects with the Fault `usage`, and runs nothing,
   * for an option that is not known, for one about a question without `irreversible`, and for a `run` that is no function. Tools may run at the
   * same time. Characters of
   * `name` that AAEP's names of tools do not have become "_", and "/" becomes "." (AAEP §4.3.1).
   */
  readonly tool: <Result>(
    name: string,
    run: () => Result | PromiseLike<Result>,
    options?: ToolOptions<Result>,
  ) => Promise<Result>;
  /**
   * Begins a call of a tool that somebody else runs, such as the agent's host. Never waits, rejects or throws. A daemon that refuses the call reports
   * to `onError`, and the call's end is then not published either. A call that is open at the end of the session ends with it.
   */
  readonly begin: (name: string, options?: CallOptions) => ToolCall;
  /**
   * Asks for consent and resolves with the outcome (AAEP §6). Only "accept" permits the action. Without a daemon: "reject" by "no_subscriber" at
   * once, whatever the default. A question that the daemon refuses is "cancelled", and told to `onError`. Rejects with the Fault `usage`, and asks
   * nothing, for an unknown member, a missing text, and choices without value and label.
   */
  readonly confirm: (question: SessionConfirmation, options?: SessionAskOptions) => Promise<ConfirmationOutcome>;
  /** Asks for information; otherwise as `confirm`. Without a daemon: the `default_response` by "no_subscriber". */
  readonly clarify: (question: SessionClarification, options?: SessionAskOptions) => Promise<ClarificationOutcome>;
  /** Hands the session over to a person, another agent or a queue (AAEP §4.4.3). */
  readonly handoff: (
    request: FurtherMembers<"aaep:agent.handoff.requested", "reason" | "target_kind"> & {
      readonly reason: string;
      readonly target_kind: "human" | "specialist_agent" | "escalation_queue";
    },
  ) => void;
  /** Reports progress: percent from 0 to 100, or the members of `progress` (AAEP §4.2.2). */
  readonly progress: (progress: number | Progress) => void;
  /** Changes the agent's state, as in "deciding" (AAEP §4.2.1). Thinking, calling tools, writing and waiting are reported without a call. */
  readonly state: (name: string, summary?: string) => void;
  /**
   * Publishes an event that the other calls have no name for, such as one of an extension, in its place among them. An event that ends the session,
   * such as `session.errored` with an `error_code`, ends it here too.
   */
  readonly publish: (event: Without<PublishedEvent, "session_id">) => void;
  /** Ends the session as completed. `summary` says what was achieved. Default: "Ended.", and how many irreversible tools were not called. */
  readonly complete: (summary?: string) => void;
  /** Ends the session as cancelled, by the user if not said otherwise (AAEP §4.1.4). Default of `summary`: that of `complete`. */
  readonly cancel: (summary?: string, cancelled_by?: "user" | "producer" | "timeout" | "system") => void;
  /** Ends the session as errored (AAEP §4.1.3). The error's message is the summary. */
  readonly fail: (error: unknown) => void;
}

interface ProgressMembers {
  readonly percent: number;
  readonly step: number;
  readonly total_steps: number;
  readonly description: string;
}

/** Members of `progress`, at least one of them. */
type Progress = {
  [Name in keyof ProgressMembers]: Pick<ProgressMembers, Name> & Partial<ProgressMembers>;
}[keyof ProgressMembers];

/** Whether an agent reaches a daemon. */
export type AgentStatus =
  /** A daemon takes the events. */
  | { readonly kind: "connected" }
  /** The connection to the daemon is lost, or a daemon is being looked for. Events wait. */
  | { readonly kind: "away"; readonly because: Fault | undefined }
  /** There is no daemon: events are left out. The next session looks for one again. */
  | { readonly kind: "silent"; readonly because: Fault }
  | { readonly kind: "closed" };

export interface Agent extends AsyncDisposable {
  readonly status: AgentStatus;
  /**
   * Begins a session and runs `work` in it. The session ends as completed when `work` resolves, as errored when it rejects, and as cancelled when
   * `options.signal` is aborted. Settles as `work` does.
   */
  readonly session: {
    <Result>(
      description: string,
      work: (session: AgentSession) => Result | PromiseLike<Result>,
      options?: SessionOptions,
    ): Promise<Result>;
    /** Begins a session that its caller ends. `await using` ends it as cancelled, unless it was completed before. */
    (description: string, options?: SessionOptions): AgentSession;
  };
  /**
   * Ends open sessions as cancelled, waits until the daemon has everything, at most `withinMs` (2000), and closes the connection. Text that is then
   * left is dropped, and told. Never rejects.
   */
  readonly close: (withinMs?: number) => Promise<void>;
}
