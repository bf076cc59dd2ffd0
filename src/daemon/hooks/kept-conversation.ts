// The daemon's memory of a host's conversation, in this form also for the next boot (R8c).
import type { HookHostId } from "../../adapters/hooks/hook-host.js";
import type { DurableState, StateKey } from "../../contracts/journal.js";

/** A call of a tool that has not ended. */
export interface KeptCall {
  /** The host's id. */
  readonly call: string;
  readonly key: string | undefined;
  readonly actor: string | undefined;
  readonly name: string;
  readonly words: string;
  /** "seen": the host is about to run it, or to ask. "running": told. */
  phase: "seen" | "running";
  /** The consent of the person: in the host's own dialog, or by the reply to the question of this token. */
  consent?: "host" | { readonly token: string };
}

/** A request of the person, as a session of AAEP. */
export interface KeptTurn {
  readonly sessionId: string;
  readonly resumeToken: string;
  /** The last state that was published. */
  told: string;
  outputCount: number;
  /** The open output, and the host's message that it is of. */
  output?: { readonly id: string; readonly message: string } | undefined;
  hasText: boolean;
  hasAsked: boolean;
  calls: KeptCall[];
}

export interface KeptConversation {
  readonly host: HookHostId;
  /** The host's id. */
  readonly conversation: string;
  readonly name: string;
  readonly language: string;
  /** The host's process. */
  readonly pid: number | undefined;
  /** The last message, ms since 1970. */
  seenAt: number;
  turn?: KeptTurn | undefined;
}

/** The last time of each event of a host, ms since 1970. */
type SeenEvents = Readonly<Record<string, number>>;

const CONVERSATION = "hook";
const SEEN = "hook_seen";

/** Values have the form in which the boot before wrote them. */
export function createHooksKept(state: DurableState) {
  const recovered = (key: StateKey) => [...state.recovered(key)];
  return {
    /** Keeps the conversation as it is when the journal writes. */
    put: (id: string, conversation: KeptConversation): void =>
      state.put([CONVERSATION, id], () => structuredClone(conversation)),
    remove: (id: string): void => state.put([CONVERSATION, id], () => undefined),
    putSeen: (host: HookHostId, seen: () => SeenEvents): void => state.put([SEEN, host], seen),
    conversations: () =>
      recovered([CONVERSATION]).map(([[, id = ""], value]) => [String(id), value as KeptConversation] as const),
    seen: (host: HookHostId): SeenEvents => (recovered([SEEN, host])[0]?.[1] as SeenEvents | undefined) ?? {},
  };
}

/** Whether an earlier boot has left a conversation, or events that were seen. */
export function hasKeptHooks(state: DurableState): boolean {
  for (const kind of [CONVERSATION, SEEN]) for (const _ of state.recovered([kind])) return true;
  return false;
}
