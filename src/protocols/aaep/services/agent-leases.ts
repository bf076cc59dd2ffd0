// Leases of agents that make unary calls (R8): a key identifies an agent between its calls, and its sessions and questions are kept for a while after
// its last call. A `resume_token` (R8) covers neither the declared identity of such an agent nor its open questions; the key does.
import { Fault } from "../../../base/errors.js";
import type { ServiceCall } from "../../../contracts/service.js";
import type { AgentHandle } from "../../../engine/agents/agent-handle.js";
import { AgentHandler } from "../agent/agent-handler.js";
import type { AgentServices } from "./agent-stream.js";

/** Most leases at a time. A further agent replaces the idle one used longest ago. */
export const MAX_LEASES = 4096;

/** Calls under way end soon, except questions that people think about. */
const RETRY_SECONDS = 5;

/** The proofs that a call shows. */
export interface LeaseClaim {
  /** Key of an agent: gives the call everything that this agent has. */
  readonly agentKey: string | undefined;
  /** Token of one session: gives the call this session only, whichever agent has it, and reveals neither that agent nor its other sessions. */
  readonly resumeToken: string | undefined;
}

interface Lease {
  readonly key: string;
  readonly handler: AgentHandler;
  /** Calls under way. */
  callCount: number;
  /** True if the agent had something when a call ended; its client may then know the key. */
  isKept: boolean;
  isClosed: boolean;
  cancelExpiry: () => void;
}

export class AgentLeases {
  private readonly services: AgentServices;
  private readonly leases = new Map<string, Lease>();
  private readonly byAgent = new Map<AgentHandle, Lease>();
  /** Leases without a call under way; the one used longest ago is first. */
  private readonly idle = new Set<Lease>();
  private isClosing = false;

  constructor(services: AgentServices) {
    this.services = services;
  }

  /**
   * Makes a call as the agent of `agentKey`, else as a new agent. With `resumeToken`, the agent that has the session is kept too. A new agent that
   * has no session, open question or identity after its first call is dropped at once: `agentKey` is then undefined. Otherwise `agentKey` is the key
   * shown, or the key of the new agent. A call keeps its agent until it is answered or aborted. Rejects with `not_found` for a key that is not or no
   * longer known, `rate_limit` if too many agents have a call under way, `shutting_down` after `close`, and with the errors of `act`.
   */
  async call<Answer>(
    { agentKey, resumeToken }: LeaseClaim,
    call: ServiceCall,
    act: (handler: AgentHandler) => Answer,
  ): Promise<{ readonly answer: Awaited<Answer>; readonly agentKey: string | undefined }> {
    const { signal } = call;
    const owner = resumeToken === undefined ? undefined : this.services.engine.holderOf(resumeToken);
    const holder = owner && this.byAgent.get(owner);
    const lease = this.leaseOf(agentKey, call, holder);
    // The token of a session also keeps the lease that owns it; the ownership stays.
    const kept = new Set([lease, holder ?? lease]);
    for (const one of kept) {
      one.callCount += 1;
      this.idle.delete(one);
      one.cancelExpiry();
    }
    let isUnderWay = true;
    const over = (): void => {
      if (!isUnderWay) return;
      isUnderWay = false;
      for (const one of kept) {
        one.callCount -= 1;
        if (one.callCount === 0) this.rest(one);
      }
    };
    try {
      // A long text that is still searched for boundaries is published first (R34).
      for (let room = lease.handler.room(); room !== undefined; room = lease.handler.room()) await room;
      lease.handler.agent().addProcess(call.peer.processId);
      const answered = act(lease.handler);
      // An agent that gets no answer may be gone: from here on it counts as one without a call.
      if (signal.aborted) over();
      else signal.addEventListener("abort", over, { once: true });
      const answer = await answered;
      over();
      return { answer, agentKey: lease.isClosed ? undefined : lease.key };
    } finally {
      over();
    }
  }

  count(): number {
    return this.leases.size;
  }

  /**
   * Takes no more calls and ends all agents, at once or after their last call under way. Called after the engine has ended the sessions, which gives
   * every question its outcome.
   */
  close(): void {
    this.isClosing = true;
    for (const lease of [...this.idle]) this.end(lease);
  }

  /** `holder` keeps its lease, because the call shows the token of its session. */
  private leaseOf(agentKey: string | undefined, { peer }: ServiceCall, holder: Lease | undefined): Lease {
    if (this.isClosing)
      throw new Fault("shutting_down", "The daemon is stopping. Call again when it is back.", { rule: "R8a" });
    const known = agentKey === undefined ? undefined : this.leases.get(agentKey);
    if (known !== undefined) return known;
    const { engine, languages, access, ids, agentIdleMs } = this.services;
    if (agentKey !== undefined) {
      const sentence = `No agent has this agent_key: an agent loses it after ${Math.ceil(agentIdleMs() / 1000)} s without a call, or when ${MAX_LEASES} other agents have called since. Begin anew without agent_key; show resume_token to go on with a session that is open.`;
      throw new Fault("not_found", sentence, { pointer: "/agent_key", rule: "R8" });
    }
    this.makeRoom(holder);
    // Nothing can be sent to the agent between its calls; the engine informs the owner of a question's session instead.
    const handler = new AgentHandler({ engine, languages, access: access.of(peer) });
    const key = ids.hex(16);
    const lease: Lease = { key, handler, callCount: 0, isKept: false, isClosed: false, cancelExpiry: () => {} };
    this.leases.set(key, lease);
    this.byAgent.set(handler.agent(), lease);
    return lease;
  }

  /** A process that opens leases without end must not keep other agents out. */
  private makeRoom(spared: Lease | undefined): void {
    if (this.leases.size < MAX_LEASES) return;
    for (const lease of this.idle) {
      if (lease === spared) continue;
      this.end(lease);
      return;
    }
    const sentence = `${MAX_LEASES} agents have a call under way. Try again when one of them is answered.`;
    throw new Fault("rate_limit", sentence, { pointer: "/agent_key", rule: "R8", retryAfterSeconds: RETRY_SECONDS });
  }

  /** Handles the end of the lease's last call under way. */
  private rest(lease: Lease): void {
    const { clock, agentIdleMs } = this.services;
    const agent = lease.handler.agent();
    lease.isKept ||= agent.isHolding() || agent.identity() !== undefined;
    if (this.isClosing || !lease.isKept) {
      this.end(lease);
      return;
    }
    this.idle.add(lease);
    lease.cancelExpiry = clock.wakeAt(clock.now() + agentIdleMs(), () => this.end(lease));
  }

  private end(lease: Lease): void {
    lease.isClosed = true;
    lease.cancelExpiry();
    this.idle.delete(lease);
    this.leases.delete(lease.key);
    this.byAgent.delete(lease.handler.agent());
    lease.handler.close();
  }
}
