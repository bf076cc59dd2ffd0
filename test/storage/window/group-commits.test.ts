import { expect, it } from "vitest";
import type { JournalFailure } from "../../../src/contracts/journal.js";
import { type Group, GroupCommits } from "../../../src/storage/window/group-commits.js";
import { collectLog } from "../../support/collected-log.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const told = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Faults {
  /** What was written leaves something for the next group. */
  isLeaving?: boolean;
  prepare?: Error | undefined;
  begin?: Error | undefined;
  written?: Error | undefined;
  commit?: Error | undefined;
  revive?: Error | undefined;
  cause?: JournalFailure | undefined;
}

function rig() {
  const clock = createVirtualClock();
  const log = collectLog();
  const faults: Faults = {};
  let writtenCount = 0;
  const fail = (fault: Error | undefined): void => {
    if (fault !== undefined) throw fault;
  };
  const group: Group = {
    batch: {
      blocks: [],
      removed: [],
      state: [],
      totals: { eventCount: 0, bytes: 0, head: 0, lostThrough: 0 },
    },
    written: () => {
      writtenCount += 1;
      if (faults.isLeaving === true) commits.request();
      fail(faults.written);
    },
    giveBack: () => undefined,
  };
  const commits = new GroupCommits({
    clock,
    log,
    path: "journal",
    store: {
      write: async () => {
        fail(faults.commit);
      },
      recover: async () => {
        fail(faults.revive);
        if (faults.cause !== undefined) return { kind: "failing", failure: faults.cause };
        return {
          kind: "ready",
          id: "a".repeat(32),
          totals: group.batch.totals,
          firstEpoch: 1,
          state: () => [],
        };
      },
    },
    prepare: () => fail(faults.prepare),
    begin: () => {
      fail(faults.begin);
      return group;
    },
    pendingBytes: () => 0,
  });
  const outcome = (): Promise<unknown> => {
    commits.request();
    return Promise.resolve(commits.pending()).then(
      () => "safe",
      (caught: { readonly code: string }) => caught.code,
    );
  };
  const pass = async (ms = 0): Promise<void> => {
    clock.advance(ms);
    await told();
    clock.advance(0);
    await told();
  };
  return { log, faults, commits, outcome, pass, writtenCount: () => writtenCount };
}

it.each(["prepare", "begin"] as const)(
  "R29: a group whose %s fails is refused to its publishers, and made again",
  async (step) => {
    const { faults, outcome, pass, commits } = rig();
    faults[step] = new Error("out of order");
    const refused = outcome();
    await pass();
    expect(await refused).toBe("storage_unavailable");
    expect(commits.failure?.reason).toContain("out of order");
    faults[step] = undefined;
    const accepted = outcome();
    await pass(1000);
    expect(await accepted).toBe("safe");
    expect(commits.failure).toBeUndefined();
  },
);

it("R29: who waits hears of it also while the file cannot be opened again", async () => {
  const { faults, outcome, pass } = rig();
  faults.commit = new Error("no");
  const first = outcome();
  await pass();
  expect(await first).toBe("storage_unavailable");
  faults.revive = new Error("gone");
  const second = outcome();
  await pass(1000);
  expect(await second).toBe("storage_unavailable");
  faults.revive = undefined;
  faults.commit = undefined;
  const third = outcome();
  await pass(1000);
  expect(await third).toBe("safe");
});

it("R29: while the store names a cause nothing is written, and the cause is the refusal", async () => {
  const { faults, outcome, pass, commits, writtenCount } = rig();
  const cause = { reason: "The disk is full.", remedy: "Make room on it." };
  faults.commit = new Error("no");
  faults.cause = cause;
  const first = outcome();
  await pass();
  expect(await first).toBe("storage_unavailable");
  faults.commit = undefined;
  const second = outcome();
  await pass(1000);
  expect(await second).toBe("storage_unavailable");
  expect([commits.failure, writtenCount()]).toEqual([cause, 0]);
  faults.cause = undefined;
  await pass(1000);
  expect([commits.failure, writtenCount()]).toEqual([undefined, 1]);
});

it("R29: what is on the disk is safe, whatever goes wrong after it", async () => {
  const { faults, outcome, pass, log, writtenCount } = rig();
  faults.written = new Error("an accident");
  const accepted = outcome();
  await pass();
  expect(await accepted).toBe("safe");
  expect(writtenCount()).toBe(1);
  expect(log.lines.map(({ level }) => level)).toEqual(["error"]);
});

it("what is left to be tidied up when it is closed is no loss, and not told as one", async () => {
  const { commits, log, faults, writtenCount } = rig();
  faults.isLeaving = true;
  commits.request();
  await commits.close();
  expect(writtenCount()).toBe(1);
  expect(log.lines).toEqual([]);
});
