// The real Speech Dispatcher with a module that writes every word that would be heard.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startDispatcher } from "../../../bench/sound.mjs";
import { linesOf } from "../../cli/speak/speak-stage.js";
import { whenFinished } from "../../support/lifetime.js";
import { fixture } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

export interface WrittenDispatcher {
  /** Of its socket. */
  readonly path: string;
  /** For programs that speak through it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file of its words, and its lines: "en: A sentence.", "(cut) en: A sentence." */
  readonly words: string;
  readonly said: () => readonly string[];
  readonly kill: () => Promise<void>;
  /** Again, after `kill`. */
  readonly start: () => Promise<void>;
}

/** In a folder of its own, with no settings of the user's. */
export async function writtenDispatcher(): Promise<WrittenDispatcher> {
  const folder = temporaryDirectory();
  const words = join(folder, "said");
  const module = join(folder, "sd_written");
  writeFileSync(module, `#!/bin/sh\nexec python3 '${fixture("written-speech.py")}'\n`, { mode: 0o755 });
  const start = () => startDispatcher(folder, { module, environment: { SAID: words } });
  let dispatcher = await start();
  whenFinished(() => dispatcher.kill());
  return {
    path: dispatcher.path,
    environment: { SPEECHD_ADDRESS: `unix_socket:${dispatcher.path}` },
    words,
    said: () => linesOf(words),
    kill: async () => void (await dispatcher.kill()),
    start: async () => {
      dispatcher = await start();
    },
  };
}
