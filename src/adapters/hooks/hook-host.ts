// A host of hooks, as the daemon sees it: it reads the host's messages. Types only.
import type { Members } from "../../base/members.js";
import type { Wording } from "../../engine/messages/wording.js";
import type { Sign } from "../adapter.js";

/** One message of a host, in signs. Their `turn` is the conversation: its present turn. */
export interface HookReading {
  /** The name of the event. */
  readonly event: string;
  /** The host's id of the conversation. */
  readonly conversation: string;
  readonly folder: string | undefined;
  /** The subagent that the message is about; undefined: the agent itself. */
  readonly actor: string | undefined;
  readonly signs: readonly Sign[];
  /** The tool and its arguments in a message about a call: a question of a host names no call, and is found by them. */
  readonly key?: string;
  /** The call that the message ends, in words: that it began was perhaps not heard. Missing for a call that stays silent. */
  readonly ran?: { readonly name: string; readonly words: string };
  /** The host asks nobody about the call that begins, because of its mode. */
  readonly isUnasked?: true;
  /** The host asks about the call, in its own window only. */
  readonly isAskedThere?: true;
  /** The last message of the agent, which counts if its text was not heard before. */
  readonly lastMessage?: string;
  /** The question has not everything. A yes to it is asked for once more. */
  readonly isCut?: true;
  /** The question stands only while somebody can answer it, because the host shows its own dialog afterwards. */
  readonly needsAudience?: true;
  /** The message counts only in a turn in which the host has asked nothing by a hook. */
  readonly isSpare?: true;
  /** The conversation is over. */
  readonly isLast?: true;
}

export interface HookOptions {
  readonly words: Wording;
  /** Whether listeners may answer. Otherwise questions are announced, and left to the host. */
  readonly answers: boolean;
}

export interface HookHost {
  /** The name on the command line and on the wire. */
  readonly id: HookHostId;
  /** The name for people. */
  readonly name: string;
  /** `producer.agent_id`. */
  readonly agentId: string;
  /** Undefined for a message without an id of its conversation. A message of an unknown event has no signs. */
  readonly read: (message: Members, options: HookOptions) => HookReading | undefined;
}

export const HOOK_HOST_IDS = ["claude", "codex"] as const;
export type HookHostId = (typeof HOOK_HOST_IDS)[number];
