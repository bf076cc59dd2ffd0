// `aaepd conformance producer`.
import { readFileSync } from "node:fs";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import { usage } from "../../base/errors.js";
import { agentDriver } from "../../conformance/drive/agent-driver.js";
import { type Driver, LATEST_BEGINNING, NO_DRIVER } from "../../conformance/drive/driver.js";
import { hookDriver } from "../../conformance/drive/hook-driver.js";
import { userInputDriver } from "../../conformance/drive/user-input-driver.js";
import { PRODUCER_CASES } from "../../conformance/producer/all-cases.js";
import { runProducerCases } from "../../conformance/producer/run-producer-cases.js";
import { readEndpoint } from "../../conformance/wire/endpoint.js";
import type { Links } from "../../conformance/wire/link.js";
import { openLinks } from "../../conformance/wire/open-links.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { runSuite, type SuiteOptions, suiteExitCode } from "./run-suite.js";

export interface ProducerOptions extends SuiteOptions {
  readonly agent?: string;
  readonly control?: string;
  readonly userInput?: boolean;
  readonly tokenFile?: string;
}

export function runProducer(options: ProducerOptions, io: CommandIo): Promise<void> {
  return runCommand(
    io,
    async () => {
      const links = await openLinks(readEndpoint(options.endpoint), {
        token: tokenIn(options.tokenFile),
        framing: options.framing,
      });
      const driver = driverFor(options, links);
      try {
        const exitCode = await runSuite(options, io, {
          role: "producer",
          cases: PRODUCER_CASES,
          defaultName: options.endpoint,
          run: (told) =>
            runProducerCases({
              links,
              driver,
              level: options.level,
              extensions: options.extensions ?? [],
              chosen: options.case,
              patienceMs: options.patience * 1000,
              told,
            }),
        });
        // A session that it left in the middle can pass unnoticed.
        for (const failure of driver.failures?.() ?? []) io.stderr.write(`Warning: ${failure}\n`);
        const wrong = driver.fault?.();
        if (wrong !== undefined) throw usage(wrong);
        return exitCode;
      } finally {
        await driver.stop().catch(() => {});
        await links.stop();
      }
    },
    suiteExitCode,
  );
}

function driverFor({ agent, control, userInput, patience }: ProducerOptions, links: Links): Driver {
  if ([agent, control, userInput].filter((one) => one !== undefined).length > 1)
    throw usage("Give one of --agent, --control and --user-input.");
  if (control !== undefined) return hookDriver(control);
  if (userInput) return userInputDriver(links, LATEST_BEGINNING * patience * 1000);
  if (agent === undefined) return NO_DRIVER;
  const endpoint = readEndpoint(agent);
  if (endpoint.kind !== "ipc")
    throw usage("An agent publishes at a socket or a named pipe. Give --agent unix:/path or pipe:name.");
  return agentDriver(endpoint.path);
}

function tokenIn(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8").trim();
  } catch (caught) {
    throw faultFromNodeError(caught as Error, path);
  }
}
