// Calls of tools in a session: their invocation, progress and end, each in its place among the other intents.
import type { Members } from "../../base/members.js";
import type { Timers } from "../timers.js";
import { withOwn } from "./own-extension.js";
import type { Taken, Voice } from "./voice.js";

/** One call of a tool. */
export interface OpenCall {
  /** Whether a daemon has the invocation. False: it was refused, or its session is lost. */
  readonly isTaken: Promise<boolean>;
  readonly progress: (progress: Members) => void;
  /** Completes the call, once. `members` are those of `tool.completed` besides the call's own. */
  readonly end: (members: Members) => void;
}

export interface CallSpec {
  /** The call's id in AAEP's form, or the id that its host has for it (R5c). */
  readonly id: { readonly tool_call_id: string } | { readonly call_id: string };
  /** A name that AAEP has. */
  readonly tool: string;
  /** Further members of `tool.invoked`. */
  readonly members: Members;
  /** The AAEP session in which a permission for the call is good. Undefined: the call needs none. */
  readonly permit?: Voice | undefined;
}

type Add = (
  render: (voice: Voice) => readonly Members[],
  settled?: (taken: Taken) => void,
  isEssential?: boolean,
) => boolean;

/** Returns the function that invokes a tool. Nothing of a call is published after its session is over. */
export function createCalls(
  add: Add,
  timers: Pick<Timers, "now">,
  isOver: () => boolean,
): (spec: CallSpec) => OpenCall {
  return ({ id, tool, members, permit }) => {
    const key = "call_id" in id ? `host ${id.call_id}` : id.tool_call_id;
    /** An event about the call. */
    const about = (fields: Members): Members => ("call_id" in id ? withOwn(fields, id) : { ...fields, ...id });
    const since = timers.now();
    let isOpen = false;
    const isTaken = new Promise<boolean>((resolve) => {
      let isOutOfPlace = false;
      const invoke = (voice: Voice): readonly Members[] => {
        // A permission is good in its own session only.
        isOutOfPlace = permit !== undefined && permit !== voice;
        if (isOutOfPlace) return [];
        voice.openTools.set(key, about({ tool }));
        return [...voice.state("calling_tool"), voice.event("tool.invoked", about({ tool, ...members }))];
      };
      isOpen = !isOver() && add(invoke, (taken) => resolve(taken === "taken" && !isOutOfPlace));
      if (!isOpen) resolve(false);
    });
    return {
      isTaken,
      progress: (progress) => {
        if (!isOpen || isOver()) return;
        add((voice) => {
          if (!voice.openTools.has(key)) return [];
          // A progress names its call in the daemon's extension, whichever id the call has.
          return [voice.event("progress.updated", withOwn({ progress }, id))];
        });
      },
      end: (ending) => {
        const duration_ms = Math.round(timers.now() - since);
        const complete = (voice: Voice): readonly Members[] => {
          if (!voice.openTools.delete(key)) return [];
          const completed = voice.event("tool.completed", about({ tool, duration_ms, ...ending }));
          return [completed, ...(voice.openTools.size === 0 ? voice.state("thinking") : [])];
        };
        if (isOpen && !isOver()) add(complete, undefined, true);
        isOpen = false;
      },
    };
  };
}
