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

/** With a program as its voice. Subscribed when this resolves. */
export function speakStage(...options: readonly string[]): Promise<SpeakStage> {
  const path = join(temporaryDirectory(), "said");
  const command = `"${process.execPath}" "${fixture("writing-voice.mjs")}" "${path}"`;
  return stageOf({ path, options: ["--to", "command", command, ...options] });
}

interface Voice {
  /** The file of what is said. */
  readonly path: string;
  readonly options: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Likewise, with another voice. */
export async function stageOf({ path, options, variables }: Voice): Promise<SpeakStage> {
  const folder = temporaryDirectory();
  // The last sentence of a text is held for as long.
  const daemon = await serve(folder, "--max-hold-ms", "300");
  const environment = { ...daemon.environment, XDG_CONFIG_HOME: join(folder, "config"), ...variables };
  const speaker = startCommandLine(["speak", ...options], { environment });
  const said = (): readonly string[] => linesOf(path);
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

/** The whole lines of a file, none where it is not there yet. */
export function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}
