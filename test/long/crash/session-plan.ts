// What one session will say, made up beforehand so that it can be said again word for word.

import type { Chance } from "../../support/chance.js";
import type { Message } from "../../support/oracles/wire-sniffer.js";

type Step =
  | { readonly kind: "publish"; readonly events: readonly Message[] }
  /** Asked by a call that waits, or published as an event of its own. */
  | { readonly kind: "ask"; readonly event: Message; readonly by: "call" | "event"; readonly isAwaited: boolean }
  /** All that was asked has its outcome. */
  | { readonly kind: "settle" }
  | { readonly kind: "pause"; readonly ms: number }
  /** The connection breaks, and the agent comes back. */
  | { readonly kind: "break" }
  /** The agent never comes back. */
  | { readonly kind: "abandon" };

export interface SessionPlan {
  readonly id: string;
  readonly started: Message;
  /** That its agent chose; others take what the daemon makes, and lose the session where its answer is lost (R8). */
  readonly token: string | undefined;
  readonly steps: readonly Step[];
}

const WORDS =
  "the train to Ìbàdàn leaves at 9.15 from track four; naïve 東京 Grüße 😀 please bring a ticket and an umbrella".split(
    " ",
  );

/** `mark`: letters or digits that stand in every id. */
export function planSession(mark: string, agent: string, chance: Chance, abandons: number): SessionPlan {
  const id = `sess_${mark}`;
  let count = 0;
  const event = (kind: string, fields: Message): Message => {
    count += 1;
    return {
      type: `aaep:agent.${kind}`,
      event_id: `evt_${mark}E${count}`,
      session_id: id,
      producer: { agent_id: agent },
      ...fields,
    };
  };
  const token = chance.isLikely(0.7) ? Array.from({ length: 32 }, () => chance.between(0, 9)).join("") : undefined;
  const own = token === undefined ? {} : { extensions: { aaepd: { resume_token: token } } };
  const started = event("session.started", { summary_normal: `Session ${mark} begins.`, ...own });
  const steps: Step[] = [];
  const publish = (...events: readonly Message[]): void => {
    steps.push({ kind: "publish", events });
  };
  publish(event("state.changed", { from_state: "idle", to_state: "thinking" }));
  let state = "thinking";
  const parts = chance.between(2, 6);
  let isAsked = false;
  for (let part = 0; part < parts; part += 1) {
    const kind = chance.next();
    if (kind < 0.45) speak(`out_${part}`);
    else if (kind < 0.6) useTool(part);
    else if (kind < 0.7)
      publish(event("progress.updated", { progress: { percent: part * 10, description: `Part ${part}.` } }));
    else if (kind < 0.8 && !isAsked) changeState();
    else ask(part);
    if (chance.isLikely(0.08)) steps.push({ kind: "break" });
    if (chance.isLikely(0.3)) steps.push({ kind: "pause", ms: chance.between(1, 120) });
  }
  if (chance.isLikely(abandons)) steps.push({ kind: "abandon" });
  else end();
  return { id, started, token, steps };

  function speak(output: string): void {
    const words = Array.from({ length: chance.between(4, 40) }, (_, index) => {
      const word = chance.pick(WORDS);
      return index % 9 === 8 ? `${word}. ` : `${word} `;
    });
    while (words.length > 0) {
      const events = Array.from({ length: chance.between(1, 5) }, () => words.splice(0, chance.between(1, 3)).join(""));
      publish(
        ...events
          .filter((chunk) => chunk !== "")
          .map((chunk) => event("output.streaming", { chunk, complete: false, output_id: output })),
      );
    }
    publish(
      event("output.streaming", { chunk: chance.isLikely(0.5) ? "" : "Done.", complete: true, output_id: output }),
    );
  }

  function useTool(part: number): void {
    const call = { tool: "timetable", tool_call_id: `call_${part}` };
    const invoked = event("tool.invoked", { ...call, summary_normal: `Looks up ${part}.` });
    const completed = event("tool.completed", { ...call, status: "success", summary_normal: `Found ${part}.` });
    if (chance.isLikely(0.5)) publish(invoked, completed);
    else {
      publish(invoked);
      publish(completed);
    }
  }

  function changeState(): void {
    const next = state === "thinking" ? "deciding" : "thinking";
    publish(event("state.changed", { from_state: state, to_state: next }));
    state = next;
  }

  function ask(part: number): void {
    const timeout_seconds = chance.isLikely(0.15) ? chance.between(1, 3) : 600;
    const reply_token = `rpl_${mark}Q${part}`;
    const asked = chance.isLikely(0.7)
      ? event("awaiting.confirmation", {
          action: `Buy ticket ${part} of ${mark}.`,
          consequence: "It cannot be given back.",
          risk_level: "medium",
          default_decision: "reject",
          reply_token,
          timeout_seconds,
        })
      : event("awaiting.clarification", {
          question: `Which class, ${part} of ${mark}?`,
          accepted_response_kinds: ["freetext"],
          reply_token,
          timeout_seconds,
        });
    const isAwaited = chance.isLikely(0.6);
    isAsked ||= !isAwaited;
    steps.push({ kind: "ask", event: asked, by: chance.isLikely(0.5) ? "call" : "event", isAwaited });
  }

  function end(): void {
    // Where somebody is still asked, the end takes the question back.
    if (!chance.isLikely(0.1)) steps.push({ kind: "settle" });
    else {
      publish(event("session.cancelled", { summary_normal: "Taken back.", cancelled_by: "user" }));
      return;
    }
    if (chance.isLikely(0.1)) {
      const failed = {
        summary_normal: "Failed.",
        error_category: "transient",
        error_code: "E_TRAIN",
        recoverable: true,
      };
      publish(event("session.errored", failed));
    } else publish(event("session.completed", { summary_normal: "Done." }));
  }
}
