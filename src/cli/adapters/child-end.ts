// The commands that stand in front of a program end as the program ends, and their own faults end nothing.
import type { ChildEnd } from "../../adapters/proxy/run-proxy.js";
import { Fault, faultFrom } from "../../base/errors.js";
import type { CommandContext } from "../shell/context.js";
import { describeFault } from "../shell/run-command.js";

/** Signals that are the program's as well. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Faults that are told. Further ones would only repeat them. */
const MOST_TOLD = 20;

/** Passes signals on to the program. */
export function passSignals({ host }: CommandContext["io"], kill: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) host.on(signal, () => kill(signal));
}

/** Ends the process as the program has ended. */
export function endAs(
  { code, signal }: Pick<ChildEnd, "code" | "signal">,
  { host, endBySignal }: CommandContext["io"],
): void {
  if (signal === null) host.exit(code ?? 1);
  else endBySignal(signal);
}

/** Tells faults of aaepd on standard error, each sentence once, also those that nobody caught: what runs here goes on. */
export function reportFaults({ host, stderr }: CommandContext["io"]): (caught: unknown) => void {
  const told = new Set<string>();
  const onFault = (caught: unknown): void => {
    const fault = caught instanceof Fault ? caught : faultFrom(caught);
    const line = `aaepd: ${describeFault(fault)}\n`;
    if (told.has(line) || told.size >= MOST_TOLD) return;
    told.add(line);
    stderr.write(line);
  };
  for (const event of ["uncaughtException", "unhandledRejection"]) host.on(event, onFault);
  return onFault;
}
