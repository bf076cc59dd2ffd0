// The service of `aaepd speak`: one unit of systemd for this user.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Fault } from "../../base/errors.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { packagePath } from "../shell/package-path.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import { kindOf, planService, projectNote, type ServicePrograms } from "./plan-service.js";
import { filled, SPEAK_UNIT, systemdValue, systemdWord, unitDirectory } from "./service-files.js";
import { assertOwn, manage, removeFile, writeServiceFile } from "./service-steps.js";

export interface SpeakServiceOptions {
  readonly kind?: string;
}

/** Writes the unit, and prints the commands that start it. */
export function runSpeakInstall(
  options: SpeakServiceOptions,
  io: CommandIo,
  programs?: ServicePrograms,
): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const { path, plan } = writeSpeakUnit(options, io, programs);
    await writeLines(io.stdout, [
      `Wrote ${shownText(path)}`,
      "The next commands start it, now and at each login:",
      "  systemctl --user daemon-reload",
      `  systemctl --user enable --now ${SPEAK_UNIT}`,
    ]);
    const note = projectNote(plan, "The service", "aaepd service install speak");
    if (note !== undefined) io.stderr.write(`Note: ${shownText(note)}\n`);
    return EXIT.ok;
  });
}

/** Throws a Fault where another has written a file of this name. */
export function writeSpeakUnit(options: SpeakServiceOptions, io: CommandIo, programs?: ServicePrograms) {
  const path = speakUnitPath(options, io);
  const plan = planService(options, io, programs);
  const [node = "", program = ""] = plan.command;
  const text = filled("systemd/aaepd.speak.service.in", {
    DOCUMENTATION: systemdValue(pathToFileURL(packagePath("docs", "listening.md")).href),
    COMMAND: [node, program, "speak"].map(systemdWord).join(" "),
  });
  assertOwn(path);
  writeServiceFile({ path, text });
  return { path, plan };
}

/** Starts it now and at each login. Returns why systemd refuses. */
export function startSpeak(io: CommandIo): string | undefined {
  return (
    manage(["systemctl", "--user", "daemon-reload"], io) ??
    manage(["systemctl", "--user", "enable", "--now", SPEAK_UNIT], io)
  );
}

/** Ends it, also at the next login. Returns why systemd refuses. */
export function stopSpeak(io: CommandIo): string | undefined {
  return manage(["systemctl", "--user", "disable", "--now", SPEAK_UNIT], io);
}

/** Stops it, and removes the unit. */
export function runSpeakUninstall(options: SpeakServiceOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const path = speakUnitPath(options, io);
    if (!existsSync(path)) {
      await writeLines(io.stdout, [`There is no service ${SPEAK_UNIT} to remove: ${shownText(path)} does not exist.`]);
      return EXIT.ok;
    }
    assertOwn(path);
    const refused = stopSpeak(io);
    removeFile(path);
    if (refused === undefined) manage(["systemctl", "--user", "daemon-reload"], io);
    await writeLines(io.stdout, [
      `Removed ${shownText(path)}`,
      refused === undefined ? `The service ${SPEAK_UNIT} has stopped.` : `It may still run: ${refused}`,
    ]);
    return EXIT.ok;
  });
}

/** Throws a Fault "unsupported" for another manager than systemd. */
export function speakUnitPath({ kind }: SpeakServiceOptions, { environment }: CommandIo): string {
  if (kindOf(kind) === "systemd") return join(unitDirectory(environment), SPEAK_UNIT);
  const sentence =
    "aaepd speak is a service of systemd alone. Elsewhere, start it at login by hand: aaepd speak --to command";
  throw new Fault("unsupported", sentence, { origin: "local" });
}
