// The Agent Client Protocol, version 1, between an editor and an agent: which of its messages are heard, and as what. It changes no message. It knows
// no stream and no clock, so that each order of messages can be tried. A call is announced 700 ms after its status has changed last, unless it was
// allowed before: agents ask up to half a second after a call is "in progress", and a rejected call must not be heard to run.
import { keepNewest } from "../../base/keep-newest.js";
import { type Members, membersOf, someText } from "../../base/members.js";
import type { Wording } from "../../engine/messages/wording.js";
import { shortenedText } from "../../engine/text/shortened-text.js";
import type { Decision, HostMessage, Reading, Sign } from "../adapter.js";
import { listOf } from "../fields.js";
import { idKey, type RpcMessage, type RpcResponse, readMessage } from "../rpc-message.js";
import { elicited } from "../shared-signs.js";
import { announced, oneLine } from "../words.js";
import { Permissions } from "./permissions.js";
import { Turn, type TurnOptions } from "./turn.js";

export interface AcpOptions extends TurnOptions {
  /** Whether a turn begins with the words of the request. */
  readonly saysPrompts: boolean;
}

/** UTF-16 units of a request in the words of its turn. */
const LONGEST_REQUEST = 80;
const PROTOCOL_VERSION = 1;
/** Turns that are open at a time. Of further ones the oldest is told as over. */
const MOST_TURNS = 256;
/** Requests of the host, and conversations, that are remembered. */
const MOST_REMEMBERED = 4096;
/** Modes of a conversation whose names are remembered. */
const MOST_MODES = 64;
/** The code of JSON-RPC with which an agent asks for authentication. */
const AUTHENTICATION_REQUIRED = -32000;

const NOTHING: Reading = { signs: [] };

interface Conversation {
  folder: string | undefined;
  modes: ReadonlyMap<string, string>;
  /** Histories that are being replayed. */
  replays: number;
  /** In their order. Agents work on the first. */
  readonly turns: Set<Turn>;
}

/** A request of the host whose answer matters. */
type Awaited =
  | { readonly kind: "initialize" }
  | { readonly kind: "new"; readonly folder: string | undefined }
  | { readonly kind: "replay"; readonly sessionId: string }
  | { readonly kind: "prompt"; readonly turn: Turn };

/** Reads the messages of an editor and its agent, in their order. Instants come in, in ms. */
export class AcpAdapter {
  readonly #options: AcpOptions;
  readonly #words: Wording;
  readonly #permissions: Permissions;
  readonly #conversations = new Map<string, Conversation>();
  readonly #awaited = new Map<string, Awaited>();
  /** The open turns of all conversations. */
  readonly #turns = new Set<Turn>();
  #turnCount = 0;
  /** Of an agent that speaks another version only the beginning and the end of a turn are told. */
  #isUnderstood = true;

  constructor(options: AcpOptions) {
    this.#options = options;
    this.#words = options.words;
    this.#permissions = new Permissions(options.words, options.irreversibleKinds);
  }

  /** Whether the next lines of the host may be answers that are swallowed. */
  readonly holds = (): boolean => this.#permissions.isAnyAwaited();

  readonly read = ({ from, text }: HostMessage, now: number): Reading => {
    const message = readMessage(text);
    if (message === undefined) return NOTHING;
    return from === "host" ? this.#fromHost(message, now) : this.#fromAgent(message, text, now);
  };

  /** A person has answered the question with that id. */
  readonly answered = (question: string, decision: Decision, now: number): Reading =>
    this.#permissions.answeredByListener(question, decision, now);

  /** A person wants the turn to stop. */
  readonly stop = (key: string, now: number): Reading => {
    const turn = [...this.#turns].find((one) => one.key === key);
    if (turn === undefined) return NOTHING;
    const { signs, toChild = [], toHost = [] } = this.#permissions.stopped(turn, now);
    const cancel = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: turn.sessionId } };
    return { signs, toChild: [JSON.stringify(cancel), ...toChild], toHost };
  };

  /** When `wake` has something to tell, unless a message comes before; undefined: never. */
  readonly dueAt = (): number | undefined => {
    let first: number | undefined;
    for (const { tools } of this.#turns) {
      const at = tools.dueAt();
      if (at !== undefined && (first === undefined || at < first)) first = at;
    }
    return first;
  };

  readonly wake = (now: number): Reading => ({ signs: [...this.#turns].flatMap(({ tools }) => tools.wake(now)) });

  /** The agent has ended. `how` is its exit code in words, or its signal. */
  readonly ended = (how: string, isAfterHost: boolean): Reading => {
    const signs = [...this.#turns].flatMap((turn) =>
      isAfterHost
        ? this.#end(turn, "cancelled", this.#words.say("hostClosed"))
        : this.#end(turn, "errored", this.#words.say("exited", { how }), "AGENT_EXITED"),
    );
    return { signs };
  };

  #conversation(id: string): Conversation {
    const known = this.#conversations.get(id);
    if (known !== undefined) return known;
    const made: Conversation = { folder: undefined, modes: new Map(), replays: 0, turns: new Set() };
    this.#conversations.set(id, made);
    keepNewest(this.#conversations, MOST_REMEMBERED);
    return made;
  }

  #fromHost(message: RpcMessage, now: number): Reading {
    const { params } = message as { readonly params?: Members };
    const sessionId = someText(params?.sessionId);
    if (message.kind === "response") return this.#permissions.answeredByHost(message, now);
    if (message.kind === "notification") {
      if (message.method !== "session/cancel" || sessionId === undefined) return NOTHING;
      return { signs: this.#permissions.cancelledByHost(sessionId) };
    }
    const folder = someText(message.params.cwd);
    keepNewest(this.#awaited, MOST_REMEMBERED);
    switch (message.method) {
      case "initialize":
        this.#awaited.set(message.id.key, { kind: "initialize" });
        return NOTHING;
      case "session/new":
        this.#awaited.set(message.id.key, { kind: "new", folder });
        return folder === undefined ? NOTHING : { signs: [], folder };
      case "session/load":
      case "session/resume": {
        if (sessionId === undefined) return NOTHING;
        const conversation = this.#conversation(sessionId);
        conversation.folder = folder ?? conversation.folder;
        conversation.replays += 1;
        this.#awaited.set(message.id.key, { kind: "replay", sessionId });
        return folder === undefined ? NOTHING : { signs: [], folder };
      }
      case "session/prompt":
        return sessionId === undefined ? NOTHING : { signs: this.#begin(message.id.key, sessionId, message.params) };
      default:
        return NOTHING;
    }
  }

  #begin(idOfRequest: string, sessionId: string, params: Members): readonly Sign[] {
    const [oldest] = this.#turns;
    const dropped =
      this.#turns.size < MOST_TURNS || oldest === undefined
        ? []
        : this.#end(oldest, "cancelled", this.#words.say("stopped"));
    const conversation = this.#conversation(sessionId);
    this.#turnCount += 1;
    const turn = new Turn(`turn ${this.#turnCount}`, sessionId, this.#options);
    conversation.turns.add(turn);
    this.#turns.add(turn);
    this.#awaited.set(idOfRequest, { kind: "prompt", turn });
    const texts = listOf(params.prompt)
      .map(membersOf)
      .flatMap((block) => (block.type === "text" ? (someText(block.text) ?? []) : []));
    const request = this.#options.saysPrompts ? shortenedText(oneLine(texts.join(" ")), LONGEST_REQUEST) : "";
    return [
      ...dropped,
      {
        kind: "turn",
        turn: turn.key,
        words: request === "" ? this.#words.say("works") : request,
        conversation: sessionId,
        folder: conversation.folder,
      },
    ];
  }

  #fromAgent(message: RpcMessage, text: string, now: number): Reading {
    if (message.kind === "response") return { signs: this.#answeredByAgent(message) };
    if (!this.#isUnderstood) return NOTHING;
    const { params } = message;
    if (message.kind === "notification") {
      if (message.method === "$/cancel_request") return this.#permissions.withdrawn(idKey(params.requestId), now);
      return message.method === "session/update" ? { signs: this.#updated(params, now) } : NOTHING;
    }
    const turn = this.#turnOf(someText(params.sessionId) ?? "");
    if (turn === undefined) return NOTHING;
    switch (message.method) {
      case "session/request_permission":
        return this.#permissions.requested(message, text, turn, now);
      case "elicitation/create":
        return { signs: [elicited(turn.key, params, this.#words)] };
      case "terminal/create":
        return { signs: this.#terminal(turn, params) };
      default:
        return NOTHING;
    }
  }

  #answeredByAgent({ id, result, error }: RpcResponse): readonly Sign[] {
    const awaited = this.#awaited.get(id.key);
    this.#awaited.delete(id.key);
    switch (awaited?.kind) {
      case "initialize":
        if (error === undefined) this.#isUnderstood = result.protocolVersion === PROTOCOL_VERSION;
        return [];
      case "new": {
        const sessionId = someText(result.sessionId);
        if (sessionId === undefined) return [];
        const conversation = this.#conversation(sessionId);
        conversation.folder = awaited.folder ?? conversation.folder;
        conversation.modes = modesIn(result);
        return [];
      }
      case "replay": {
        const conversation = this.#conversation(awaited.sessionId);
        conversation.replays -= 1;
        conversation.modes = modesIn(result);
        return [];
      }
      case "prompt":
        return error === undefined ? this.#stopped(awaited.turn, result.stopReason) : this.#failed(awaited.turn, error);
      case undefined:
        return [];
    }
  }

  #stopped(turn: Turn, reason: unknown): readonly Sign[] {
    switch (reason) {
      case "cancelled":
        return this.#end(turn, "cancelled", this.#words.say("stopped"));
      case "refusal":
        return this.#end(turn, "completed", this.#words.say("refused"));
      case "max_tokens":
      case "max_turn_requests":
        return this.#end(turn, "completed", this.#words.say("limitReached"));
      default:
        return this.#end(turn, "completed", this.#words.say("done"));
    }
  }

  #failed(turn: Turn, error: Members): readonly Sign[] {
    const why = error.code === AUTHENTICATION_REQUIRED ? "signInNeeded" : "failed";
    return this.#end(turn, "errored", this.#words.say(why), "AGENT_ERROR");
  }

  #end(turn: Turn, how: "completed" | "cancelled" | "errored", words: string, code?: string): readonly Sign[] {
    // A turn that was dropped is over.
    if (!this.#turns.delete(turn)) return [];
    this.#conversations.get(turn.sessionId)?.turns.delete(turn);
    return [
      ...this.#permissions.ended(turn),
      ...turn.tools.end(how === "cancelled" ? "cancelled" : "error"),
      { kind: "end", turn: turn.key, how, words, ...(code === undefined ? {} : { code }) },
    ];
  }

  /** A replayed history is silent, and so is everything outside of a turn. */
  #updated(params: Members, now: number): readonly Sign[] {
    const sessionId = someText(params.sessionId) ?? "";
    const turn = this.#turnOf(sessionId);
    const conversation = this.#conversations.get(sessionId);
    if (turn === undefined || (conversation?.replays ?? 0) > 0) return [];
    const modeName = (id: string): string => conversation?.modes.get(id) ?? id;
    return turn.update(sessionId, membersOf(params.update), modeName, now);
  }

  /** The turn in which a session works, its own or that of the agent whose subagent it is. */
  #turnOf(sessionId: string): Turn | undefined {
    const [own] = this.#conversations.get(sessionId)?.turns ?? [];
    return own ?? [...this.#turns].find((turn) => turn.hasSubagent(sessionId));
  }

  #terminal(turn: Turn, { command }: Members): readonly Sign[] {
    const program = someText(command);
    if (program === undefined || turn.tools.isAnyRunning()) return [];
    const words = announced(this.#words.say("runs.execute", { what: program }), this.#words);
    return [{ kind: "state", turn: turn.key, state: "thinking", words }];
  }
}

function modesIn(result: Members): ReadonlyMap<string, string> {
  const modes = listOf(membersOf(result.modes).availableModes).slice(0, MOST_MODES).map(membersOf);
  return new Map(
    modes.flatMap(({ id, name }) => (typeof id === "string" && typeof name === "string" ? [[id, name]] : [])),
  );
}
