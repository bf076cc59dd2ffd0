import type { AkashikFieldCapabilities } from "#gen/akashik/types.js";
import type { AccessPolicy } from "../../../contracts/access.js";
import type { Clock } from "../../../contracts/clock.js";
import type { Log } from "../../../contracts/log.js";
import type { Engine } from "../../../engine/engine.js";
import type { Field } from "../field/field.js";

export interface AkashikServices {
  readonly engine: Pick<Engine, "refused">;
  readonly field: Field;
  readonly access: AccessPolicy;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  readonly log: Pick<Log, "error">;
  /** Draws the id of a notification's envelope. */
  readonly newId: () => string;
  /** Resolves when everything kept so far is as safe as the journal's policy makes it (R29); undefined: it is. Rejects if it could not be written. */
  readonly whenDurable: () => Promise<void> | undefined;
  /** Throws a Fault "storage_unavailable" while nothing can be kept. */
  readonly assertKeeps: () => void;
  readonly persistence: AkashikFieldCapabilities["persistence"];
}
