// What a scenario is: a conversation from handshake to close, as data. How it is carried out over each transport is in run.ts.
import type { Configuration } from "../../src/daemon/config/config.js";
import type { Lane } from "../support/lanes.js";
import type { Message } from "../support/oracles/wire-sniffer.js";

/**
 * A part of a message, as for `toMatchObject`; a member that is undefined has to be missing. Texts that are `$` and a name stand for what was saved
 * under that name.
 */
export type Part = Readonly<Record<string, unknown>>;

export type Step =
  /** A subscriber connects where it has not, and asks. */
  | {
      readonly do: "subscribe";
      readonly who: string;
      readonly request?: Part;
      readonly answer: Part;
      readonly save?: Saved;
    }
  | {
      readonly do: "renegotiate";
      readonly who: string;
      readonly capabilities: unknown;
      readonly answer: Part;
      readonly save?: Saved;
    }
  /** The next events of a subscriber, all of them and in that order. */
  | { readonly do: "hears"; readonly who: string; readonly events: readonly Part[]; readonly save?: Saved }
  /** Everything up to and with an event of that type, looked at as a whole. */
  | {
      readonly do: "hears all";
      readonly who: string;
      readonly until: string;
      readonly check: (events: readonly Message[], texts: readonly string[]) => void;
    }
  /** The next event of a subscriber is the one that was published as that text: byte for byte where the lane carries text, else an equal document. */
  | { readonly do: "hears text"; readonly who: string; readonly text: string }
  | { readonly do: "hears nothing"; readonly who: string }
  /** So many heartbeats and nothing else where streams have them; elsewhere nothing at all. */
  | { readonly do: "is kept alive"; readonly who: string; readonly times: number }
  /** `status`: how its stream ends after that, where streams have a status. */
  | { readonly do: "is told"; readonly who: string; readonly closing: Part; readonly status?: string }
  /** `counts`: false where it does not. Where a call answers it, the answer says so. */
  | { readonly do: "reply"; readonly who: string; readonly message: Part; readonly counts?: false }
  /** That replies with these tokens did not count, and nothing more of the kind. */
  | { readonly do: "is told not taken"; readonly who: string; readonly tokens: readonly string[] }
  /** The place that all it has heard leads to. */
  | { readonly do: "is told its place"; readonly who: string; readonly save: Saved }
  | { readonly do: "skip"; readonly who: string; readonly params: Part; readonly answer?: Part }
  | { readonly do: "repeat"; readonly who: string; readonly eventId: string; readonly answer?: Part }
  | { readonly do: "leave to the host"; readonly who: string; readonly token: string; readonly answer?: Part }
  | { readonly do: "stop"; readonly who: string; readonly sessionId: string; readonly answer?: Part }
  | {
      readonly do: "list pending";
      readonly who: string;
      readonly questions: readonly Part[];
      readonly save?: Saved;
    }
  | { readonly do: "close"; readonly who: string }
  /** The connection of a subscriber breaks, without a word. */
  | { readonly do: "vanish"; readonly who: string }
  | { readonly do: "publish"; readonly agent?: string; readonly events: readonly Part[]; readonly save?: Saved }
  | { readonly do: "publish text"; readonly agent?: string; readonly text: string }
  | { readonly do: "is refused"; readonly agent?: string; readonly events: readonly Part[]; readonly error: Part }
  | {
      readonly do: "call";
      readonly agent?: string;
      readonly method: string;
      readonly params?: Part;
      readonly answer?: Part;
      readonly error?: Part;
      readonly save?: Saved;
    }
  | {
      readonly do: "notify";
      readonly agent?: string;
      readonly method: string;
      readonly params: unknown;
      readonly error?: Part;
    }
  | { readonly do: "agent leaves"; readonly agent?: string }
  | { readonly do: "advance"; readonly ms: number }
  /** The parent's end of standard input, or SIGTERM where there is no parent. */
  | { readonly do: "end" };

/** By a name of its own, what stands at a path: `events.0.event_id`. */
export type Saved = Readonly<Record<string, string>>;

export interface Scenario {
  readonly name: string;
  readonly configuration?: Partial<Configuration>;
  readonly steps: readonly Step[];
  /** Why it cannot be told over a lane; undefined where it can. */
  readonly skip?: (lane: Lane) => string | undefined;
  /** Which lanes show it in a short run, where others show only a part of it. */
  readonly short?: (lane: Lane) => boolean;
}

/** Why a lane cannot tell a scenario; undefined where it can. */
export function skipReason(scenario: Scenario, lane: Lane): string | undefined {
  if (lane.transport === "child") {
    if (scenario.steps.some((step) => step.do === "advance")) return "a process has a clock of its own";
    if (scenario.configuration !== undefined) return "a process has a configuration of its own";
  }
  const isSingle = lane.transport === "stdio" || lane.transport === "child";
  if (isSingle && scenario.steps.some((step) => step.do === "vanish" || step.do === "agent leaves")) {
    return "a spawned daemon has one connection to its parent, which is agent and subscriber in one";
  }
  return scenario.skip?.(lane);
}
