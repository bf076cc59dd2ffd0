// The answer to `aaepd.status`, as it is on the wire. docs/status.md explains each member.
import type { RelayReport } from "../../adapters/relay/relay-report.js";
import type { statusDocument } from "./status-document.js";

/** An object without its undefined members, which JSON leaves out. */
type Sent<Told> = Told extends readonly (infer One)[]
  ? readonly Sent<One>[]
  : Told extends object
    ? { readonly [Name in keyof Told as undefined extends Told[Name] ? never : Name]: Sent<Told[Name]> } & {
        readonly [Name in keyof Told as undefined extends Told[Name] ? Name : never]?: Sent<Told[Name]>;
      }
    : Told;

export interface DaemonStatus extends Sent<ReturnType<typeof statusDocument>> {
  /** Events of hooks that were seen, by host: the last time of each. */
  readonly hooks?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of each relay that is connected to the daemon. Missing without any. */
  readonly relays?: readonly RelayReport[];
}

export type StatusProblem = DaemonStatus["problems"][number];
export type StatusJournal = DaemonStatus["journal"];
export type StatusSession = DaemonStatus["sessions"][number];
export type StatusTool = NonNullable<StatusSession["tools"]>[number];
export type StatusSubscription = DaemonStatus["subscriptions"][number];
export type StatusTerms = StatusSubscription["terms"];
export type StatusQuestion = DaemonStatus["questions"][number];
