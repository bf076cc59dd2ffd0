// Mutual exclusion between processes that start on one address. Each contender makes a file of its own beside the socket, then looks for others. A
// contender that sees none holds the claim; one that sees another withdraws and tries again. Of two contenders at least one sees the other, because
// each looks after it has made its file. Names are never used twice, so any process may remove a dead contender's file without a race: no claim
// outlives a killed process (U1).
import { randomBytes, randomInt } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Fault } from "../../src/base/errors.js";
import { faultFromNodeError, isMissing, isNoSuchProcess } from "../node-errors.js";

/**
 * Age limit of a claim, ms. Work under a claim takes well under a second; an older claim belongs to a killed process whose number is in use again.
 */
const LONGEST_CLAIM_MS = 5000;
const GIVE_UP_MS = 10_000;

/** Runs `work` while no other process runs its own for the same `path`. The folder of `path` must be private. */
export async function withClaim<Answer>(path: string, work: () => Promise<Answer>): Promise<Answer> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    const claim = makeClaim(path);
    try {
      if (!othersClaim(path, claim)) return await work();
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

function othersClaim(path: string, own: string): boolean {
  const prefix = claimPrefix(path);
  const directory = dirname(path);
  return readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && name !== basename(own))
    .some((name) => isLive(join(directory, name), Number.parseInt(name.slice(prefix.length), 10)));
}

/** Returns whether the claim's process is alive; removes the claim if not. */
function isLive(claim: string, pid: number): boolean {
  try {
    const ageMs = Date.now() - statSync(claim).mtimeMs;
    if (ageMs < LONGEST_CLAIM_MS && isProcess(pid)) return true;
  } catch (caught) {
    if (isMissing(caught)) return false;
    throw faultFromNodeError(caught, claim);
  }
  rmSync(claim, { force: true });
  return false;
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
