// The conversations of hosts whose hooks run as a process each: the daemon owns their sessions (R8c).

import { isProcess } from "../../../transports/ipc/claim.js";
import { type ClaimedName, claimName } from "../../adapters/claim-name.js";
import { permissionOutput } from "../../adapters/hooks/hook-events.js";
import { HOOK_HOST_IDS, type HookHostId, type HookReading } from "../../adapters/hooks/hook-host.js";
import { HOOK_HOSTS } from "../../adapters/hooks/hook-hosts.js";
import { speechOf } from "../../adapters/language.js";
import { agentName } from "../../adapters/names.js";
import { Fault } from "../../base/errors.js";
import { assertMay } from "../../base/permission.js";
import type { Access } from "../../contracts/access.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { AgentHandle } from "../../engine/agents/agent-handle.js";
import type { Engine } from "../../engine/engine.js";
import type { Caller } from "../../protocols/aaep/sessions/rpc-session.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { hostProcess, processTable } from "../platform/process-lineage.js";
import { type Conversation, createConversation } from "./conversation.js";
import { type HookCall, readHookParams } from "./hook-params.js";
import { createHooksKept, type KeptConversation } from "./kept-conversation.js";

/** A conversation of which nothing is heard for so long is over (R8c). */
const SILENCE_MS: Millis = 30 * 60_000;
/** Of more conversations at a time, the one that was silent longest ends. */
const MOST_CONVERSATIONS = 64;

export interface HookHostServices {
  readonly engine: Engine;
  readonly journal: Pick<Journal, "durableState">;
  readonly clock: Clock;
  readonly log: Log;
  /** The folder beside the sockets in which names in use are noted. */
  readonly runtimeFolder: string | undefined;
}

interface Open {
  readonly id: string;
  readonly kept: KeptConversation;
  readonly agent: AgentHandle;
  /** The processes of its host. */
  readonly hosts: Set<number>;
  readonly conversation: Conversation;
  readonly releaseName: () => void;
  cancelSilence: () => void;
}

/** Takes over the conversations of the boot before. */
export function startHookHost(options: DaemonOptions, services: HookHostServices) {
  const { engine, clock, log } = services;
  const state = createHooksKept(services.journal.durableState);
  /** The one that was silent longest comes first. */
  const open = new Map<string, Open>();
  const seen = createSeenEvents(state, clock);

  const unheard = (caught: unknown): void => {
    const why = caught instanceof Fault ? { reason: caught.sentence } : { err: caught };
    log.warn(why, "an event of a hook could not be published");
  };
  const hasAudience = (sessionId: string): boolean =>
    engine.report().questions.some((one) => one.sessionId === sessionId && one.ableCount > 0);

  const isGone = ({ hosts }: Open): boolean => hosts.size > 0 && ![...hosts].some(isProcess);
  /** The name, with a number if an agent has it. A conversation whose host went without a word ends here, and has the name no longer. */
  const claim = (name: string): ClaimedName => {
    for (let number = 2, numbered = name; ; number++) {
      const holder = [...open.values()].find(({ kept }) => kept.name === numbered);
      if (holder !== undefined && isGone(holder)) end(holder);
      else if (holder !== undefined) {
        numbered = `${name} ${number}`;
        continue;
      }
      return claimName(numbered, services.runtimeFolder, process.getuid?.());
    }
  };
  const listen = (one: Open, from: number): void => {
    one.cancelSilence();
    one.cancelSilence = clock.wakeAt(clock.now() + Math.max(0, SILENCE_MS - (clock.wallTime() - from)), () => end(one));
    open.delete(one.id);
    open.set(one.id, one);
  };
  const end = (one: Open): void => {
    one.conversation.end();
    close(one);
    state.remove(one.id);
  };
  const close = (one: Open): void => {
    one.cancelSilence();
    one.conversation.close();
    one.releaseName();
    open.delete(one.id);
  };

  /** Speaks for a conversation. A turn of the boot before that cannot be taken over is gone. */
  const add = (id: string, kept: KeptConversation, releaseName: () => void): Open => {
    const { agentId } = HOOK_HOSTS[kept.host];
    const agent = engine.openAgent({ agent_id: agentId, agent_name: kept.name }, undefined);
    agent.setIdentity({ agent_id: agentId, agent_name: kept.name }, kept.language);
    agent.addProcess(kept.pid, true);
    if (kept.turn !== undefined) {
      try {
        const summary = agent.resumeSession(kept.turn.sessionId, kept.turn.resumeToken);
        // The processes that waited for an answer are gone.
        for (const { token } of summary.openQuestions) agent.cancel(token);
      } catch {
        kept.turn = undefined;
      }
    }
    const { words } = speechOf(kept.language, {});
    const conversation = createConversation(kept, {
      agent,
      words,
      clock,
      ids: options.ids,
      hasAudience,
      changed: () => state.put(id, kept),
      unheard,
    });
    const hosts = new Set(kept.pid === undefined ? [] : [kept.pid]);
    const one: Open = { id, kept, agent, hosts, conversation, releaseName, cancelSilence: () => {} };
    listen(one, kept.seenAt);
    return one;
  };

  /**
   * Whether a question of this process may be answered. A listener below any host of the conversation does not answer: the process with which it
   * began may be anybody's, because anybody can begin one (R5d).
   */
  const isGuarded = ({ agent, hosts }: Open, caller: readonly number[]): boolean => {
    for (const pid of caller) {
      if (hosts.size >= MOST_HOSTS && !hosts.has(pid)) return false;
      hosts.add(pid);
      agent.addProcess(pid, true);
    }
    return true;
  };

  const begin = (
    id: string,
    { host, name, ...call }: HookCall,
    [pid]: readonly number[],
    { conversation, folder = "" }: HookReading,
  ) => {
    const [silent] = open.values();
    if (open.size >= MOST_CONVERSATIONS && silent !== undefined) end(silent);
    const { language, words } = speechOf(call.language, { LANG: call.locale });
    const claimed = claim(agentName(name, host.name, folder, words));
    const kept: KeptConversation = {
      host: host.id,
      conversation,
      name: claimed.name,
      language,
      pid,
      seenAt: clock.wallTime(),
    };
    return add(id, kept, claimed.release);
  };

  for (const [id, kept] of state.conversations()) {
    const claimed = claim(kept.name);
    if (kept.turn !== undefined) {
      const one = add(id, kept, claimed.release);
      if (isGone(one)) end(one);
    } else {
      claimed.release();
      state.remove(id);
    }
  }

  return {
    /** Takes one message of a host. Resolves with the output of the host's process, if there is any. Rejects with a Fault for wrong params. */
    take: async (
      params: unknown,
      access: Access,
      { whenLeft, processId }: Caller,
    ): Promise<{ readonly output?: object }> => {
      assertMay(access, "publish");
      const call = readHookParams(params);
      const { host, isClear, answers } = call;
      const { words } = speechOf(call.language, { LANG: call.locale });
      const read = (mayAnswer: boolean) => host.read(call.message, { words, answers: mayAnswer });
      let reading = read(answers && isClear && access.may("ask"));
      if (reading === undefined) return {};
      seen.note(host.id, reading.event);
      const id = options.sha256Hex(`${host.id}\0${reading.conversation}`).slice(0, 32);
      // Nothing is to be said of a conversation before its first turn.
      if (reading.signs.length === 0 && !open.has(id)) return {};
      const asks = reading.signs.some(({ kind }) => kind === "question");
      const caller = asks || !open.has(id) ? hostsOf(call, processId) : [];
      const one = open.get(id) ?? begin(id, call, caller, reading);
      if (asks && !isGuarded(one, caller)) reading = read(false) ?? reading;
      listen(one, clock.wallTime());
      const decision = await one.conversation.take(reading, whenLeft);
      if (reading.isLast === true && open.get(id) === one) end(one);
      return decision === undefined ? {} : { output: permissionOutput(decision) };
    },
    report: seen.report,
    /** Leaves open turns to the engine. */
    stop: (): void => {
      for (const one of [...open.values()]) close(one);
    },
  };
}

/** Most processes of the host of one conversation. With more of them, somebody pretends, and questions are left to the host's own dialog. */
const MOST_HOSTS = 16;

/** The process of the host: first that which the kernel tells, then that which the caller tells. */
function hostsOf({ pid }: Pick<HookCall, "pid">, processId: number | undefined): readonly number[] {
  const factsOf = processTable();
  const parents = [processId === undefined ? undefined : factsOf(processId)?.parent, pid];
  return parents.flatMap((parent) => (parent === undefined ? [] : (hostProcess(parent, factsOf) ?? [])));
}

/** Names of events that are remembered of a host, at most, and UTF-16 units of one. */
const MOST_EVENTS = 64;
const LONGEST_EVENT = 64;

function createSeenEvents(state: ReturnType<typeof createHooksKept>, clock: Pick<Clock, "wallTime">) {
  const seen = new Map(HOOK_HOST_IDS.map((host) => [host, new Map(Object.entries(state.seen(host)))]));
  return {
    note: (host: HookHostId, event: string): void => {
      const times = seen.get(host);
      if (times === undefined || event.length > LONGEST_EVENT || (!times.has(event) && times.size >= MOST_EVENTS))
        return;
      times.set(event, clock.wallTime());
      state.putSeen(host, () => Object.fromEntries(times));
    },
    /** The events of each host that were seen, with their last times, RFC 3339. */
    report: (): Readonly<Partial<Record<HookHostId, Readonly<Record<string, string>>>>> => {
      const timesOf = (times: ReadonlyMap<string, number>) =>
        Object.fromEntries([...times].map(([event, at]) => [event, new Date(at).toISOString()]));
      const known = [...seen].filter(([, times]) => times.size > 0);
      return Object.fromEntries(known.map(([host, times]) => [host, timesOf(times)]));
    },
  };
}
