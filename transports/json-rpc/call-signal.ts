import type { AbortSignalLike } from "../../src/contracts/rpc.js";

/** An abort signal for one call. Lighter than the platform's, of which a busy agent would need a hundred thousand a second. */
export class CallSignal implements AbortSignalLike {
  reason: AbortSignalLike["reason"];
  private listeners: (() => void)[] | undefined;

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.listeners ??= [];
    this.listeners.push(listener);
  }

  /** Calls every listener once. */
  abort(reason: "cancelled" | "ended"): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    const told = this.listeners ?? [];
    this.listeners = undefined;
    for (const listener of told) listener();
  }
}
