// Checks the events of a file.
import { Fault } from "../../base/errors.js";
import { createHelpLines, faultLine, type HelpLines } from "../shell/fault-lines.js";
import { EXIT, type ExitCode, exitCodeFromFault, runCommand } from "../shell/run-command.js";
import { counted } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { type InputLine, openInput, readJson, readLines } from "../terminal/read-lines.js";
import { createConversationChecker } from "./check-conversation.js";
import { createRecordingChecker } from "./check-recording.js";

export interface ValidateOptions {
  readonly asPublished?: true;
  readonly json?: true;
  readonly verbose?: true;
}

export function runValidate(file: string, options: ValidateOptions, io: CommandIo): Promise<void> {
  const help = createHelpLines(options.verbose === true);
  return runCommand(io, () => validate(file, options, io, help), exitCodeFromFault, help);
}

async function validate(file: string, options: ValidateOptions, io: CommandIo, help: HelpLines): Promise<ExitCode> {
  const output = createLineWriter(io.stdout);
  const status = createLineWriter(io.stderr);
  const asJson = options.json === true;
  const checker = createRecordingChecker({ completes: options.asPublished === true });
  const conversation = createConversationChecker();
  let lineCount = 0;
  let messageCount = 0;
  let violationCount = 0;
  let badCount = 0;

  function faultsOf(line: InputLine) {
    const read = readJson(line);
    if (read.kind === "fault") return [read.fault];
    const faults = conversation.check(read.fields);
    if (faults === undefined) {
      conversation.event(read.fields);
      return checker.check(read.fields);
    }
    messageCount += 1;
    return faults;
  }

  for await (const line of readLines(await openInput(file, io.stdin), file)) {
    if (output.hasGone()) break;
    const faults = faultsOf(line);
    lineCount += 1;
    violationCount += faults.length;
    if (faults.length > 0) badCount += 1;
    for (const fault of faults) {
      await output.write(faultLine(line.number, withOwnId(fault, line), asJson));
      // JSON has the addresses in each line.
      if (!asJson) for (const one of help(fault)) await output.write(one);
    }
  }
  const unfinished = checker.openSessionIds().filter(Boolean);
  if (unfinished.length > 0) {
    await status.write(`Note: the file ends before ${unfinished.join(", ")} does.`);
  }
  if (conversation.unanswered() > 0) {
    await status.write(`Note: the file ends before ${counted(conversation.unanswered(), "request")} got an answer.`);
  }
  if (!asJson) {
    const events = lineCount - messageCount;
    const others = messageCount === 0 ? "" : ` and ${counted(messageCount, "other message")}`;
    const all = `${counted(events, "event")}${others}`;
    const found = violationCount === 1 ? "1 violation" : `${violationCount} violations`;
    await output.write(violationCount === 0 ? `${all}, nothing wrong.` : `${found} in ${badCount} of ${all}.`);
  }
  await output.flush();
  return violationCount === 0 ? EXIT.ok : EXIT.fault;
}

/** Drops an event id that the check itself filled in and nobody knows. */
function withOwnId(fault: Fault, line: InputLine): Fault {
  const { code, sentence, pointer, rule, eventId } = fault;
  if (eventId === undefined || line.text?.includes(eventId) === true) return fault;
  return new Fault(code, sentence, {
    ...(pointer === undefined ? undefined : { pointer }),
    ...(rule === undefined ? undefined : { rule }),
  });
}
