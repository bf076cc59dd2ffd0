// Mutual exclusion between processes that start on one address. Each contender makes a file of its own beside the socket, then looks for others. A
// contender that sees none holds the claim; one that sees another withdraws and tries again. Of two contenders at least one sees the other, because
// each looks after it has made its file. Names are never used twice, so any process may remove a dead contender's file without a race: no claim
// outlives a killed process.
import { randomBytes, randomInt } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Fault } from "../../src/base/errors.js";
import { faultFromNodeError, isNoSuchProcess } from "../node-errors.js";

/**
 * Longest time for which a contender sees one claim, ms. Work under a claim takes well under a second; a claim that stays belongs to a killed process
 * whose number is in use again. The contender's own monotonic clock counts: the clock on the wall, and with it a file's time, may be set (R40).
 */
const LONGEST_CLAIM_MS = 5000;
const GIVE_UP_MS = 10_000;

/** Runs `work` while no other process runs its own for the same `path`. The folder of `path` must be private. */
export async function withClaim<Answer>(path: string, work: () => Promise<Answer>): Promise<Answer> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  const seenSince = new Map<string, number>();
  for (;;) {
    const claim = makeClaim(path);
    try {
      if (!othersClaim(path, claim, seenSince)) return await work();
    } finally {
      rmSync(claim, { force: true });
    }
    if (performance.now() > giveUpAt) {
      throw new Fault(
        "address_in_use",
        `Other processes keep starting on ${path}. Try again, or choose another path.`,
        { origin: "local" },
      );
    }
    await delay(randomInt(3, 20));
  }
}

function claimPrefix(path: string): string {
  return `.${basename(path)}.claim-`;
}

function makeClaim(path: string): string {
  const claim = join(dirname(path), `${claimPrefix(path)}${process.pid}-${randomBytes(8).toString("hex")}`);
  try {
    closeSync(openSync(claim, "wx", 0o600));
  } catch (caught) {
    throw faultFromNodeError(caught, claim);
  }
  return claim;
}

/** Removes the claims of processes that have ended. `seenSince`: when this contender first saw each claim of another. */
function othersClaim(path: string, own: string, seenSince: Map<string, number>): boolean {
  const prefix = claimPrefix(path);
  const directory = dirname(path);
  const others = readdirSync(directory).filter((name) => name.startsWith(prefix) && name !== basename(own));
  const now = performance.now();
  const live = others.filter((name) => {
    if (!seenSince.has(name)) seenSince.set(name, now);
    const isFresh = now - (seenSince.get(name) ?? now) < LONGEST_CLAIM_MS;
    if (isFresh && isProcess(Number.parseInt(name.slice(prefix.length), 10))) return true;
    rmSync(join(directory, name), { force: true });
    return false;
  });
  return live.length > 0;
}

/** Whether a process of that number runs, ours or another user's. */
export function isProcess(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (caught) {
    return !isNoSuchProcess(caught);
  }
  return !hasEnded(pid);
}

/** Whether the process has ended and only its number is left, because its parent has not yet read its exit. Known on Linux only. */
function hasEnded(pid: number): boolean {
  try {
    // The name may contain brackets; the state follows the last of them.
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
