// A session as its author uses it: each call becomes an intent in the outbox, in its place.
import { faultFrom, usage } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import { within } from "../../base/time-limit.js";
import { toolNameOf } from "../../base/tool-name.js";
import { endsInHalf, wholeEnd } from "../../base/whole-end.js";
import { TERMINAL } from "../event-types.js";
import { keepRunning } from "../timers.js";
import { assertQuestion, assertTool } from "./checked-calls.js";
import { consentOf, declinedFault, excused } from "./consent.js";
import { onAbort, type SignalLike } from "./on-abort.js";
import { withOwn } from "./own-extension.js";
import type {
  ClarificationOutcome,
  ConfirmationOutcome,
  QuestionOutcome,
  SessionAskOptions,
  SessionClarification,
  SessionConfirmation,
} from "./questions.js";
import { createCalls, type OpenCall } from "./session-calls.js";
import { type AskedHere, ask, type QuestionServices } from "./session-questions.js";
import type { AgentSession, CallOptions, SessionOptions, ToolCall, ToolOptions, ToolStatus } from "./session-types.js";
import type { Taken, Voice } from "./voice.js";

export interface SessionServices extends QuestionServices {
  /** The session has ended for its author. */
  readonly ended: () => void;
}

/** The signal of a session that is over: nothing is asked in it. */
const ABORTED: SignalLike = { aborted: true, addEventListener: () => {} };

/** An output. Its id changes behind a hole in its text. */
interface Output {
  id: string;
  hasText: boolean;
  /** The first half of a surrogate pair at the end of its text. It waits for the second: services carry whole characters only (R25). */
  half: string;
}

const NO_EVENT = 'Give publish an event: an object with a type, such as "aaep:agent.state.changed".';

export function createSession(services: SessionServices, options: SessionOptions): AgentSession {
  const { outbox } = services;
  const { unheard, timers, patienceMs } = services.options;
  const { signal } = options;
  let isOver = false;
  let ids = 0;
  /** Irreversible tools that were not called, or not yet. */
  let undone = 0;
  /** The output of `text`, which ends when something else begins. */
  let current: Output | undefined;

  const add = (render: (voice: Voice) => readonly Members[], settled?: (taken: Taken) => void, isEssential = false) => {
    const isTaken = outbox.add({ kind: "events", render, settled }, isEssential);
    if (!isTaken) outbox.drops.drop(0, 1);
    return isTaken;
  };
  const invoke = createCalls(add, timers, () => isOver);
  const addEvent = (type: string, members: Members): boolean => add((voice) => [voice.event(type, members)]);

  const nextId = () => ({ tool_call_id: `call_${++ids}` });
  const openOutput = (): Output => ({ id: `out_${++ids}`, hasText: false, half: "" });
  const completeOutput = ({ id, hasText }: Output): void => {
    if (hasText) add((voice) => voice.endOutput(id), undefined, true);
  };
  const endOutput = (output: Output): void => {
    // The second half has not come.
    pass(output, output.half);
    completeOutput(output);
  };
  const endCurrent = (): void => {
    const last = current;
    current = undefined;
    if (last !== undefined) endOutput(last);
  };
  function write(output: Output, chunk: unknown): void {
    // Streams of models have pieces without text.
    if (isOver || chunk == null || chunk === "") return;
    if (typeof chunk !== "string") return void outbox.drops.tell(usage(`${typeof chunk} is no text.`));
    const text = output.half + chunk;
    const end = endsInHalf(text, text.length) ? text.length - 1 : text.length;
    pass(output, text.slice(0, end));
    output.half = text.slice(end);
  }
  function pass(output: Output, text: string): void {
    if (text === "") return;
    if (outbox.text(output.id, text)) {
      output.hasText = true;
      return;
    }
    outbox.drops.drop(text.length, 0);
    // Text behind a hole must not join the text before it.
    completeOutput(output);
    if (output.hasText) Object.assign(output, openOutput());
  }

  /** Ends the session. A daemon that refuses the author's own words for the end is told of one without them. */
  function end(render: (voice: Voice) => readonly Members[]): void {
    if (isOver) return;
    endCurrent();
    isOver = true;
    ignoreSignal();
    const settled = (taken: Taken): void => {
      if (taken === "refused") add(cancelled("", "producer"), undefined, true);
    };
    add(render, settled, true);
    services.ended();
  }
  const cancelled = (summary: string, cancelled_by: string) => (voice: Voice) => [
    voice.event("session.cancelled", { summary_normal: said(summary, endedSummary(undone)), cancelled_by }),
  ];

  async function asked(
    kind: "confirm" | "clarify",
    question: Members,
    own: SignalLike | undefined,
  ): Promise<AskedHere> {
    endCurrent();
    return ask(services, kind, question, [isOver ? ABORTED : signal, own]);
  }

  /** Asks a question of the author's own. */
  function askAuthors<Outcome extends QuestionOutcome>(
    kind: "confirm" | "clarify",
    question: SessionConfirmation | SessionClarification,
    askOptions: SessionAskOptions | undefined,
  ): Promise<Outcome> {
    const asking = async () => {
      assertQuestion(kind, question);
      return (await asked(kind, hosted(question), askOptions?.signal)).outcome as Outcome;
    };
    return excused(asking(), "usage");
  }

  /** Asks whether an irreversible tool may be called, and invokes it. Resolves with the call, or with the outcome if it may not be called. */
  async function permit(
    tool: string,
    members: Members & { readonly summary_normal: string },
    toolOptions: Omit<ToolOptions<unknown>, "completed" | "declined">,
  ): Promise<OpenCall | ConfirmationOutcome> {
    const id = nextId();
    const { action = members.summary_normal, consequence = "It cannot be undone.", timeout_seconds } = toolOptions;
    const question = {
      action,
      consequence,
      risk_level: members.risk_level,
      irreversible: true,
      default_decision: "reject",
      ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
      extra_context: { ...toolOptions.extra_context, tool, ...id },
    };
    const answer = await asked("confirm", question, undefined);
    const outcome = answer.outcome as ConfirmationOutcome;
    if (isOver) return { ...outcome, decision: "reject" };
    switch (consentOf(answer, unheard)) {
      case "declined":
        return outcome;
      case "as-host":
        add((voice) =>
          voice.state("calling_tool", { summary_normal: `Nobody could be asked. It goes ahead: ${action}` }),
        );
        return invoke({ id, tool, members });
      case "accepted": {
        const permitted = { ...members, irreversible: true };
        const call = invoke({ id, tool, members: permitted, permit: answer.voice });
        if (await within(timers.now() + patienceMs, call.isTaken, timers).finally(keepRunning(patienceMs))) return call;
        // A daemon that takes the call later hears that it was not made.
        call.end({ status: "timeout" });
        return { event_id: outcome.event_id, reply_token: outcome.reply_token, resolved_by: "cancelled" };
      }
    }
  }

  async function callTool<Result>(
    name: string,
    run: () => Result | PromiseLike<Result>,
    toolOptions: ToolOptions<Result> = {},
  ): Promise<Result> {
    assertTool(run, toolOptions);
    const { completed, irreversible = false, declined } = toolOptions;
    const tool = toolNameOf(String(name));
    const members = invocation(name, tool, irreversible, toolOptions);
    endCurrent();
    let call: OpenCall;
    if (irreversible) {
      undone++;
      const permitted = await permit(tool, members, toolOptions);
      if (!("end" in permitted)) {
        if (declined !== undefined) return await declined(permitted);
        throw declinedFault(name, permitted);
      }
      undone--;
      call = permitted;
    } else call = invoke({ id: nextId(), tool, members });
    let result: Result;
    try {
      result = await run();
    } catch (caught) {
      call.end({ status: "error", error_message: messageOf(caught) });
      throw caught;
    }
    call.end({ status: "success", ...summaryOf(completed, result) });
    return result;
  }

  function begin(name: string, { call_id, consent, irreversible = false, ...callOptions }: CallOptions = {}): ToolCall {
    const tool = toolNameOf(String(name));
    const members = invocation(name, tool, irreversible, callOptions);
    endCurrent();
    const call = invoke({
      id: call_id === undefined ? nextId() : { call_id },
      tool,
      members: withOwn(irreversible ? { ...members, irreversible } : members, { consent }),
    });
    return {
      progress: (progress) => call.progress(progressOf(progress)),
      end: (status = "success", summary) => {
        if (!isOver) endCurrent();
        call.end(ending(status, said(summary, "")));
      },
    };
  }

  /** The sentence about a result. A mistake in it is none of the tool's. */
  function summaryOf<Result>(completed: ToolOptions<Result>["completed"], result: Result): Members {
    try {
      const told = typeof completed === "function" ? completed(result) : completed;
      const summary = said(told, "");
      return summary === "" ? {} : { summary_normal: summary };
    } catch (caught) {
      outbox.drops.tell(faultFrom(caught));
      return {};
    }
  }

  const session: AgentSession = {
    get id() {
      return outbox.sessionId;
    },
    get dropped() {
      return outbox.drops.characters;
    },
    text: (chunk) => {
      if (isOver || outbox.isMute) return;
      current ??= openOutput();
      write(current, chunk);
    },
    say: async (chunks) => {
      endCurrent();
      const output = openOutput();
      try {
        for await (const chunk of chunks) write(output, chunk);
      } finally {
        if (!isOver) endOutput(output);
      }
    },
    tool: (name, run, toolOptions) => excused(callTool(name, run, toolOptions)),
    begin,
    confirm: (question, askOptions) => askAuthors<ConfirmationOutcome>("confirm", question, askOptions),
    clarify: (question, askOptions) => askAuthors<ClarificationOutcome>("clarify", question, askOptions),
    handoff: (request) => {
      if (isOver) return;
      endCurrent();
      add((voice) => {
        voice.implies("handing_off");
        return [voice.event("handoff.requested", { ...request })];
      });
    },
    progress: (progress) => {
      if (!isOver) addEvent("progress.updated", { progress: progressOf(progress) });
    },
    state: (name, summary) => {
      if (!isOver) add((voice) => voice.state(name, summary === undefined ? undefined : { summary_normal: summary }));
    },
    publish: (event) => {
      const { type, ...members } = { ...event } as Members;
      if (typeof type !== "string") return outbox.drops.tell(usage(NO_EVENT));
      if (isOver) return;
      endCurrent();
      if (TERMINAL.test(type)) return end((voice) => [...voice.endAll(), voice.event(type, members)]);
      const { from_state: _, to_state: state, ...others } = members;
      // The states of a session are one chain. The author's own changes are links of it.
      if (STATE_CHANGED.test(type)) add((voice) => voice.state(String(state), others));
      else addEvent(type, members);
    },
    complete: (summary) => {
      const summary_normal = said(summary, endedSummary(undone));
      end((voice) => [...voice.endAll(), voice.event("session.completed", { summary_normal })]);
    },
    cancel: (summary = "", cancelled_by = "user") => end(cancelled(summary, cancelled_by)),
    fail: (error) => {
      const summary = messageOf(error) || endedSummary(undone);
      end((voice) => [voice.event("session.errored", { summary_normal: summary, error_category: "unknown" })]);
    },
    [Symbol.asyncDispose]: async () => session.cancel(),
  };
  const ignoreSignal = onAbort(signal, () => session.cancel());
  if (signal?.aborted === true) session.cancel();
  return session;
}

const STATE_CHANGED = /agent\.state\.changed$/;
/** Enough for a person; an error may quote anything. */
const LONGEST_MESSAGE = 1000;
/** Every daemon takes a summary of so many UTF-16 units (AAEP §3.7). */
const LONGEST_SUMMARY = 16_384;

/** The members of `tool.invoked` besides tool and id. People hear the name as its author wrote it. */
function invocation(
  name: string,
  tool: string,
  irreversible: boolean,
  { summary, risk_level, invoked }: Pick<CallOptions, "summary" | "risk_level" | "invoked">,
): Members & { readonly summary_normal: string } {
  return {
    summary_normal: said(summary, name || tool),
    risk_level: risk_level ?? (irreversible ? "high" : "low"),
    ...invoked,
  };
}

/** AAEP has no status for a call that was cancelled: it is an error of that name (AAEP §4.3.2). */
function ending(status: ToolStatus, summary: string): Members {
  const told = summary === "" ? {} : { summary_normal: summary };
  if (status === "cancelled")
    return { status: "error", error_message: "Cancelled.", summary_normal: "Cancelled.", ...told };
  return { status, ...(status === "error" && summary !== "" ? { error_message: summary } : {}), ...told };
}

function progressOf(progress: Parameters<AgentSession["progress"]>[0]): Members {
  return typeof progress === "number" ? { percent: progress } : { ...progress };
}

/** The question with the members of the daemon's extension in their place. */
function hosted(question: SessionConfirmation | SessionClarification): Members {
  const { host_dialog, call_id, ...members } = { ...question };
  return withOwn(members, { host_dialog, call_id });
}

/** The summary of a session whose author has none. It never repeats the task's own words, because the task may not have been done. */
function endedSummary(undone: number): string {
  if (undone === 0) return "Ended.";
  return `Ended. ${undone === 1 ? "One action was" : `${undone} actions were`} not carried out.`;
}

/** A summary that every daemon takes: an event must not be lost, and a session must not stay open, because of its words. */
export function said(summary: unknown, otherwise: string): string {
  const text = typeof summary === "string" && summary !== "" ? summary : otherwise;
  return text.slice(0, wholeEnd(text, LONGEST_SUMMARY));
}

/** The sentence of an error; "" if it cannot be read, for an author may throw anything. */
function messageOf(caught: unknown): string {
  try {
    return faultFrom(caught).sentence.slice(0, LONGEST_MESSAGE);
  } catch {
    return "";
  }
}
