// Calls that the server works on: their progress, and their end. A call may outlive its request, as a task, or until the host sends it again with an
// answer.
import { type Members, membersOf, someText } from "../../base/members.js";
import type { Wording } from "../../engine/messages/wording.js";
import type { Sign } from "../adapter.js";
import { idKey } from "../rpc-message.js";
import { announced } from "../words.js";

export interface OpenCall {
  readonly turn: string;
  readonly call: string;
  /** Tells a call that is sent again: its tool and arguments. */
  readonly what: string;
  /** The key of its progress token. */
  readonly token: string | undefined;
  /** By how much its progress is raised, because the host has had so many notices of ours before. */
  readonly raisedBy: number;
}

/** Calls that the server works on. Of the oldest ones the end is told early where a server answers none. */
const MOST_OPEN = 1024;

const ENDS: Readonly<Record<string, "success" | "error" | "cancelled">> = {
  completed: "success",
  failed: "error",
  cancelled: "cancelled",
};

export class Calls {
  readonly #words: Wording;
  /** By the keys of requests, tasks and answers that are awaited. */
  readonly #open = new Map<string, OpenCall>();
  readonly #tokens = new Map<string, OpenCall>();

  constructor(words: Wording) {
    this.#words = words;
  }

  isAny(): boolean {
    return this.#open.size > 0;
  }

  /** Whether progress of some call has to be raised. */
  isAnyRaised(): boolean {
    return [...this.#tokens.values()].some(({ raisedBy }) => raisedBy > 0);
  }

  /** How much the progress under a token is raised. */
  raisedBy(token: unknown): number {
    return this.#tokens.get(idKey(token))?.raisedBy ?? 0;
  }

  begin(requestKey: string, call: OpenCall): readonly Sign[] {
    const before = this.#endOf(request(requestKey), "error");
    const [oldest] = this.#open.keys();
    const dropped = this.#open.size < MOST_OPEN || oldest === undefined ? [] : this.#endOf(oldest, "cancelled");
    this.#add(request(requestKey), call);
    return [...before, ...dropped];
  }

  /** Whether the host sends a call again, with what the server has asked for. The call then goes on. */
  again(requestKey: string, { what, token }: Pick<OpenCall, "what" | "token">, state: unknown): boolean {
    const key = awaited(what, state);
    const call = this.#open.get(key);
    if (call === undefined) return false;
    this.#forget(key, call);
    this.#add(request(requestKey), { ...call, token });
    return true;
  }

  /** The server answers a request. Undefined: it was no call. */
  answered(requestKey: string, result: Members, error: Members | undefined): readonly Sign[] | undefined {
    const key = request(requestKey);
    const call = this.#open.get(key);
    if (call === undefined) return undefined;
    if (error !== undefined || result.isError === true) return this.#endOf(key, "error");
    if (result.resultType === "input_required") {
      return this.#move(key, awaited(call.what, result.requestState), call);
    }
    const taskId = someText(result.resultType === "task" ? result.taskId : membersOf(result.task).taskId);
    if (taskId === undefined) return this.#endOf(key, "success");
    const before = this.#move(key, task(taskId), call);
    return [...before, ...this.told(result.resultType === "task" ? result : membersOf(result.task))];
  }

  /** The server tells how a task is doing. */
  told({ taskId, status, statusMessage }: Members): readonly Sign[] {
    const key = task(someText(taskId) ?? "");
    const call = this.#open.get(key);
    if (call === undefined) return [];
    const end = ENDS[String(status)];
    if (end !== undefined) return this.#endOf(key, end);
    const words = announced(someText(statusMessage) ?? "", this.#words);
    return words === "" ? [] : [{ kind: "progress", turn: call.turn, call: call.call, words }];
  }

  /** Progress without a share and a message says nothing. */
  progressed({ progressToken, progress, total, message }: Members): readonly Sign[] {
    const call = this.#tokens.get(idKey(progressToken));
    if (call === undefined) return [];
    const about = { kind: "progress", turn: call.turn, call: call.call } as const;
    const words = announced(someText(message) ?? "", this.#words);
    const said = words === "" ? {} : { words };
    const share = typeof progress === "number" && typeof total === "number" && total > 0 ? progress / total : undefined;
    if (share !== undefined) return [{ ...about, percent: Math.round(100 * Math.min(1, Math.max(0, share))), ...said }];
    return words === "" ? [] : [{ ...about, words }];
  }

  /** The host does not want the answer any more. */
  cancelled(requestKey: string): readonly Sign[] {
    return this.#endOf(request(requestKey), "cancelled");
  }

  /** The turn of the calls is over. */
  forget(): void {
    this.#open.clear();
    this.#tokens.clear();
  }

  #endOf(key: string, status: "success" | "error" | "cancelled"): readonly Sign[] {
    const call = this.#open.get(key);
    if (call === undefined) return [];
    this.#forget(key, call);
    return [{ kind: "tool-end", turn: call.turn, call: call.call, status }];
  }

  /** Returns the end of another call that had the key: nothing more will be heard of it. */
  #move(from: string, to: string, call: OpenCall): readonly Sign[] {
    this.#open.delete(from);
    const before = this.#endOf(to, "error");
    this.#open.set(to, call);
    return before;
  }

  #add(key: string, call: OpenCall): void {
    this.#open.set(key, call);
    if (call.token !== undefined) this.#tokens.set(call.token, call);
  }

  #forget(key: string, call: OpenCall): void {
    this.#open.delete(key);
    if (call.token !== undefined && this.#tokens.get(call.token) === call) this.#tokens.delete(call.token);
  }
}

const request = (key: string): string => `request ${key}`;
const task = (id: string): string => `task ${id}`;
const awaited = (what: string, state: unknown): string => `awaited ${JSON.stringify([what, state])}`;
