// The counts of a relay for the status of the daemon (docs/status.md).
import type { AgentClient } from "../../client/agent/agent-client.js";
import type { Timers } from "../../client/timers.js";
import type { Millis } from "../../contracts/clock.js";
import type { RelayNews } from "./relay.js";

/** The params of `aaepd.relay`. */
export interface RelayReport {
  /** The producer's host, and its port. Not the path, which may be a secret. */
  readonly host: string;
  /** Whether the producer is connected. */
  readonly connected: boolean;
  /** Events that have come. */
  readonly events: number;
  /** Events that were refused, by the rule, or else by the code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Changes of this time are told together, ms. */
const TOLD_EACH_MS: Millis = 500;

export class RelayCounts {
  readonly #client: Pick<AgentClient, "request">;
  readonly #timers: Timers;
  readonly #refused = new Map<string, number>();
  #report: RelayReport;
  #cancelTelling: (() => void) | undefined;

  constructor(host: string, client: Pick<AgentClient, "request">, timers: Timers) {
    this.#client = client;
    this.#timers = timers;
    this.#report = { host, connected: false, events: 0, refused: {} };
  }

  count(news: RelayNews): void {
    const { events } = this.#report;
    switch (news.kind) {
      case "connected":
      case "lost":
        this.#report = { ...this.#report, connected: news.kind === "connected" };
        break;
      case "heard":
        this.#report = { ...this.#report, events: events + 1 };
        break;
      case "refused": {
        const { rule, code } = news.fault;
        this.#refused.set(rule ?? code, (this.#refused.get(rule ?? code) ?? 0) + 1);
      }
    }
    this.tell();
  }

  /** Tells the daemon soon. Call it for each daemon that the client has come back to. */
  tell(): void {
    this.#cancelTelling ??= this.#timers.wakeAt(this.#timers.now() + TOLD_EACH_MS, () => {
      this.#cancelTelling = undefined;
      const report: RelayReport = { ...this.#report, refused: Object.fromEntries(this.#refused) };
      // A daemon of before has no such method.
      this.#client.request("aaepd.relay", report).catch(() => {});
    });
  }

  close(): void {
    this.#cancelTelling?.();
    this.#cancelTelling = (): void => {};
  }
}
