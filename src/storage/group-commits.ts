// When what waits is written. What comes in one turn of the event loop is one group; while a group is on its way to the disk the next one gathers,
// so the slower the disk, the larger the groups. A group that could not be written is given back and tried again, once a second.
import { Fault } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";
import type { JournalFailure } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { Writes } from "./lmdb/tables.js";

export interface Group {
  /** Throws where it cannot be done: nothing of it is written then. */
  readonly write: (writes: Writes) => void;
  readonly written: () => void;
  /** It is to be part of the next group. */
  readonly giveBack: () => void;
}

export interface GroupCommitsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly path: string;
  /** Everything that waits; undefined where nothing does. Where it throws, all that still does. */
  readonly begin: () => Group | undefined;
  readonly commit: (work: (writes: Writes) => void) => Promise<void>;
  /** After a failure, before the next attempt. */
  readonly revive: () => Promise<void>;
  /** Why nothing can be written; undefined where nothing speaks against it. */
  readonly diagnose: () => Promise<JournalFailure | undefined>;
}

export interface GroupCommits {
  /** Something waits to be written. */
  readonly request: () => void;
  /** Settles when all that waits by now is written; undefined where nothing does. Rejects with "storage_unavailable". */
  readonly pending: () => Promise<void> | undefined;
  /** Why nothing can be written at present. */
  readonly failure: () => JournalFailure | undefined;
  /** Writes what waits, once. Never rejects. */
  readonly close: () => Promise<void>;
}

/** How long after a failure it is tried again, ms. */
const RETRY_AFTER_MS = 1000;
const RETRIED = "It is tried again every second; look at the system's log where that lasts.";

interface Promised {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (fault: Fault) => void;
}

function promised(): Promised {
  let resolve: () => void = () => {};
  let reject: (fault: Fault) => void = () => {};
  const promise = new Promise<void>((kept, broken) => {
    resolve = kept;
    reject = broken;
  });
  // Not everybody who publishes waits for it.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** The fault of whoever publishes while nothing can be written, or whose events could not be written yet. */
export function unavailable(sentence: string, cause?: unknown): Fault {
  return new Fault("storage_unavailable", sentence, { rule: "R29", origin: "local", cause });
}

/** The same, where it is known what helps. */
export function notWritable({ reason, remedy }: JournalFailure, cause?: unknown): Fault {
  return unavailable(`The journal cannot be written at present. ${reason} ${remedy}`, cause);
}

export function createGroupCommits(options: GroupCommitsOptions): GroupCommits {
  const { clock, log, path } = options;
  let hasWork = false;
  let isScheduled = false;
  let running: Promise<void> | undefined;
  /** A group is on its way to the disk. */
  let isWriting = false;
  let isClosing = false;
  let failure: JournalFailure | undefined;
  let cancelRetry: (() => void) | undefined;
  /** Of what waits, and of what is on its way. Made when somebody asks. */
  let gathering: Promised | undefined;
  let underWay: Promised | undefined;

  const fail = async (caught: unknown): Promise<void> => {
    const told = caught instanceof Error ? caught.message : String(caught);
    const found = (await options.diagnose()) ?? { reason: `The disk does not take it (${told}).`, remedy: RETRIED };
    if (failure === undefined)
      log.error({ err: caught, path, ...found }, "the journal cannot be written; publishing is refused");
    failure = found;
    underWay?.reject(notWritable(found, caught));
  };

  const attempt = async (): Promise<void> => {
    hasWork = false;
    isWriting = true;
    underWay = gathering;
    gathering = undefined;
    let group: Group | undefined;
    try {
      group = options.begin();
      if (group !== undefined) await options.commit(group.write);
    } catch (caught) {
      group?.giveBack();
      hasWork = true;
      isWriting = false;
      await fail(caught);
      return;
    }
    try {
      group?.written();
    } finally {
      // It is on the disk, whatever else goes wrong.
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
    const found = await options.diagnose();
    if (found === undefined) {
      await options.revive().then(attempt, async (caught) => {
        await fail(caught);
        refuseGathering();
      });
      return;
    }
    failure = found;
    refuseGathering();
  };

  const start = (work: () => Promise<void>): void => {
    running = work().finally(() => {
      running = undefined;
      underWay = undefined;
      if (isClosing) return;
      if (failure !== undefined) cancelRetry = clock.wakeAt(clock.now() + RETRY_AFTER_MS, () => start(retry));
      else if (hasWork) schedule();
    });
    running.catch((caught) => log.error({ err: caught, path }, "the journal met an error that it does not know"));
  };

  const schedule = (): void => {
    if (isScheduled || running !== undefined || failure !== undefined || isClosing) return;
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
