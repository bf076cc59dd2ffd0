// Agents that make single calls (R8): between them an agent is known by a key, and what it has is kept for a while beyond the end of its last call.
import { Fault } from "../../../base/errors.js";
import type { IdSource } from "../../../base/ids.js";
import type { Access, AccessPolicy } from "../../../contracts/access.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { ServiceCall } from "../../../contracts/service.js";
import type { AgentHandle } from "../../../engine/agents/agent-handle.js";
import type { Engine } from "../../../engine/engine.js";
import { type AgentHandler, createAgentHandler } from "../agent/agent-handler.js";
import type { SpokenLanguages } from "../subscriber/spoken-languages.js";

/** Agents by single calls that may be there at a time. A further one takes the place of the idle one that was used longest ago. */
export const MAX_LEASES = 4096;

/** Calls that are under way end soon, but for questions that people think about. */
const RETRY_SECONDS = 5;

export interface AgentLeaseServices {
  readonly engine: Pick<Engine, "openAgent" | "holderOf" | "publishRefused">;
  readonly languages: SpokenLanguages;
  /** An agent keeps the access of the call that made it; the agent's key stands for that access (R36). */
  readonly access: AccessPolicy;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** How long an agent is kept after its last call, ms (R8, `agent_idle_seconds`). Asked at the end of each. */
  readonly agentIdleMs: () => Millis;
}

/** What a call shows. */
export interface LeaseClaim {
  /** Whose it is, with all that this agent has. */
  readonly agentKey: string | undefined;
  /** Opens one session and nothing else, whosever it is: it tells the call neither who has that session nor what else they have. */
  readonly resumeToken: string | undefined;
}

export interface AgentLeases {
  /**
   * Makes a call as the agent of `agentKey`, else as a new one; with `resumeToken`, whoever has that session is kept too. A new one that comes out of
   * its first call with no session, no open question and no identity is let go of at once: `agentKey` is undefined then. It is the key that was
   * shown, or that of an agent which this call made. A call keeps its agent until it is answered or aborted. Rejects with `not_found` for a key that
   * is not known or not any more, `rate_limit` where too many agents have a call under way, `shutting_down` after `close`, and with what
   * `act` throws.
   */
  readonly call: <Answer>(
    claim: LeaseClaim,
    call: ServiceCall,
    act: (handler: AgentHandler) => Answer,
  ) => Promise<{ readonly answer: Awaited<Answer>; readonly agentKey: string | undefined }>;
  readonly count: () => number;
  /**
   * Takes no more calls, and ends all agents: at once, or with their last call that is under way. To be called once the engine has ended the
   * sessions, by which every question has its outcome.
   */
  readonly close: () => void;
}

interface Lease {
  readonly key: string;
  readonly handler: AgentHandler;
  /** Calls that are under way. */
  callCount: number;
  /** It had something when a call ended, so its agent may know the key. */
  isKept: boolean;
  isClosed: boolean;
  cancelExpiry: () => void;
}

export function createAgentLeases(services: AgentLeaseServices): AgentLeases {
  const { engine, languages, access: policy, ids, clock, agentIdleMs } = services;
  const leases = new Map<string, Lease>();
  const byAgent = new Map<AgentHandle, Lease>();
  /** Leases without a call under way. The lease that was used longest ago is the first. */
  const idle = new Set<Lease>();
  let isClosing = false;

  /** One process that opens leases without end must not keep the agents of others out. */
  const makeRoom = (spared: Lease | undefined): void => {
    if (leases.size < MAX_LEASES) return;
    for (const lease of idle) {
      if (lease === spared) continue;
      end(lease);
      return;
    }
    const sentence = `${MAX_LEASES} agents have a call under way. Try again when one of them is answered.`;
    throw new Fault("rate_limit", sentence, { pointer: "/agent_key", rule: "R8", retryAfterSeconds: RETRY_SECONDS });
  };

  /** `spared` keeps its lease: the call that opens this one shows its session's token. */
  const open = (spared: Lease | undefined, access: Access): Lease => {
    makeRoom(spared);
    // Between its calls nothing can be told to it: whoever has a question's session is told in its place.
    const events = undefined;
    const manifestDeclared = (): void => {};
    const handler = createAgentHandler({ engine, languages, access, identity: undefined, events, manifestDeclared });
    const key = ids.hex(16);
    const lease: Lease = { key, handler, callCount: 0, isKept: false, isClosed: false, cancelExpiry: () => {} };
    leases.set(key, lease);
    byAgent.set(handler.agent(), lease);
    return lease;
  };

  const leaseOf = ({ agentKey }: LeaseClaim, { peer }: ServiceCall, holder: Lease | undefined): Lease => {
    if (isClosing)
      throw new Fault("shutting_down", "The daemon is stopping. Call again when it is back.", { rule: "R8a" });
    if (agentKey === undefined) return open(holder, policy.of(peer));
    const lease = leases.get(agentKey);
    if (lease !== undefined) return lease;
    const sentence = `No agent has this agent_key: an agent loses it after ${Math.ceil(agentIdleMs() / 1000)} s without a call, or when ${MAX_LEASES} other agents have called since. Begin anew without agent_key; show resume_token to go on with a session that is open.`;
    throw new Fault("not_found", sentence, { pointer: "/agent_key", rule: "R8" });
  };

  /** Who has the session of a token, if that is an agent by single calls. */
  const holderOf = (resumeToken: string | undefined): Lease | undefined => {
    const agent = resumeToken === undefined ? undefined : engine.holderOf(resumeToken);
    return agent === undefined ? undefined : byAgent.get(agent);
  };

  const end = (lease: Lease): void => {
    lease.isClosed = true;
    lease.cancelExpiry();
    idle.delete(lease);
    leases.delete(lease.key);
    byAgent.delete(lease.handler.agent());
    lease.handler.close();
  };

  /** No call of it is under way any more. */
  const rest = (lease: Lease): void => {
    const agent = lease.handler.agent();
    lease.isKept ||= agent.isHolding() || agent.identity() !== undefined;
    if (isClosing || !lease.isKept) {
      end(lease);
      return;
    }
    idle.add(lease);
    lease.cancelExpiry = clock.wakeAt(clock.now() + agentIdleMs(), () => end(lease));
  };

  return {
    call: async (claim, call, act) => {
      const { signal } = call;
      const holder = holderOf(claim.resumeToken);
      const lease = leaseOf(claim, call, holder);
      // Whoever shows a session's token keeps that session too, and is no more its owner for it.
      const kept = new Set([lease, holder ?? lease]);
      for (const one of kept) {
        one.callCount += 1;
        idle.delete(one);
        one.cancelExpiry();
      }
      let isUnderWay = true;
      const over = (): void => {
        if (!isUnderWay) return;
        isUnderWay = false;
        for (const one of kept) {
          one.callCount -= 1;
          if (one.callCount === 0) rest(one);
        }
      };
      try {
        const answered = act(lease.handler);
        // An agent that hears no answer may be gone: from here on it is one that makes no call (H10).
        if (signal.aborted) over();
        else signal.addEventListener("abort", over, { once: true });
        const answer = await answered;
        over();
        return { answer, agentKey: lease.isClosed ? undefined : lease.key };
      } finally {
        over();
      }
    },
    count: () => leases.size,
    close: () => {
      isClosing = true;
      for (const lease of [...idle]) end(lease);
    },
  };
}
