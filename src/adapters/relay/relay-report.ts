// The counts of a relay for the status of the daemon (docs/status.md).
import { type Fault, faultFrom } from "../../base/errors.js";
import type { AgentClient } from "../../client/agent/agent-client.js";
import type { Timers } from "../../client/timers.js";
import type { Millis } from "../../contracts/clock.js";
import type { RelayNews } from "./relay-news.js";

/** A relay, as the status has it. */
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

export interface RelayCountsOptions {
  /** As in `RelayReport`. */
  readonly host: string;
  readonly client: Pick<AgentClient, "request">;
  readonly timers: Timers;
  /** As `Relay.journal`. */
  readonly journal: () => string | undefined;
  /** Told why the daemon does not hear the producer from here: "address_in_use", another relay has it, or "address_invalid", it is the daemon. */
  readonly onRefused: (fault: Fault) => void;
}

export class RelayCounts {
  readonly #options: RelayCountsOptions;
  readonly #refused = new Map<string, number>();
  #report: RelayReport;
  #cancelTelling: (() => void) | undefined;

  constructor(options: RelayCountsOptions) {
    this.#options = options;
    this.#report = { host: options.host, connected: false, events: 0, refused: {} };
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
    const { timers, onRefused } = this.#options;
    this.#cancelTelling ??= timers.wakeAt(timers.now() + TOLD_EACH_MS, () => {
      this.#cancelTelling = undefined;
      this.tellNow().catch(onRefused);
    });
  }

  /** Rejects with the Fault of `onRefused`. */
  async tellNow(): Promise<void> {
    const report: RelayReport = { ...this.#report, refused: Object.fromEntries(this.#refused) };
    try {
      await this.#options.client.request("aaepd.relay", { ...report, journal: this.#options.journal() });
    } catch (caught) {
      const fault = faultFrom(caught);
      // A daemon of before has no such method.
      if (fault.code === "address_in_use" || fault.code === "address_invalid") throw fault;
    }
  }

  close(): void {
    this.#cancelTelling?.();
    this.#cancelTelling = (): void => {};
  }
}
