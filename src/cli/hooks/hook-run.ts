// `aaepd hook install` and `uninstall`: show the difference, write the files, and say who hears.
import type { HookHostId } from "../../adapters/hooks/hook-host.js";
import { EXIT } from "../shell/exit-codes.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";
import { audience } from "./audience.js";
import { asksBy, currentPrograms, type HookPrograms } from "./hook-files.js";
import { type HookPlan, type InstallOptions, planInstall, planUninstall, writePlan } from "./hook-plan.js";

export function runHookInstall(
  id: HookHostId,
  options: InstallOptions,
  io: CommandIo,
  programs: HookPrograms = currentPrograms(),
): Promise<void> {
  return runCommand(io, async () => {
    const plan = planInstall(id, options, io, programs);
    const { host, version, command } = plan;
    tellChanges(io, plan);
    if (version === undefined && host.lateSince !== undefined)
      tell(io, [
        `Note: the version of ${host.name} is not known, so that only events of early versions are used. Give it by --host-version.`,
      ]);
    if (options.print === true) return EXIT.ok;
    writePlan(plan, programs);
    tell(io, [
      writtenLine(plan),
      ...(host.afterwards === undefined ? [] : [host.afterwards]),
      await audience({ socket: options.socket, asks: asksBy(command) }, io),
    ]);
    return EXIT.ok;
  });
}

export function runHookUninstall(
  id: HookHostId,
  options: Pick<InstallOptions, "print">,
  io: CommandIo,
  programs: HookPrograms = currentPrograms(),
): Promise<void> {
  return runCommand(io, async () => {
    const plan = planUninstall(id, io);
    tellChanges(io, plan);
    if (options.print === true) return EXIT.ok;
    writePlan(plan, programs);
    tell(io, [writtenLine(plan)]);
    return EXIT.ok;
  });
}

export function tell({ stdout }: Pick<CommandIo, "stdout">, lines: readonly string[]): void {
  for (const line of lines) stdout.write(`${line}\n`);
}

function tellChanges(io: CommandIo, { path, changes }: HookPlan): void {
  if (changes.length === 0) return;
  const lines = changes.map(
    ({ kind, event, command }) => `${kind === "added" ? "+" : "-"} ${event}: ${shownText(command)}`,
  );
  tell(io, [`In ${shownText(path)}:`, ...lines]);
}

function writtenLine({ path, changes }: HookPlan): string {
  return changes.length > 0 ? `Wrote ${shownText(path)}` : `${shownText(path)} stays as it is.`;
}
