import type { Command } from "commander";
import { agentName } from "../../adapters/names.js";
import { usage } from "../../base/errors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { type AdapterOptions, adapterSettings, addAdapterOptions, reportFaults } from "./in-front.js";

const EXPLANATION = `
Listeners hear the text in sentences, as one session. Without TEXT it is standard input, which is heard as it comes. Where no daemon runs the
command says so on standard error, and ends with 0 all the same.

Examples:
  aaepd say "The backup is done."
  make 2>&1 | aaepd say --name Build`;

/** `aaepd say [TEXT]`: a text is heard. */
export function registerSay(program: Command, io: CommandIo): void {
  const command = program
    .command("say")
    .summary("let a text be heard")
    .description("Lets listeners hear a text, or standard input.")
    .argument("[text]", "the text (default: standard input)");
  addAdapterOptions(command, "Say and the folder")
    .addHelpText("after", EXPLANATION)
    .action((text: string | undefined, options: AdapterOptions) => runSay(text, options, io));
}

/** Says the text, or else standard input. Rejects with a Fault "usage" for a text of nothing, and for a wrong option. */
async function runSay(text: string | undefined, options: AdapterOptions, io: CommandIo): Promise<void> {
  if (text?.trim() === "") throw usage("Give a text, or none to say standard input.");
  const { openAgent } = await import("../../client/node.js");
  const { stdin, stderr, environment } = io;
  const { name, speech, socket, folder } = adapterSettings(options, environment);
  const { words, language } = speech;
  const onFault = reportFaults(io);
  const agent = await openAgent({
    id: "say",
    name: agentName(name, "Say", folder, words),
    language,
    ...(socket === undefined ? {} : { socket }),
    // A daemon of its own would be found by nobody in time.
    spawn: false,
    onError: ({ fault }) => onFault(fault),
  });
  const { status } = agent;
  try {
    const session = agent.session(words.say("message"));
    // Without a daemon standard input is read all the same, and dropped.
    await session.say(text === undefined ? stdin.setEncoding("utf8") : [text]);
    session.complete(words.say("done"));
  } finally {
    await agent.close();
  }
  if (status.kind !== "silent") return;
  // Any other reason has been told.
  const why =
    status.because.code === "not_found"
      ? ", because no daemon runs. To start one: aaepd setup, or in a terminal of its own: aaepd serve"
      : ".";
  stderr.write(`aaepd: Nobody hears this${why}\n`);
}
