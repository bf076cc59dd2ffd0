import { currentPlace, ipcDirectories } from "../../../transports/ipc/paths.js";
import { speechOf } from "../../adapters/language.js";
import { openRelay } from "../../adapters/relay/open-relay.js";
import { relayAddress } from "../../adapters/relay/relay-address.js";
import { createRelayNews } from "../../adapters/relay/relay-news.js";
import { usage } from "../../base/errors.js";
import type { CommandContext } from "../shell/context.js";
import { chosenSocket, findSocket } from "../shell/find-socket.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { shownText } from "../terminal/shown-text.js";

export interface RelayCommandOptions {
  readonly plainHttp?: true;
  readonly language?: string;
  readonly socket?: string;
}

export function runRelay(url: string, options: RelayCommandOptions, io: CommandContext["io"]): Promise<void> {
  return runCommand(io, () => relayOn(url, options, io));
}

async function relayOn(url: string, options: RelayCommandOptions, io: CommandContext["io"]): Promise<ExitCode> {
  const { environment, daemonDirectories, stderr } = io;
  const base = relayAddress(url, options.plainHttp === true);
  if (base === undefined) {
    const sentence =
      "Give the base address of a producer, as in http://localhost:8080 or https://agents.example. To another machine it is https, or --plain-http allows http.";
    throw usage(sentence);
  }
  const socket = chosenSocket(options.socket, environment)?.path ?? (await findSocket(daemonDirectories));
  let isInterrupted = false;
  const relay = await openRelay({
    base,
    socket,
    runtimeFolder: ipcDirectories(currentPlace(environment))[0],
    speech: speechOf(options.language, environment),
    onNews: createRelayNews(base, (words) => void stderr.write(`aaepd relay: ${shownText(words)}\n`)),
  });
  const cancelInterrupt = io.onInterrupt(() => {
    isInterrupted = true;
    void relay.close();
  });
  const because = await relay.ended;
  cancelInterrupt();
  if (because !== undefined && !isInterrupted) throw because;
  return EXIT.ok;
}
