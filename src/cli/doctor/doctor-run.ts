// Prints the findings of an examination.
import { tellFindings } from "../shell/finding-lines.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { type ExamineOptions, examine, type MachineFacts } from "./examine.js";

export interface DoctorOptions extends ExamineOptions {
  readonly json?: true;
}

export function runDoctor(options: DoctorOptions, io: CommandIo, machine: MachineFacts = {}): Promise<void> {
  return runCommand(io, async () => tellFindings(await examine(options, io, machine), options.json === true, io));
}
