// The base addresses of listeners, as a running daemon knows them: `aaepd address` changes their file at any time.
import { join } from "node:path";
import { currentPlace, fileNameOf } from "../../../transports/ipc/paths.js";
import { faultFrom } from "../../base/errors.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { OwnAddress } from "../../protocols/aaep/services/event-streams.js";
import { digestOf, fileStatus, type ListenerAddress, readAddresses } from "../../security/listener-addresses.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { stateDirectory } from "../platform/state-directory.js";

/** How soon a stream ends after its address was revoked, ms. */
const LOOK_EVERY_MS: Millis = 2000;

export function addressesPath(environment: Readonly<Record<string, string | undefined>>, producerId: string): string {
  return join(stateDirectory(environment, "addresses"), `${fileNameOf(producerId)}.json`);
}

/** Most that an address may say to agents in a second, and the longest text of it, UTF-16 units. */
const MOST_SAID_A_SECOND = 10;
const LONGEST_SAID = 4096;

interface Known {
  readonly stored: ListenerAddress;
  readonly address: OwnAddress;
  readonly revoked: (() => void)[];
}

/** The addresses of a daemon. `userInput` takes what a person says where an address may. */
export function openAddresses(options: DaemonOptions, userInput: (text: string) => void) {
  const { clock, log, producerId, place = currentPlace() } = options;
  const path = addressesPath(place.environment, producerId);
  const known = new Map<string, Known>();
  let readAt = "";
  let cancelLook = (): void => {};

  /** Reads the file again if it was changed. A file that cannot be read has no addresses. */
  const refresh = (): void => {
    const status = fileStatus(path);
    const changedAt = status === undefined ? "" : `${status.mtimeMs} ${status.size} ${status.ino} ${status.mode}`;
    if (changedAt !== readAt) {
      readAt = changedAt;
      try {
        take(readAddresses(path, place.userId));
      } catch (caught) {
        log.warn({ reason: faultFrom(caught).sentence }, "no listener has an address");
        take([]);
      }
    }
    cancelLook();
    if (known.size > 0) cancelLook = clock.wakeAt(clock.now() + LOOK_EVERY_MS, refresh);
  };

  const take = (stored: readonly ListenerAddress[]): void => {
    const valid = new Map(stored.map((one) => [one.secret_sha256, one]));
    for (const [digest, { stored: before, revoked }] of known) {
      // Other terms are another address.
      if (JSON.stringify(valid.get(digest)) === JSON.stringify(before)) continue;
      known.delete(digest);
      for (const run of revoked) run();
    }
    for (const [digest, one] of valid) {
      if (known.has(digest)) continue;
      const revoked: (() => void)[] = [];
      const { name, capabilities } = one;
      const address = {
        name,
        capabilities,
        userInput: one.user_input ? limited(userInput, clock) : undefined,
        whenRevoked: (run: () => void) => void revoked.push(run),
      };
      known.set(digest, { stored: one, address, revoked });
    }
  };

  return {
    /** The address with a secret: the same object as long as it is valid. */
    find: (secret: string): OwnAddress | undefined => {
      refresh();
      return known.get(digestOf(secret))?.address;
    },
    stop: (): void => cancelLook(),
  };
}

/** Takes as much as people say. The rest has no effect, as an answer that does not count. */
function limited(userInput: (text: string) => void, clock: Pick<Clock, "now">): (text: string) => void {
  let since = clock.now();
  let count = 0;
  return (text) => {
    const now = clock.now();
    if (now - since >= 1000) [since, count] = [now, 0];
    count += 1;
    if (count <= MOST_SAID_A_SECOND && text.length <= LONGEST_SAID) userInput(text);
  };
}
