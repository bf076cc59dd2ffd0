import { agentName } from "../../adapters/names.js";
import { say } from "../../adapters/program/say.js";
import { Fault } from "../../base/errors.js";
import type { CommandContext } from "../shell/context.js";
import { type AdapterOptions, adapterSettings } from "./adapter-options.js";
import { reportFaults } from "./child-end.js";

/** Says the text, or else standard input. Rejects with a Fault "usage" for a text of nothing, and for a wrong option. */
export async function runSayCommand(
  text: string | undefined,
  options: AdapterOptions,
  io: CommandContext["io"],
): Promise<void> {
  if (text?.trim() === "") throw new Fault("usage", "Give a text, or none to say standard input.", { origin: "local" });
  const { stdin, stderr, environment } = io;
  const { name, speech, socket, folder } = adapterSettings(options, environment);
  const said = await say({
    pieces: text === undefined ? stdin.setEncoding("utf8") : [text],
    name: agentName(name, "Say", folder, speech.words),
    speech,
    socket,
    onFault: reportFaults(io),
  });
  if (said === "unheard")
    stderr.write(
      "aaepd: Nobody hears this, because no daemon runs. To start one: aaepd setup, or in a terminal of its own: aaepd serve\n",
    );
}
