// Tells a person at a terminal that a daemon listens, and what can be done with it.
import { WAY_NAMES, WAYS } from "../../../transports/ways.js";
import { shownText } from "../terminal/shown-text.js";
import { timeOfDay } from "../terminal/time-of-day.js";

export interface Ready {
  readonly producerId: string;
  /** Addresses by way. */
  readonly endpoints: Readonly<Record<string, string | readonly string[]>>;
  readonly tokenPath: string | undefined;
}

/** One sentence a line. */
export function readySentences({ producerId, endpoints, tokenPath }: Ready, now: Date): readonly string[] {
  const addresses = WAY_NAMES.flatMap((name) =>
    [endpoints[name] ?? []].flat().map((address) => `${WAYS[name].label} at ${address}`),
  );
  const served =
    addresses.length === 0 ? "It opens no address." : `Agents and listeners reach it by ${listed(addresses)}.`;
  const token = tokenPath === undefined ? "" : ` Callers over TCP need the token in ${tokenPath}.`;
  return [
    `${timeOfDay(now)} The daemon ${producerId} is running. ${served}${token}`,
    "To hear its events, run aaepd tail in another terminal. To stop it, press Ctrl-C here.",
  ].map(shownText);
}

function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}
