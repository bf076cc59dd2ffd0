// The calls of a session's author as intents, and one AAEP session of an agent, which renders them into events: with its id, its chain of states, and
// what is open in it (AAEP §4.2.1, R3a).
import type { Members } from "../../base/members.js";
import { wholeEnd } from "../../base/whole-end.js";
import { newEventId } from "../random-ids.js";
import type { AgentClient } from "./agent-client.js";

/** How an intent ended: a daemon has it, a daemon refused it, or nobody takes it. */
export type Taken = "taken" | "refused" | "unheard";

/** A stretch of text. One output may change its id: text behind a hole goes on in a new one. */
export interface TextIntent {
  readonly kind: "text";
  readonly outputId: string;
  text: string;
}

export type Intent =
  | TextIntent
  | {
      readonly kind: "events";
      /** Renders the events when they are sent. Called again for another voice. */
      readonly render: (voice: Voice) => readonly Members[];
      readonly settled?: ((taken: Taken) => void) | undefined;
    }
  | {
      readonly kind: "question";
      /** Asks, and returns at once. */
      readonly ask: (voice: Voice) => void;
      /** Nobody can be asked. */
      readonly unheard: () => void;
    };

/** UTF-16 units of one chunk: at most 48 KB of JSON, whatever the characters. */
const LONGEST_CHUNK = 8000;

export class Voice {
  readonly client: AgentClient;
  readonly sessionId: string;
  /** A daemon has taken the start of the session. */
  hasStarted = false;
  /** A daemon has lost the session. */
  isLost = false;
  /** Questions that wait for their outcome. Meanwhile the state is the question's. */
  openQuestions = 0;
  /** Open calls of tools: by a key of the call, the members of an event that name it. */
  openTools = new Map<string, Members>();
  #outputs = new Set<string>();
  // The last state that was published, and the one that later events imply. Both are good as `from_state`.
  #told = "idle";
  #implied: string | undefined;

  constructor(client: AgentClient, sessionId: string) {
    this.client = client;
    this.sessionId = sessionId;
  }

  /** Makes an event of this session. `type` is without "aaep:agent.", unless it has a colon. */
  event(type: string, members: Members): Members {
    const whole = type.includes(":") ? type : `aaep:agent.${type}`;
    return { type: whole, event_id: newEventId(), session_id: this.sessionId, ...members };
  }

  /** The event that changes the state, if it is another one. */
  state(name: string, members?: Members): readonly Members[] {
    const from = this.#implied ?? this.#told;
    if (this.openQuestions > 0 || (from === name && members === undefined)) return [];
    this.#told = name;
    this.#implied = undefined;
    return [this.event("state.changed", { from_state: from, to_state: name, ...members })];
  }

  /** An event implied this state. */
  implies(name: string | undefined): void {
    this.#implied = name;
  }

  /** Ends an output that has begun here. */
  endOutput(outputId: string): readonly Members[] {
    return this.#outputs.delete(outputId) ? [this.#chunk(outputId, "", true)] : [];
  }

  /** Ends everything that is still open, before the session completes. */
  endAll(): readonly Members[] {
    const tools = Array.from(this.openTools.values(), (named) =>
      this.event("tool.completed", { ...named, status: "timeout" }),
    );
    this.openTools.clear();
    return [...tools, ...[...this.#outputs].flatMap((id) => this.endOutput(id))];
  }

  /** Notes what is open. Returns the function that goes back to that, because what was rendered since was refused. */
  save(): () => void {
    const [outputs, tools, told, implied] = [
      new Set(this.#outputs),
      new Map(this.openTools),
      this.#told,
      this.#implied,
    ];
    return () => {
      this.#outputs = outputs;
      this.openTools = tools;
      this.#told = told;
      this.#implied = implied;
    };
  }

  /** The events of an intent; of a question none, because it is asked by a call. */
  render(intent: Intent): readonly Members[] {
    if (intent.kind === "question") return [];
    if (intent.kind === "events") return intent.render(this);
    const { outputId } = intent;
    const begun = this.#outputs.has(outputId) ? [] : this.state("writing_output");
    this.#outputs.add(outputId);
    const chunks: Members[] = [];
    for (let { text } = intent; text !== ""; ) {
      const end = wholeEnd(text, LONGEST_CHUNK);
      chunks.push(this.#chunk(outputId, text.slice(0, end), false));
      text = text.slice(end);
    }
    return [...begun, ...chunks];
  }

  #chunk(outputId: string, text: string, complete: boolean): Members {
    return this.event("output.streaming", { output_id: outputId, chunk: text, complete });
  }
}
