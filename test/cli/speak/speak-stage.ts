// A daemon, `aaepd speak` beside it with a voice that writes, and its keys.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openAgent } from "../../../src/client/agent/open-agent.js";
import type { Agent } from "../../../src/client/agent/session-types.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { whenFinished } from "../../support/lifetime.js";
import { fixture } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import {
  type Ended,
  eventually,
  runCommandLine,
  type ServedDaemon,
  type StartedCommand,
  serve,
  startCommandLine,
} from "../command-stage.js";

export interface SpeakStage {
  readonly daemon: ServedDaemon;
  readonly environment: Readonly<Record<string, string>>;
  readonly speaker: StartedCommand;
  /** Every utterance, "!" behind the speaker of an important one. */
  readonly said: () => readonly string[];
  /** Resolves when a line has been said that contains the words. */
  readonly hears: (words: string) => Promise<void>;
  readonly key: (...argv: readonly string[]) => Promise<Ended>;
  readonly agent: (name?: string) => Promise<Agent>;
}

/** Subscribed when this resolves. */
export async function speakStage(...options: readonly string[]): Promise<SpeakStage> {
  const folder = temporaryDirectory();
  const daemon = await serve(folder);
  const environment = { ...daemon.environment, XDG_CONFIG_HOME: join(folder, "config") };
  const path = join(folder, "said");
  const command = `"${process.execPath}" "${fixture("writing-voice.mjs")}" "${path}"`;
  const speaker = startCommandLine(["speak", "--to", "command", command, ...options], { environment });
  const said = (): readonly string[] => (existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []);
  await eventually(() => {
    if (!speaker.stderr().includes("Connected")) throw new Error(`not yet: ${speaker.stderr()}`);
  });
  return {
    daemon,
    environment,
    speaker,
    said,
    hears: (words) =>
      eventually(() => {
        if (!said().some((line) => line.includes(words)))
          throw new Error(`not said: ${words}; but ${said().join("\n")}`);
      }),
    key: (...argv) => runCommandLine(argv, environment),
    agent: async (name = "Sorter") => {
      const agent = await openAgent({
        id: name.toLowerCase(),
        name,
        connectors: [{ connect: ipcRpcConnector(daemon.socketPath) }],
      });
      whenFinished(() => agent.close(0));
      return agent;
    },
  };
}
