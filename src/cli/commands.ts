import type { Command } from "commander";
import type { CommandContext } from "./shell/context.js";
import { KEY_NAMES } from "./speak/key-names.js";
import type { CommandIo } from "./terminal/command-io.js";

/** A command. Its file, such as `tail.ts`, has the options and the help, and is loaded when it is called. `tail-run.ts` is loaded when it runs. */
export interface CommandLoader {
  readonly name: string;
  /** Whether standard output belongs to the command alone, so that nothing else may write there. */
  readonly ownsStdout: boolean;
  /** Whether it runs a daemon, which takes longest to load and is therefore loaded at once. Default: if it owns standard output. */
  readonly runsDaemon?: boolean;
  readonly load: () => Promise<(program: Command, context: CommandContext) => void>;
}

/** In the order of the help. */
export const COMMANDS: readonly CommandLoader[] = [
  daemon("serve", async () => (await import("./serve/serve.js")).registerServe),
  withIo("setup", async () => (await import("./setup/setup.js")).registerSetup),
  daemon("stdio", async () => (await import("./serve/stdio.js")).registerStdio),
  daemon("a2e", async () => (await import("./serve/a2e.js")).registerA2e),
  piped("acp", async () => (await import("./adapters/acp.js")).registerAcp),
  withIo("hook", async () => (await import("./hooks/hook.js")).registerHook),
  piped("mcp", async () => (await import("./adapters/mcp.js")).registerMcp),
  piped("run", async () => (await import("./adapters/run.js")).registerRun),
  piped("connect", async () => (await import("./serve/connect.js")).registerConnect),
  withContext("relay", async () => (await import("./adapters/relay.js")).registerRelay),
  withIo("say", async () => (await import("./adapters/say.js")).registerSay),
  withContext("manifest", async () => (await import("./serve/manifest.js")).registerManifest),
  withIo("tail", async () => (await import("./tail/tail.js")).registerTail),
  withIo("speak", async () => (await import("./speak/speak.js")).registerSpeak),
  ...KEY_NAMES.map((name) => withIo(name, async () => (await import("./speak/keys.js")).registerKey(name))),
  withIo("publish", async () => (await import("./recordings/publish.js")).registerPublish),
  withIo("validate", async () => (await import("./recordings/validate.js")).registerValidate),
  withIo("journal", async () => (await import("./journal/journal.js")).registerJournal),
  daemon("replay", async () => (await import("./journal/replay.js")).registerReplay),
  withIo("status", async () => (await import("./status/status.js")).registerStatus),
  withIo("doctor", async () => (await import("./doctor/doctor.js")).registerDoctor),
  withIo("address", async () => (await import("./address/address.js")).registerAddress),
  withIo("service", async () => (await import("./service/service.js")).registerService),
  withIo("config", async () => (await import("./config/config.js")).registerConfig),
  withContext("completion", async () => (await import("./completion/completion.js")).registerCompletion),
  withIo("conformance", async () => (await import("./conformance/conformance.js")).registerConformance),
  withIo("demo", async () => (await import("./demo/demo.js")).registerDemo),
];

/** Runs a daemon, to which standard output belongs. */
function daemon(name: string, load: CommandLoader["load"]): CommandLoader {
  return { name, ownsStdout: true, load };
}

/** Passes another program's output on. */
function piped(name: string, load: CommandLoader["load"]): CommandLoader {
  return { name, ownsStdout: true, runsDaemon: false, load };
}

function withContext(name: string, load: CommandLoader["load"]): CommandLoader {
  return { name, ownsStdout: false, load };
}

function withIo(name: string, load: () => Promise<(program: Command, io: CommandIo) => void>): CommandLoader {
  return withContext(name, async () => {
    const register = await load();
    return (program, { io }) => register(program, io);
  });
}
