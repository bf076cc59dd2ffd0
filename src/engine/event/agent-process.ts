// The processes of an agent: what runs below them does not answer the agent's questions (R5d).

/** A process of an agent. */
export interface AgentProcess {
  readonly pid: number;
  /**
   * Whether the process itself cannot answer either: an adapter has named it as the agent that it passes on. The process of the agent's own
   * connection may listen over another connection, because its program decides that, and no model that is talked into it.
   */
  readonly isNamed: boolean;
}

/** In a lineage: some agent has started the process, and nobody knows which. The process answers none then. No process has this number. */
export const SOME_AGENT = 0;

/** Most processes that are remembered of one agent, and of one session. */
const MOST_PROCESSES = 256;

/** Adds a process to a list; returns the list itself if it is there. Beyond 256, the oldest is left out. */
export function withProcess(processes: readonly AgentProcess[], added: AgentProcess): readonly AgentProcess[] {
  if (processes.some(({ pid, isNamed }) => pid === added.pid && isNamed === added.isNamed)) return processes;
  return [...processes, added].slice(-MOST_PROCESSES);
}

/** Adds processes to a list; returns the list itself if they are there. */
export function withProcesses(
  processes: readonly AgentProcess[],
  added: readonly AgentProcess[],
): readonly AgentProcess[] {
  return processes.length === 0 ? added : added.reduce(withProcess, processes);
}

/** Whether a process stands below an agent. `lineage`: the process, then its parents. */
export function isBelow(lineage: readonly number[], processes: readonly AgentProcess[]): boolean {
  return lineage.some(
    (one, step) => one === SOME_AGENT || processes.some(({ pid, isNamed }) => pid === one && (step > 0 || isNamed)),
  );
}
