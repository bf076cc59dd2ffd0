// One request of a person and what the agent does about it, until the agent answers the request.
import { type Members, membersOf, someText } from "../../base/members.js";
import type { Wording } from "../../engine/messages/wording.js";
import { shortenedText } from "../../engine/text/shortened-text.js";
import type { Sign } from "../adapter.js";
import { listOf } from "../fields.js";
import { planned } from "../shared-signs.js";
import { announced, ofSubagent, oneLine } from "../words.js";
import { ToolCalls } from "./tool-calls.js";

/** UTF-16 units of the title of a subagent, which must leave room for what it does. */
const LONGEST_TITLE = 40;
/** Subagents of a turn that are heard. */
const MOST_SUBAGENTS = 256;

export interface TurnOptions {
  readonly words: Wording;
  readonly irreversibleKinds: ReadonlySet<string>;
  /** Whether the agent's thoughts are told as text. */
  readonly tellsThoughts: boolean;
}

export class Turn {
  readonly key: string;
  readonly sessionId: string;
  readonly tools: ToolCalls;
  readonly #options: TurnOptions;
  /** The message that the text belongs to. */
  #messageId: string | undefined;
  #isThinking = false;
  #plan = "";
  /** Titles of subagents, by their own sessions. */
  readonly #subagents = new Map<string, string>();

  constructor(key: string, sessionId: string, options: TurnOptions) {
    this.key = key;
    this.sessionId = sessionId;
    this.#options = options;
    this.tools = new ToolCalls(key, options.words, options.irreversibleKinds);
  }

  hasSubagent(sessionId: string): boolean {
    return this.#subagents.has(sessionId);
  }

  /** The id of a call, which is unique in its session only. */
  callOf(sessionId: string, toolCallId: string): string {
    return sessionId === this.sessionId ? toolCallId : `${sessionId}\n${toolCallId}`;
  }

  /** Puts the title of the subagent in front of its words. */
  inFront(sessionId: string): (words: string) => string {
    const title = this.#subagents.get(sessionId);
    return title === undefined ? (words) => words : (words) => this.#say(ofSubagent(title, words, this.#options.words));
  }

  /** Reads an update of this turn's session or of one of its subagents. `modeName` names a mode by its id. */
  update(sessionId: string, update: Members, modeName: (id: string) => string, now: number): readonly Sign[] {
    const id = someText(update.toolCallId);
    const isCall = update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update";
    const call = isCall && id !== undefined ? this.callOf(sessionId, id) : undefined;
    const signs =
      call === undefined
        ? this.#told(sessionId, update, modeName)
        : this.tools.update(call, update, now, this.inFront(sessionId));
    if (call !== undefined) this.#isThinking = false;
    return signs.length === 0 ? signs : [...this.tools.goesOn(call), ...signs];
  }

  #told(sessionId: string, update: Members, modeName: (id: string) => string): readonly Sign[] {
    const { words } = this.#options;
    // Of a subagent its tools are told. Its text is for the agent.
    if (sessionId !== this.sessionId) return [];
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        this.#isThinking = false;
        return this.#text(update);
      case "agent_thought_chunk":
        return this.#thought(update);
      case "plan":
        return this.#planned(listOf(update.entries).map(membersOf));
      case "current_mode_update":
        return this.#state(words.say("mode", { name: modeName(someText(update.currentModeId) ?? "") }));
      case "notice":
        return this.#state(someText(update.title));
      case "compaction_update":
        return this.#state(update.status === "in_progress" ? words.say("compacting") : undefined);
      case "subagent_update":
        return this.#subagent(someText(update.sessionId), someText(update.title));
      default:
        return [];
    }
  }

  #text(update: Members): readonly Sign[] {
    const { type, text } = membersOf(update.content);
    if (type !== "text" || typeof text !== "string" || text === "") return [];
    const messageId = someText(update.messageId);
    const isOther = messageId !== this.#messageId;
    this.#messageId = messageId;
    const said: Sign = { kind: "text", turn: this.key, output: messageId ?? "", text };
    return isOther ? [{ kind: "text-end", turn: this.key }, said] : [said];
  }

  #thought(update: Members): readonly Sign[] {
    if (this.#options.tellsThoughts) return this.#text(update);
    if (this.#isThinking) return [];
    this.#isThinking = true;
    return [{ kind: "state", turn: this.key, state: "thinking" }];
  }

  #planned(entries: readonly Members[]): readonly Sign[] {
    const progress = planned(this.key, entries, this.#options.words);
    const plan = JSON.stringify(progress);
    if (progress.length === 0 || plan === this.#plan) return [];
    this.#plan = plan;
    return progress;
  }

  #subagent(sessionId: string | undefined, title = ""): readonly Sign[] {
    if (sessionId === undefined || this.#subagents.has(sessionId) || this.#subagents.size >= MOST_SUBAGENTS) return [];
    this.#subagents.set(sessionId, shortenedText(oneLine(title), LONGEST_TITLE));
    return this.#state(this.inFront(sessionId)(this.#options.words.say("works")));
  }

  #state(words: string | undefined): readonly Sign[] {
    return words === undefined ? [] : [{ kind: "state", turn: this.key, state: "thinking", words: this.#say(words) }];
  }

  #say(text: string): string {
    return announced(text, this.#options.words);
  }
}
