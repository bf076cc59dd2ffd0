// The times of writes. Events of one turn of the event loop are one group. The next group gathers while a group is on its way to the store, so a
// slower disk makes larger groups. A group that could not be written is given back and tried again, once a second.
import { Fault } from "../../base/errors.js";
import { type Resolvers, withResolvers } from "../../base/with-resolvers.js";
import type { Clock } from "../../contracts/clock.js";
import type { JournalFailure } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Batch, BlockStore } from "../blocks/block-store.js";

export interface Group {
  readonly batch: Batch;
  readonly written: () => void;
  /** The batch was rejected: the next group has its contents again. */
  readonly giveBack: () => void;
}

export interface GroupCommitsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly path: string;
  readonly store: Pick<BlockStore, "write" | "recover">;
  /** Called before `begin`. Events and state that it adds are part of the group. */
  readonly prepare: () => void;
  /** Takes everything that waits; undefined if nothing does. If it throws, everything still waits. */
  readonly begin: () => Group | undefined;
  /** Bytes of events that wait. */
  readonly pendingBytes: () => number;
}

/** Time between a failure and the next attempt, ms. */
const RETRY_AFTER_MS = 1000;
const RETRIED = "It is tried again every second; look at the system's log where that lasts.";

/** The Fault of a publisher while nothing can be written, or if its events could not be written. */
export function unavailable(sentence: string, cause?: unknown): Fault {
  return new Fault("storage_unavailable", sentence, { rule: "R29", origin: "local", cause });
}

/** `unavailable` for a failure with a known remedy. */
export function notWritable({ reason, remedy }: JournalFailure, cause?: unknown): Fault {
  return unavailable(`The journal cannot be written at present. ${reason} ${remedy}`, cause);
}

export class GroupCommits {
  /** Whether `close` was called: no further group is written than the one that waits then. */
  isClosing = false;
  /** The reason of the last failed write, until one succeeds. */
  failure: JournalFailure | undefined;
  private readonly options: GroupCommitsOptions;
  private hasWork = false;
  private isScheduled = false;
  private running: Promise<void> | undefined;
  /** A group is on its way to the store. */
  private isWriting = false;
  private cancelRetry: (() => void) | undefined;
  /** Promises of the group that gathers and of the group on its way, made when `pending` is called. */
  private gathering: Resolvers<void> | undefined;
  private underWay: Resolvers<void> | undefined;

  constructor(options: GroupCommitsOptions) {
    this.options = options;
  }

  /** Asks for a group. */
  request(): void {
    this.hasWork = true;
    this.schedule();
  }

  /** Settles when everything that waits now is written; undefined if nothing waits. Rejects with a Fault "storage_unavailable". */
  pending(): Promise<void> | undefined {
    if (this.hasWork) {
      this.gathering ??= promised();
      return this.gathering.promise;
    }
    if (!this.isWriting) return undefined;
    this.underWay ??= promised();
    return this.underWay.promise;
  }

  /** Writes everything that waits, once. Never rejects. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.cancelRetry?.();
    await this.running?.catch(() => {});
    if (!this.hasWork) return;
    await (this.failure === undefined ? this.attempt() : this.retry()).catch(() => {});
    const { log, path } = this.options;
    if (this.failure !== undefined)
      log.error({ path, ...this.failure }, "the journal was closed with events that could not be written");
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.options.clock.afterTurn(() => {
      this.isScheduled = false;
      if (this.running === undefined && this.failure === undefined && !this.isClosing) this.start(this.attempt());
    });
  }

  private start(work: Promise<void>): void {
    const { clock, log, path } = this.options;
    this.running = work.finally(() => {
      this.running = undefined;
      if (this.isClosing) return;
      const again = (): void => this.start(this.retry());
      if (this.failure !== undefined) this.cancelRetry = clock.wakeAt(clock.now() + RETRY_AFTER_MS, again);
      else if (this.hasWork) this.schedule();
    });
    this.running.catch((caught) => log.error({ err: caught, path }, "the journal met an error that it does not know"));
  }

  private async attempt(): Promise<void> {
    let group: Group | undefined;
    this.underWay = this.gathering;
    this.gathering = undefined;
    try {
      this.options.prepare();
      this.hasWork = false;
      this.isWriting = true;
      group = this.options.begin();
      if (group !== undefined) await this.options.store.write(group.batch);
    } catch (caught) {
      this.isWriting = false;
      group?.giveBack();
      this.hasWork = true;
      await this.fail(caught);
      return;
    }
    try {
      group?.written();
    } finally {
      // The store has the group, whatever else goes wrong.
      this.isWriting = false;
      if (this.failure !== undefined)
        this.options.log.info({ path: this.options.path }, "the journal can be written again");
      this.failure = undefined;
      this.underWay?.resolve();
    }
  }

  private async retry(): Promise<void> {
    try {
      const found = await this.recover();
      if (found === undefined) return await this.attempt();
      this.failure = found;
    } catch (caught) {
      await this.fail(caught);
    }
    if (this.failure !== undefined) this.gathering?.reject(notWritable(this.failure));
    this.gathering = undefined;
  }

  private async fail(caught: unknown): Promise<void> {
    const message = caught instanceof Error ? caught.message : String(caught);
    // The reason by the store itself; in the words of `caught` if the store has none.
    const unknown = { reason: `The disk does not take it (${message}).`, remedy: RETRIED };
    const found = (await this.recover().catch(() => undefined)) ?? unknown;
    const { log, path } = this.options;
    if (this.failure === undefined)
      log.error({ err: caught, path, ...found }, "the journal cannot be written; publishing is refused");
    this.failure = found;
    this.underWay?.reject(notWritable(found, caught));
  }

  private async recover(): Promise<JournalFailure | undefined> {
    const recovery = await this.options.store.recover(this.options.pendingBytes());
    return recovery.kind === "failing" ? recovery.failure : undefined;
  }
}

function promised(): Resolvers<void> {
  const commit = withResolvers();
  // A publisher need not wait for the promise.
  commit.promise.catch(() => {});
  return commit;
}
