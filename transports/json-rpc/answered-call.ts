import type { JsonOutline } from "../../src/base/json-document.js";
import type { AbortSignalLike, RpcCall } from "../../src/contracts/rpc.js";
import { type CallSignal, createCallSignal } from "./call-signal.js";
import type { IncomingCall } from "./message-reader.js";

/** A request under way at a handler. Its signal is made when the handler asks for it: nearly none of a busy agent's calls does. */
export class AnsweredCall implements RpcCall {
  readonly method: string;
  readonly params: unknown;
  readonly text: string;
  readonly outline: JsonOutline;
  private reason: AbortSignalLike["reason"];
  private made: CallSignal | undefined;

  /** `reason`: set if the call is aborted from the beginning. */
  constructor({ method, params, text, outline }: IncomingCall, reason: AbortSignalLike["reason"]) {
    this.method = method;
    this.params = params;
    this.text = text;
    this.outline = outline;
    this.reason = reason;
  }

  get signal(): AbortSignalLike {
    this.made ??= createCallSignal(this.reason);
    return this.made;
  }

  abort(reason: "cancelled" | "ended"): void {
    this.reason ??= reason;
    this.made?.abort(reason);
  }
}
