// A session as its author uses it: each call becomes an intent in the outbox, in its place.
import { Fault, faultFrom } from "../../base/errors.js";
import type { ClarificationOutcome, ConfirmationOutcome } from "../agent-questions.js";
import { consentOf } from "./consent.js";
import type { Fields, Taken, Voice } from "./intents.js";
import { type AskedHere, ask, type QuestionServices } from "./session-questions.js";
import type { AgentSession, SessionOptions, SignalLike, ToolOptions } from "./session-types.js";

export interface SessionServices extends QuestionServices {
  readonly unheard: "reject" | "as-host";
  /** The session has ended for its author. */
  readonly ended: () => void;
}

/** The signal of a session that is over: nothing is asked in it. */
const ABORTED: SignalLike = { aborted: true, addEventListener: () => {}, removeEventListener: () => {} };

/** An output. Its id changes behind a hole in its text. */
interface Output {
  id: string;
  hasText: boolean;
}

export function createSession(services: SessionServices, description: string, options: SessionOptions): AgentSession {
  const { outbox, unheard, timers } = services;
  const { signal } = options;
  let isOver = false;
  let ids = 0;
  /** The output of `text`, which ends when something else begins. */
  let current: Output | undefined;

  const add = (render: (voice: Voice) => readonly Fields[], settled?: (taken: Taken) => void, isEssential = false) => {
    const isTaken = outbox.add({ kind: "events", render, ...(settled === undefined ? {} : { settled }) }, isEssential);
    if (!isTaken) outbox.drop(0, 1);
    return isTaken;
  };
  const addEvent = (type: string, members: Fields): boolean => add((voice) => [voice.event(type, members)]);

  const openOutput = (): Output => ({ id: `out_${++ids}`, hasText: false });
  const endOutput = (output: Output | undefined): void => {
    if (output?.hasText === true) add((voice) => voice.endOutput(output.id), undefined, true);
  };
  const endCurrent = (): void => {
    const last = current && { ...current };
    current = undefined;
    endOutput(last);
  };
  function write(output: Output, chunk: string): void {
    if (isOver || typeof chunk !== "string" || chunk === "") return;
    if (outbox.text(output.id, chunk)) {
      output.hasText = true;
      return;
    }
    outbox.drop(chunk.length, 0);
    // Text behind a hole must not join the text before it.
    endOutput({ ...output });
    if (output.hasText) Object.assign(output, openOutput());
  }

  function end(render: (voice: Voice) => readonly Fields[]): void {
    if (isOver) return;
    endCurrent();
    isOver = true;
    signal?.removeEventListener("abort", abort);
    add(render, undefined, true);
    services.ended();
  }
  const abort = (): void => session.cancel();

  async function asked(kind: "confirm" | "clarify", question: Fields, own: SignalLike | undefined): Promise<AskedHere> {
    endCurrent();
    return ask(services, kind, question, [isOver ? ABORTED : signal, own]);
  }

  /** Invokes a tool, and resolves when a daemon has the invocation. False: the invocation was refused, or its session is lost. */
  function invoke(callId: string, name: string, members: Fields, permit: Voice | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      let isOutOfPlace = false;
      const isTaken = add(
        (voice) => {
          // A permission is good in its own session only.
          isOutOfPlace = permit !== undefined && permit !== voice;
          if (isOutOfPlace) return [];
          voice.openTools.set(callId, name);
          return [
            ...voice.state("calling_tool"),
            voice.event("tool.invoked", { tool: name, tool_call_id: callId, ...members }),
          ];
        },
        (taken) => resolve(taken === "taken" && !isOutOfPlace),
      );
      if (!isTaken) resolve(false);
    });
  }

  const complete = (callId: string, tool: string, since: number, members: Fields): void => {
    const duration_ms = Math.round(timers.now() - since);
    const render = (voice: Voice): readonly Fields[] => {
      if (!voice.openTools.delete(callId)) return [];
      const completed = voice.event("tool.completed", { tool, tool_call_id: callId, duration_ms, ...members });
      return [completed, ...(voice.openTools.size === 0 ? voice.state("thinking") : [])];
    };
    if (!isOver) add(render, undefined, true);
  };

  /** Asks whether an irreversible tool may be called, and invokes it. Resolves with the outcome if it may not be called. */
  async function permit(
    callId: string,
    name: string,
    members: Fields,
    toolOptions: Omit<ToolOptions<unknown>, "completed" | "declined">,
  ): Promise<ConfirmationOutcome | undefined> {
    const { summary = name, action = summary, consequence = "It cannot be undone.", timeout_seconds } = toolOptions;
    const question = {
      action,
      consequence,
      risk_level: members.risk_level,
      irreversible: true,
      default_decision: "reject",
      ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
      extra_context: { ...toolOptions.extra_context, tool: name, tool_call_id: callId },
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
        void invoke(callId, name, members, undefined);
        return undefined;
      case "accepted":
        if (await invoke(callId, name, { ...members, irreversible: true }, answer.voice)) return undefined;
        return { event_id: outcome.event_id, reply_token: outcome.reply_token, resolved_by: "cancelled" };
    }
  }

  const session: AgentSession = {
    get id() {
      return outbox.sessionId();
    },
    get dropped() {
      return outbox.dropped();
    },
    text: (chunk) => {
      if (isOver || outbox.isMute()) return;
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
    tool: async (name, run, toolOptions = {}) => {
      const { summary = name, completed, irreversible = false, risk_level, declined, invoked } = toolOptions;
      const callId = `call_${++ids}`;
      const members = {
        summary_normal: summary,
        risk_level: risk_level ?? (irreversible ? "high" : "low"),
        ...invoked,
      };
      endCurrent();
      if (irreversible) {
        const refusal = await permit(callId, name, members, toolOptions);
        if (refusal !== undefined) {
          if (declined !== undefined) return await declined(refusal);
          throw new Fault("confirmation_required", `Nobody accepted that ${name} is called.`, {
            origin: "local",
            cause: refusal,
          });
        }
      } else if (!isOver) void invoke(callId, name, members, undefined);
      const since = timers.now();
      try {
        const result = await run();
        const told = typeof completed === "function" ? completed(result) : completed;
        complete(callId, name, since, { status: "success", ...(told === undefined ? {} : { summary_normal: told }) });
        return result;
      } catch (caught) {
        complete(callId, name, since, { status: "error", error_message: messageOf(caught) });
        throw caught;
      }
    },
    confirm: async (question, { signal: own } = {}) =>
      (await asked("confirm", question as Fields, own)).outcome as ConfirmationOutcome,
    clarify: async (question, { signal: own } = {}) =>
      (await asked("clarify", question as Fields, own)).outcome as ClarificationOutcome,
    handoff: (request) => {
      if (isOver) return;
      endCurrent();
      add((voice) => {
        voice.implies("handing_off");
        return [voice.event("handoff.requested", { ...request })];
      });
    },
    progress: (progress) => {
      if (!isOver)
        addEvent("progress.updated", { progress: typeof progress === "number" ? { percent: progress } : progress });
    },
    state: (name, summary) => {
      if (!isOver) add((voice) => voice.state(name, summary === undefined ? undefined : { summary_normal: summary }));
    },
    publish: (event) => {
      if (isOver) return;
      endCurrent();
      const { type, ...members } = event as Fields & { readonly type: string };
      addEvent(type, members);
    },
    complete: (summary = description) =>
      end((voice) => [...voice.endAll(), voice.event("session.completed", { summary_normal: summary })]),
    cancel: (summary = description, cancelled_by = "user") =>
      end((voice) => [voice.event("session.cancelled", { summary_normal: summary, cancelled_by })]),
    fail: (error) =>
      end((voice) => [
        voice.event("session.errored", { summary_normal: messageOf(error) || description, error_category: "unknown" }),
      ]),
    [Symbol.asyncDispose]: async () => session.cancel(),
  };
  if (signal?.aborted === true) session.cancel();
  else signal?.addEventListener("abort", abort, { once: true });
  return session;
}

/** Enough for a person; an error may quote anything. */
const LONGEST_MESSAGE = 1000;

function messageOf(caught: unknown): string {
  return faultFrom(caught).sentence.slice(0, LONGEST_MESSAGE);
}
