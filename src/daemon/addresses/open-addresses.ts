// The base addresses of listeners, as a running daemon knows them: `aaepd address` changes their file at any time.
import { join } from "node:path";
import { currentPlace, fileNameOf } from "../../../transports/ipc/paths.js";
import { faultFrom } from "../../base/errors.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
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

/** The addresses of a daemon. `userInput` takes what a person says where an address may. */
export function openAddresses(options: DaemonOptions, userInput: (text: string) => void): OpenAddresses {
  const { clock, log, producerId, place = currentPlace() } = options;
  const path = addressesPath(place.environment, producerId);
  return new OpenAddresses(path, { clock, log, userId: place.userId, userInput });
}

interface Known {
  readonly stored: ListenerAddress;
  readonly address: OwnAddress;
  readonly revoked: (() => void)[];
}

class OpenAddresses {
  private readonly path: string;
  private readonly services: OpenAddressServices;
  private readonly known = new Map<string, Known>();
  private readAt = "";
  private cancelLook = (): void => {};

  constructor(path: string, services: OpenAddressServices) {
    this.path = path;
    this.services = services;
  }

  /** The address with a secret: the same object as long as it is valid. */
  find(secret: string): OwnAddress | undefined {
    this.refresh();
    return this.known.get(digestOf(secret))?.address;
  }

  stop(): void {
    this.cancelLook();
  }

  /** Reads the file again if it was changed. A file that cannot be read has no addresses. */
  private refresh(): void {
    const { userId, log, clock } = this.services;
    const status = fileStatus(this.path);
    const readAt = status === undefined ? "" : `${status.mtimeMs} ${status.size} ${status.ino} ${status.mode}`;
    if (readAt !== this.readAt) {
      this.readAt = readAt;
      try {
        this.take(readAddresses(this.path, userId));
      } catch (caught) {
        log.warn({ reason: faultFrom(caught).sentence }, "no listener has an address");
        this.take([]);
      }
    }
    this.cancelLook();
    if (this.known.size > 0) this.cancelLook = clock.wakeAt(clock.now() + LOOK_EVERY_MS, () => this.refresh());
  }

  private take(stored: readonly ListenerAddress[]): void {
    const valid = new Map(stored.map((one) => [one.secret_sha256, one]));
    for (const [digest, { stored: before, revoked }] of this.known) {
      // Other terms are another address.
      if (JSON.stringify(valid.get(digest)) === JSON.stringify(before)) continue;
      this.known.delete(digest);
      for (const run of revoked) run();
    }
    for (const [digest, one] of valid) {
      if (this.known.has(digest)) continue;
      const revoked: (() => void)[] = [];
      const userInput = one.user_input ? this.limited(this.services.userInput) : undefined;
      const { name, capabilities } = one;
      const address = { name, capabilities, userInput, whenRevoked: (run: () => void) => void revoked.push(run) };
      this.known.set(digest, { stored: one, address, revoked });
    }
  }

  /** Takes as much as people say. The rest has no effect, as an answer that does not count. */
  private limited(userInput: (text: string) => void): (text: string) => void {
    let since = this.services.clock.now();
    let count = 0;
    return (text) => {
      const now = this.services.clock.now();
      if (now - since >= 1000) [since, count] = [now, 0];
      count += 1;
      if (count <= MOST_SAID_A_SECOND && text.length <= LONGEST_SAID) userInput(text);
    };
  }
}

interface OpenAddressServices {
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  readonly log: Pick<Log, "warn">;
  readonly userId: number | undefined;
  readonly userInput: (text: string) => void;
}
