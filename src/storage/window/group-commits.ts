// The times of writes. Events of one turn of the event loop are one group. The next group gathers while a group is on its way to the store, so a
// slower disk makes larger groups. A group that could not be written is given back and tried again, once a second.
import { Fault } from "../../base/errors.js";
import { type Resolvers, withResolvers } from "../../base/with-resolvers.js";
import type { Clock } from "../../contracts/clock.js";
import type { JournalFailure } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Batch, BlockStore, Written } from "../blocks/block-store.js";

export interface Group {
  readonly batch: Batch;
  readonly written: (written: Written) => void;
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

export interface GroupCommits {
  /** Asks for a group. */
  readonly request: () => void;
  /** Settles when everything that waits now is written; undefined if nothing waits. Rejects with a Fault "storage_unavailable". */
  readonly pending: () => Promise<void> | undefined;
  /** The reason of the last failed write, until one succeeds. */
  readonly failure: () => JournalFailure | undefined;
  /** Whether `close` was called: no further group is written than the one that waits then. */
  readonly isClosing: () => boolean;
  /** Writes everything that waits, once. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Time between a failure and the next attempt, ms. */
const RETRY_AFTER_MS = 1000;
const RETRIED = "It is tried again every second; look at the system's log where that lasts.";

function promised(): Resolvers<void> {
  const commit = withResolvers();
  // A publisher need not wait for the promise.
  commit.promise.catch(() => {});
  return commit;
}

/** The Fault of a publisher while nothing can be written, or if its events could not be written. */
export function unavailable(sentence: string, cause?: unknown): Fault {
  return new Fault("storage_unavailable", sentence, { rule: "R29", origin: "local", cause });
}

/** `unavailable` for a failure with a known remedy. */
export function notWritable({ reason, remedy }: JournalFailure, cause?: unknown): Fault {
  return unavailable(`The journal cannot be written at present. ${reason} ${remedy}`, cause);
}

export function createGroupCommits(options: GroupCommitsOptions): GroupCommits {
  const { clock, log, path } = options;
  let hasWork = false;
  let isScheduled = false;
  let running: Promise<void> | undefined;
  /** A group is on its way to the store. */
  let isWriting = false;
  let isClosing = false;
  let failure: JournalFailure | undefined;
  let cancelRetry: (() => void) | undefined;
  /** Promises of the group that gathers and of the group on its way, made when `pending` is called. */
  let gathering: Resolvers<void> | undefined;
  let underWay: Resolvers<void> | undefined;

  const recover = async (): Promise<JournalFailure | undefined> => {
    const recovery = await options.store.recover(options.pendingBytes());
    return recovery.kind === "failing" ? recovery.failure : undefined;
  };

  /** The reason by the store itself; in the words of `caught` if the store has none. */
  const reasonOf = async (caught: unknown): Promise<JournalFailure> => {
    const message = caught instanceof Error ? caught.message : String(caught);
    const unknown = { reason: `The disk does not take it (${message}).`, remedy: RETRIED };
    return (await recover().catch(() => undefined)) ?? unknown;
  };

  const fail = async (caught: unknown): Promise<void> => {
    const found = await reasonOf(caught);
    if (failure === undefined)
      log.error({ err: caught, path, ...found }, "the journal cannot be written; publishing is refused");
    failure = found;
    underWay?.reject(notWritable(found, caught));
  };

  const takeUp = (): void => {
    underWay = gathering;
    gathering = undefined;
  };

  const attempt = async (): Promise<void> => {
    let group: Group | undefined;
    let written: Written | undefined;
    try {
      options.prepare();
    } catch (caught) {
      takeUp();
      await fail(caught);
      return;
    }
    takeUp();
    hasWork = false;
    isWriting = true;
    try {
      group = options.begin();
      if (group !== undefined) written = await options.store.write(group.batch);
    } catch (caught) {
      group?.giveBack();
      hasWork = true;
      isWriting = false;
      await fail(caught);
      return;
    }
    try {
      if (written !== undefined) group?.written(written);
    } finally {
      // The store has the group, whatever else goes wrong.
      isWriting = false;
      if (failure !== undefined) log.info({ path }, "the journal can be written again");
      failure = undefined;
      underWay?.resolve();
    }
  };

  const refuseGathering = (): void => {
    if (failure !== undefined) gathering?.reject(notWritable(failure));
    gathering = undefined;
  };

  const retry = async (): Promise<void> => {
    let found: JournalFailure | undefined;
    try {
      found = await recover();
    } catch (caught) {
      await fail(caught);
      refuseGathering();
      return;
    }
    if (found === undefined) return attempt();
    failure = found;
    refuseGathering();
  };

  const start = (work: () => Promise<void>): void => {
    running = work().finally(() => {
      running = undefined;
      if (isClosing) return;
      if (failure !== undefined) cancelRetry = clock.wakeAt(clock.now() + RETRY_AFTER_MS, () => start(retry));
      else if (hasWork) schedule();
    });
    running.catch((caught) => log.error({ err: caught, path }, "the journal met an error that it does not know"));
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.afterTurn(() => {
      isScheduled = false;
      if (running === undefined && failure === undefined && !isClosing) start(attempt);
    });
  };

  return {
    request: () => {
      hasWork = true;
      schedule();
    },
    pending: () => {
      if (hasWork) {
        gathering ??= promised();
        return gathering.promise;
      }
      if (!isWriting) return undefined;
      underWay ??= promised();
      return underWay.promise;
    },
    failure: () => failure,
    isClosing: () => isClosing,
    close: async () => {
      isClosing = true;
      cancelRetry?.();
      await running?.catch(() => {});
      if (!hasWork) return;
      await (failure === undefined ? attempt() : retry()).catch(() => {});
      if (failure !== undefined)
        log.error({ path, ...failure }, "the journal was closed with events that could not be written");
    },
  };
}
