/** The part of an `AbortSignal` that an agent needs. */
export interface SignalLike {
  readonly aborted: boolean;
  /** Why it was aborted. */
  readonly reason?: unknown;
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once: boolean }) => void;
}

/** The functions that run when a signal is aborted. A signal has one listener of ours, because platforms warn of signals with many. */
const RUNS = new WeakMap<SignalLike, Set<() => void>>();

/** Calls `run` when the signal is aborted. Returns the function that ends this. `null`: no signal, as for `fetch`. */
export function onAbort(signal: SignalLike | null | undefined, run: () => void): () => void {
  if (signal === undefined || signal === null) return () => {};
  const runs = RUNS.get(signal) ?? listenTo(signal);
  runs.add(run);
  return () => void runs.delete(run);
}

function listenTo(signal: SignalLike): Set<() => void> {
  const runs = new Set<() => void>();
  RUNS.set(signal, runs);
  const aborted = (): void => {
    for (const run of [...runs]) run();
  };
  signal.addEventListener("abort", aborted, { once: true });
  return runs;
}
