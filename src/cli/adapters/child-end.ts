// The commands that stand in front of a program end as the program ends, and their own faults end nothing.
import { Fault, faultFrom } from "../../base/errors.js";
import { describeFault } from "../shell/run-command.js";

/** Signals that are the program's as well. */
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Faults that are told. Further ones would only repeat them. */
const MOST_TOLD = 20;

/** Passes signals on to the program. */
export function passSignals(
  kill: (signal: NodeJS.Signals) => void,
  signals: readonly NodeJS.Signals[] = SIGNALS,
): void {
  for (const signal of signals) process.on(signal, () => kill(signal));
}

/** Ends this process as the program has ended. */
export function endAs({
  code,
  signal,
}: {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}): void {
  if (signal === null) process.exit(code ?? 1);
  // As the program: killed, not ended.
  for (const one of SIGNALS) process.removeAllListeners(one);
  process.kill(process.pid, signal);
}

/** Tells faults of aaepd on standard error, each sentence once, also those that nobody caught: what runs here goes on. */
export function reportFaults(): (caught: unknown) => void {
  const told = new Set<string>();
  const onFault = (caught: unknown): void => {
    const fault = caught instanceof Fault ? caught : faultFrom(caught);
    const line = `aaepd: ${describeFault(fault)}\n`;
    if (told.has(line) || told.size >= MOST_TOLD) return;
    told.add(line);
    process.stderr.write(line);
  };
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault);
  return onFault;
}
