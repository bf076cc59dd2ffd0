// `aaepd conformance subscriber`.
import { runSubscriberCases, SUBSCRIBER_CASES } from "../../conformance/subscriber/run-subscriber-cases.js";
import { readEndpoint } from "../../conformance/wire/endpoint.js";
import { runCommand } from "../shell/run-command.js";
import { askPerson } from "../terminal/ask-person.js";
import type { CommandIo } from "../terminal/command-io.js";
import { runSuite, type SuiteOptions, suiteExitCode } from "./run-suite.js";

export interface SubscriberOptions extends SuiteOptions {
  readonly start: string;
  readonly announcements?: string;
  readonly ask?: true;
  readonly accept?: string;
  readonly answer?: string;
}

export function runSubscriber(options: SubscriberOptions, io: CommandIo): Promise<void> {
  return runCommand(
    io,
    () => {
      const endpoint = readEndpoint(options.endpoint);
      const { start, announcements } = options;
      const person = options.ask === true ? askPerson(io) : undefined;
      // The lines are what the person is asked to do.
      const { accept = person && "accept", answer = person && "{text}" } = options;
      return runSuite(options, io, {
        role: "subscriber",
        cases: SUBSCRIBER_CASES,
        defaultName: start,
        run: (told) =>
          runSubscriberCases({
            endpoint,
            framing: options.framing,
            hooks: { start, announcements, ask: person?.ask, accept, answer },
            level: options.level,
            chosen: options.case,
            patienceMs: options.patience * 1000,
            told,
          }),
      });
    },
    suiteExitCode,
  );
}
