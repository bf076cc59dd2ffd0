// The Model Context Protocol between a host and a server, in both of its eras: which of its messages are heard, and which calls wait for a person.
import { createHash } from "node:crypto";
import { textsOf } from "../../base/json-members.js";
import { type Members, membersOf, someText } from "../../base/members.js";
import type { Wording } from "../../engine/messages/wording.js";
import type { Decision, HostMessage, Reading, Sign } from "../adapter.js";
import { listOf } from "../fields.js";
import { idKey, type RpcMessage, type RpcRequest, type RpcResponse, readMessage } from "../rpc-message.js";
import { elicited } from "../shared-signs.js";
import { announced } from "../words.js";
import { Calls } from "./calls.js";
import { type Answered, type HeldCall, Holding } from "./holding.js";
import { CALL, progressTokenIn, raisedProgress, refusedLine } from "./mcp-message.js";

export interface McpOptions {
  readonly words: Wording;
  /** The server's name for people, and in front of the names of its tools. */
  readonly server: string;
  /** How long a person has to answer about a held call, in seconds. */
  readonly holdSeconds: number;
}

/** A turn ends when the server has had nothing to do for so long. */
const QUIET_MS = 30_000;
/** Requests for lists of tools that are remembered. */
const MOST_LISTS = 64;
/** Tools whose titles are remembered. */
const MOST_TOOLS = 4096;

const NOTHING: Reading = { signs: [] };

/** Reads the messages of a host and its server, in their order. It knows no stream and no clock: instants come in, in ms. */
export class McpAdapter {
  readonly #options: McpOptions;
  /** The titles of the server's tools, by the lists that have passed by. */
  readonly #titles = new Map<string, string>();
  readonly #calls: Calls;
  readonly #holding: Holding;
  readonly #lists = new Set<string>();
  #turn: string | undefined;
  #turnCount = 0;
  #callCount = 0;
  /** Since when nothing is open. */
  #quietSince = 0;

  constructor(options: McpOptions) {
    this.#options = options;
    this.#calls = new Calls(options.words);
    this.#holding = new Holding(options.words, options.holdSeconds);
  }

  /** Whether lines of the server may have to be changed on their way. */
  readonly changesProgress = (): boolean => this.#calls.isAnyRaised();

  readonly read = ({ from, text }: HostMessage, now: number): Reading => {
    const message = readMessage(text);
    if (message === undefined) return NOTHING;
    return this.#after(from === "host" ? this.#fromHost(message, text) : this.#fromServer(message, text), now);
  };

  /** Takes a line of the host that is a call of a held tool. It never passes by itself. */
  readonly hold = (text: string, now: number): Reading => {
    const line = text.replace(/\n$/, "");
    const message = readMessage(line);
    if (message === undefined) return { signs: [], toHost: [refusedLine()], verdict: "swallow" };
    // Nobody waits for an answer to anything else.
    if (message.kind !== "request") return { signs: [], verdict: "swallow" };
    const { params } = message;
    const name = someText(params.name) ?? "";
    const begun = this.#begun();
    const held = {
      line,
      request: message,
      turn: begun.turn,
      call: this.#nextCall(),
      name,
      token: progressTokenIn(line, params),
    };
    const { signs, ...answers } = this.#holding.ask(held, this.#toolName(name), now);
    return this.#after({ ...answers, signs: [...begun.signs, ...signs], verdict: "swallow" }, now);
  };

  /** A person has answered the question with that id. */
  readonly answered = (question: string, decision: Decision, now: number): Reading =>
    this.#after(this.#follow(this.#holding.answered(question, decision, now)), now);

  /** A question was not answered by a person. */
  readonly unanswered = (question: string, now: number): Reading =>
    this.#after(this.#holding.unanswered(question), now);

  /** When `wake` has something to tell, unless a message comes before; undefined: never. */
  readonly dueAt = (): number | undefined => {
    const heldUntil = this.#holding.dueAt();
    if (heldUntil !== undefined) return heldUntil;
    return this.#turn === undefined || this.#isBusy() ? undefined : this.#quietSince + QUIET_MS;
  };

  readonly wake = (now: number): Reading => {
    const { signs, toHost } = this.#holding.wake(now);
    if (signs.length > 0 || toHost.length > 0) return this.#after({ signs, toHost }, now);
    if (this.#isBusy() || now < this.#quietSince + QUIET_MS) return NOTHING;
    return { signs: this.#end("completed", this.#options.words.say("done")) };
  };

  /** The server has ended. `how` is its exit code in words, or its signal. */
  readonly ended = (how: string, isAfterHost: boolean): Reading => {
    const { words } = this.#options;
    return {
      signs: isAfterHost
        ? this.#end("completed", words.say("done"))
        : this.#end("errored", words.say("programEnded", { how }), "SERVER_EXITED"),
    };
  };

  #isBusy(): boolean {
    return this.#calls.isAny() || this.#holding.isAny();
  }

  #after(reading: Reading, now: number): Reading {
    if (reading !== NOTHING) this.#quietSince = now;
    return reading;
  }

  #fromHost(message: RpcMessage, text: string): Reading {
    if (message.kind === "response") return NOTHING;
    const { method, params } = message;
    if (message.kind === "request") {
      if (method === CALL) return { signs: this.#called(message, text) };
      if (method === "tools/list" && this.#lists.size < MOST_LISTS) this.#lists.add(message.id.key);
      return NOTHING;
    }
    if (method !== "notifications/cancelled") return NOTHING;
    const key = idKey(params.requestId);
    const withdrawn = this.#holding.withdrawn(key);
    // The server has never had a call that was held.
    if (withdrawn !== undefined) return { signs: withdrawn, verdict: "swallow" };
    return { signs: this.#calls.cancelled(key) };
  }

  #fromServer(message: RpcMessage, text: string): Reading {
    if (message.kind === "response") return { signs: this.#answered(message) };
    const { params, method } = message;
    switch (method) {
      case "notifications/progress": {
        const signs = this.#calls.progressed(params);
        const by = this.#calls.raisedBy(params.progressToken);
        const raised = by === 0 ? undefined : raisedProgress(text.replace(/\n$/, ""), by);
        return raised === undefined ? { signs } : { signs, verdict: "swallow", toHost: [raised] };
      }
      case "notifications/tasks":
      case "notifications/tasks/status":
        return { signs: this.#calls.told(params) };
      case "notifications/tools/list_changed":
        this.#titles.clear();
        return NOTHING;
      case "elicitation/create":
        return { signs: this.#turn === undefined ? [] : [elicited(this.#turn, params, this.#options.words)] };
      default:
        return NOTHING;
    }
  }

  #answered({ id, result, error }: RpcResponse): readonly Sign[] {
    if (this.#lists.delete(id.key)) {
      this.#listed(result);
      return [];
    }
    const signs = this.#calls.answered(id.key, result, error);
    // How a task is doing, where the host has asked.
    if (signs === undefined) return this.#calls.told(result);
    const { words } = this.#options;
    const asked = result.resultType === "input_required" ? Object.values(membersOf(result.inputRequests)) : [];
    const forms = asked.map(membersOf).filter(({ method }) => method === "elicitation/create");
    const turn = this.#turn;
    return turn === undefined
      ? signs
      : [...signs, ...forms.map(({ params }) => elicited(turn, membersOf(params), words))];
  }

  /** A page of the list. */
  #listed(result: Members): void {
    for (const tool of listOf(result.tools).map(membersOf)) {
      const name = someText(tool.name);
      const title = someText(tool.title) ?? someText(membersOf(tool.annotations).title);
      if (name !== undefined && title !== undefined && this.#titles.size < MOST_TOOLS) this.#titles.set(name, title);
    }
  }

  #called({ id, params }: RpcRequest, text: string): readonly Sign[] {
    const name = someText(params.name) ?? "";
    const what = whatOf(text, params);
    const token = progressTokenIn(text, params)?.key;
    if (this.#calls.again(id.key, { what, token }, params.requestState)) return [];
    const { turn, signs } = this.#begun();
    const call = this.#nextCall();
    const dropped = this.#calls.begin(id.key, { turn, call, what, token, raisedBy: 0 });
    return [...signs, ...dropped, this.#toolSign(turn, call, name)];
  }

  #follow({ released, signs, toHost = [] }: Answered): Reading {
    if (released === undefined) return { signs, toHost };
    return { signs: [...signs, ...this.#released(released)], toHost, toChild: [released.line] };
  }

  #released({ line, request, turn, call, name, token, notices, question }: HeldCall): readonly Sign[] {
    const what = whatOf(line, request.params);
    const open = { turn, call, what, token: token?.key, raisedBy: notices };
    const dropped = this.#calls.begin(request.id.key, open);
    return [...dropped, { ...this.#toolSign(turn, call, name), irreversible: true, consent: { question } }];
  }

  #toolSign(turn: string, call: string, name: string): Extract<Sign, { readonly kind: "tool" }> {
    const words = announced(this.#titles.get(name) ?? name.replaceAll("_", " "), this.#options.words);
    return { kind: "tool", turn, call, name: this.#toolName(name), words };
  }

  #toolName(name: string): string {
    return `${this.#options.server}.${name}`;
  }

  #nextCall(): string {
    this.#callCount += 1;
    return `call ${this.#callCount}`;
  }

  #begun(): { readonly turn: string; readonly signs: readonly Sign[] } {
    if (this.#turn !== undefined) return { turn: this.#turn, signs: [] };
    this.#turnCount += 1;
    const turn = `turn ${this.#turnCount}`;
    this.#turn = turn;
    const { words, server } = this.#options;
    return { turn, signs: [{ kind: "turn", turn, words: announced(words.say("usesTools", { server }), words) }] };
  }

  #end(how: "completed" | "errored", words: string, code?: string): readonly Sign[] {
    const turn = this.#turn;
    if (turn === undefined) return [];
    this.#turn = undefined;
    this.#calls.forget();
    this.#holding.forget();
    return [{ kind: "end", turn, how, words, ...(code === undefined ? {} : { code }) }];
  }
}

/** Tells a call that is sent again: the same tool, and the same arguments as they are written. */
function whatOf(text: string, { name }: Members): string {
  const [given = ""] = textsOf(textsOf(text, "params")[0] ?? "", "arguments");
  return createHash("sha256")
    .update(`${typeof name === "string" ? name : ""}\0${given}`)
    .digest("hex");
}
