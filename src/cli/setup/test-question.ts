// The question by which a person finds out that hearing and answering work. A process of its own asks it: no agent says yes to itself
// (R5d), and neither a listener in the agent's process nor one below it could answer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { assertNotBelowAgent } from "../../adapters/host-marks.js";
import { openAgent } from "../../client/node.js";
import { ableToConfirm } from "../hooks/audience.js";
import { SOCKET_VARIABLE } from "../shell/find-socket.js";
import { packagePath } from "../shell/program-paths.js";
import { EXIT, type ExitCode } from "../shell/run-command.js";
import { statusAt } from "../status/ask-status.js";
import { runTail } from "../tail/tail-run.js";
import { span } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { awaited } from "./daemon-plan.js";

/** How long a person has to begin to listen, and then to answer. */
const WAIT_SECONDS = 120;
const WAIT_MS = WAIT_SECONDS * 1000;
/** The same in words. */
export const TEST_WAIT = span(WAIT_SECONDS);
const AGENT_ID = "setup";

/** Asks it, as an agent, once somebody can answer. */
export async function askTestQuestion(socketPath: string, io: CommandIo): Promise<ExitCode> {
  const say = (line: string): void => void io.stdout.write(`${line}\n`);
  const canAnswer = async (): Promise<true | undefined> => {
    const status = await statusAt(socketPath, io);
    return status !== undefined && ableToConfirm(status).length > 0 ? true : undefined;
  };
  if (!(await canAnswer())) {
    say(`Nobody can answer yet. This waits up to ${TEST_WAIT}. In another terminal, run: aaepd tail --interactive`);
    if (!(await awaited(canAnswer, WAIT_MS, io))) return unanswered("Nobody listens who can answer.", io);
  }
  const agent = await openAgent({
    id: AGENT_ID,
    name: "Setup",
    language: "en",
    socket: socketPath,
    spawn: false,
    mode: "required",
  });
  try {
    const session = agent.session("Asks a test question.");
    const outcome = await session.confirm({
      action: "This is a test. Do you hear it?",
      consequence: "Nothing is done, whatever you answer.",
      risk_level: "low",
      default_decision: "reject",
      timeout_seconds: WAIT_SECONDS,
    });
    session.complete("Done.");
    if (outcome.resolved_by !== "reply") return unanswered("Nobody has answered the test question.", io);
    say(
      `You have answered ${outcome.decision === "accept" ? "yes" : "no"}, and the answer has arrived. Hearing and answering work.`,
    );
    return EXIT.ok;
  } finally {
    await agent.close();
  }
}

/** Listens in this terminal, as `aaepd tail --interactive`, while another process asks. Throws a Fault below an agent. */
export async function answerTestQuestion(socketPath: string, io: CommandIo): Promise<ExitCode> {
  assertNotBelowAgent(io.environment);
  const subscriberId = `aaepd-setup-${io.ids.hex(4)}`;
  let stop = (): void => {};
  let wasInterrupted = false;
  const listening = runTail(
    {
      socket: socketPath,
      subscriberId,
      subscriberName: "aaepd setup",
      interactive: true,
      quiet: true,
      only: ["question"],
      // A person who is told to type yes must be asked nothing else.
      concerns: ({ producer }) => producer?.agent_id === AGENT_ID,
      time: false,
      agent: true,
      reconnect: false,
    },
    {
      ...io,
      setExitCode: () => {},
      onInterrupt: (run) => {
        stop = run;
        return io.onInterrupt(() => {
          wasInterrupted = true;
          run();
        });
      },
    },
  );
  let hasEnded = false;
  const isHeard = async () =>
    hasEnded || (await statusAt(socketPath, io))?.subscriptions.find((one) => one.subscriber_id === subscriberId);
  void listening.then(() => {
    hasEnded = true;
  });
  if (!(await awaited(isHeard, WAIT_MS, io))) return unanswered("The daemon does not answer.", io);
  const asking = spawn(process.execPath, [packagePath("bin", "aaepd.js"), "setup", "--ask"], {
    env: { ...io.environment, [SOCKET_VARIABLE]: socketPath },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  asking.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.out += text;
  });
  asking.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.err += text;
  });
  const asked = once(asking, "close");
  await Promise.race([asked, listening]);
  asking.kill();
  const [code] = await asked;
  stop();
  await listening;
  io.stdout.write(said.out);
  io.stderr.write(said.err);
  if (wasInterrupted) return EXIT.interrupted;
  return code === 0 ? EXIT.ok : EXIT.fault;
}

function unanswered(why: string, { stderr }: Pick<CommandIo, "stderr">): ExitCode {
  stderr.write(`Error: ${why} To try again: aaepd setup\n`);
  return EXIT.fault;
}
