// The form of all our programs: version, help and its layout; faults are thrown, and the process goes on.
import type { Command } from "commander";
import { reflowed } from "../terminal/help-layout.js";
import { HELP_STYLE } from "./help-style.js";

export interface ProgramOutput {
  /** Columns of the help; infinite where paragraphs are not to be broken. */
  readonly width: number;
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

/** Gives a program this form. */
export function inOurForm(program: Command, version: string, { width, writeOut, writeErr }: ProgramOutput): Command {
  const helper = Object.assign(program.createHelp(), HELP_STYLE);
  const laidOut = (text: string): string =>
    reflowed(text, width, (paragraph, columns) => helper.boxWrap(paragraph, columns));
  return program
    .version(version, "-v, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => writeOut(laidOut(text)),
      writeErr: (text) => writeErr(laidOut(text)),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      // The fault is reported once, in our own form, where it is caught.
      outputError: () => {},
    })
    .configureHelp(HELP_STYLE);
}
