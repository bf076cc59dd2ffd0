import { expect, it } from "vitest";
import { createGroupCommits, type Group } from "../../src/storage/group-commits.js";
import { collectLog } from "../support/collected-log.js";
import { createVirtualClock } from "../support/rigs/virtual-clock.js";

const told = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Faults {
  /** What was written leaves something for the next group. */
  isLeaving?: boolean;
  begin?: Error | undefined;
  written?: Error | undefined;
  commit?: Error | undefined;
  revive?: Error | undefined;
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
    write: () => undefined,
    written: () => {
      writtenCount += 1;
      if (faults.isLeaving === true) commits.request();
      fail(faults.written);
    },
    giveBack: () => undefined,
  };
  const commits = createGroupCommits({
    clock,
    log,
    path: "journal",
    begin: () => {
      fail(faults.begin);
      return group;
    },
    commit: async () => fail(faults.commit),
    revive: async () => fail(faults.revive),
    diagnose: async () => undefined,
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

it("R29: a group that cannot be made is told to who waits for it, and made again", async () => {
  const { faults, outcome, pass, commits } = rig();
  faults.begin = new Error("out of order");
  const refused = outcome();
  await pass();
  expect(await refused).toBe("storage_unavailable");
  expect(commits.failure()?.reason).toContain("out of order");
  faults.begin = undefined;
  const accepted = outcome();
  await pass(1000);
  expect(await accepted).toBe("safe");
  expect(commits.failure()).toBeUndefined();
});

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
