import { type Command, InvalidArgumentError, Option } from "commander";
import { textList, wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { ProducerOptions } from "./producer-run.js";
import type { SubscriberOptions } from "./subscriber-run.js";

const VERDICTS = `A case that cannot see its subject is skipped with the reason. It has not passed. The verdict is FAIL if a required case failed, SKIPPED if all cases
were skipped or all cases of one level, and PASS otherwise.

Exit codes: 0 PASS, 1 FAIL or SKIPPED, 2 an option is wrong or its command or socket cannot be used, 3 the suite itself failed.`;

const producerHelp = (suite: string): string => `
Endpoints:
  unix:/path              a Unix socket
  pipe:name               a named pipe, on Windows alone
  stdio:COMMAND           the standard input and output of a command
  grpc://host:port        gRPC; grpcs:// with TLS; grpc://unix:/path at a socket
  http://host:port        Connect over HTTP/2; https:// with TLS;
                          http://unix:/path at a socket
  ws://host:port          WebSocket; wss:// with TLS
  sse:http://host:port    Server-Sent Events; sse:https:// with TLS

Cases need sessions to judge. Name one source of them:
  --agent unix:/path      an agent of the suite publishes there (producers that
                          take agents, such as aaepd)
  --control COMMAND       your command makes the producer show a scenario
  --user-input            the producer is an agent itself, and is asked by
                          {"kind":"user_input","text":"NAME: SENTENCE"}

AAEP_SCENARIO has the scenario's name for the control command, and AAEP_SCENARIO_TEXT its sentence. The command ends with 0 when the scenario is over,
and with 3 if the producer cannot show it.

${VERDICTS}

Examples:
  ${suite} producer --endpoint unix:a.sock --agent unix:a.sock
  ${suite} producer --endpoint unix:a.sock --agent unix:a.sock --case P3-rate
  ${suite} producer --endpoint grpc://127.0.0.1:8701 --control ./scenario.sh --level 2 --report reports`;

const subscriberHelp = (suite: string): string => `
The suite is the producer. It listens at --endpoint (unix:/path, pipe:name, grpc://host:port, http://host:port
or ws://host:port), and starts the subscriber anew for
each case with --start. The variable AAEP_ENDPOINT of that command names where it connects to; AAEPD_SOCKET has the path of a socket. The suite ends
the command by SIGTERM: a subscriber of level 3 then sends subscription.close.

  --announcements stdout  each line of the command's standard output is an
                          announcement
  --announcements FILE    each line of this log is one
  --accept LINE           this line on the command's standard input stands for a
                          user who accepts
  --answer LINE           likewise for a user who answers by a text; {text} is
                          the text
  --ask                   a person at this terminal acts as the user, and says
                          what was announced

${VERDICTS}

Example:
  ${suite} subscriber --endpoint unix:/tmp/aaep/suite.sock --start "exec aaepd tail --interactive 2>&1" \\
    --announcements stdout --accept accept --answer '{text}'`;

export const PURPOSE =
  "Tests a producer or a subscriber against the chapters of AAEP, and reports what passed, what failed and what was skipped.";

export function registerConformance(program: Command, io: CommandIo): void {
  const conformance = program
    .command("conformance")
    .summary("test a producer or subscriber against the chapters of AAEP")
    .description(PURPOSE);
  addSuites(conformance, "aaepd conformance", io);
}

/** `suite`: the name of that command, as examples spell it. */
export function addSuites(conformance: Command, suite: string, io: CommandIo): void {
  const producer = conformance
    .command("producer")
    .summary("test a producer")
    .description("Tests a producer as its subscribers see it.");
  suiteOptions(producer, "where the producer listens")
    .option("--agent <endpoint>", "where an agent of the suite publishes")
    .option("--control <command>", "your command that makes the producer show a scenario")
    .option("--user-input", "ask the producer itself, by a user_input message")
    .option("--token-file <path>", "a file with the bearer token of the endpoint")
    .addHelpText("after", producerHelp(suite))
    .action(async (options: ProducerOptions) => (await import("./producer-run.js")).runProducer(options, io));

  const subscriber = conformance
    .command("subscriber")
    .summary("test a subscriber")
    .description("Tests a subscriber as a producer sees it.");
  suiteOptions(subscriber, "where the suite listens, and the subscriber connects")
    .requiredOption("--start <command>", "the command that starts the subscriber")
    .option("--announcements <stdout|FILE>", "where announcements are told: stdout, or a file")
    .option("--ask", "ask a person here, in place of the other hooks")
    .option("--accept <line>", "the line by which a user accepts")
    .option("--answer <line>", "the line by which a user answers; {text} is the answer")
    .addHelpText("after", subscriberHelp(suite))
    .action(async (options: SubscriberOptions) => (await import("./subscriber-run.js")).runSubscriber(options, io));

  conformance
    .command("compare")
    .summary("compare two reports")
    .description("Compares two reports about one role, dates and durations aside. Ends with 1 if they differ.")
    .argument("<before>", "a conformance-report.json, or its folder")
    .argument("<after>", "another")
    .action(async (before: string, after: string) => (await import("./compare-run.js")).runCompare(before, after, io));
}

/** `endpoint`: the use of that option. */
function suiteOptions(command: Command, endpoint: string): Command {
  return command
    .requiredOption("--endpoint <url>", endpoint)
    .addOption(new Option("--level <level>", "conformance level").choices(["1", "2", "3"]).default(3).argParser(level))
    .addOption(
      new Option("--framing <framing>", "of messages at a socket or pipe").choices(["length-prefixed", "newline"]),
    )
    .option("--extensions <names>", "sets of cases beyond the level: aaepd", textList)
    .option("--case <ids>", "these cases alone", textList)
    .option("--patience <seconds>", "how long something that must come may take", wholeNumber(1, 600), 8)
    .option("--name <text>", "the name of the tested side in the report")
    .option("--report <folder>", "write conformance-report.json, .html, .junit.xml and badge.svg there")
    .option("--fail-on-warning", "a SHOULD that is not met counts: the verdict is FAIL")
    .option("-q, --quiet", "print failures and the verdict alone; if all was skipped, also the reasons");
}

function level(text: string): 1 | 2 | 3 {
  const known = ([1, 2, 3] as const).find((one) => String(one) === text);
  if (known !== undefined) return known;
  throw new InvalidArgumentError("Give 1, 2 or 3.");
}
