import type { Command } from "commander";
import type { CommandContext } from "./shell/context.js";
import type { CommandIo } from "./terminal/command-io.js";

/** A command, loaded only when it is called. */
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
  { name: "serve", ownsStdout: true, load: async () => (await import("./serve/serve.js")).registerServe },
  {
    name: "setup",
    ownsStdout: false,
    load: async () => withIo((await import("./setup/setup.js")).registerSetup),
  },
  { name: "stdio", ownsStdout: true, load: async () => (await import("./serve/stdio.js")).registerStdio },
  { name: "a2e", ownsStdout: true, load: async () => (await import("./serve/a2e.js")).registerA2e },
  {
    name: "acp",
    ownsStdout: true,
    runsDaemon: false,
    load: async () => (await import("./adapters/acp.js")).registerAcp,
  },
  {
    name: "hook",
    ownsStdout: false,
    load: async () => withIo((await import("./hooks/hook.js")).registerHook),
  },
  {
    name: "mcp",
    ownsStdout: true,
    runsDaemon: false,
    load: async () => (await import("./adapters/mcp.js")).registerMcp,
  },
  {
    name: "run",
    ownsStdout: true,
    runsDaemon: false,
    load: async () => (await import("./adapters/run.js")).registerRun,
  },
  { name: "say", ownsStdout: false, load: async () => (await import("./adapters/say.js")).registerSay },
  { name: "manifest", ownsStdout: false, load: async () => (await import("./serve/manifest.js")).registerManifest },
  { name: "tail", ownsStdout: false, load: async () => withIo((await import("./tail/tail.js")).registerTail) },
  {
    name: "publish",
    ownsStdout: false,
    load: async () => withIo((await import("./recordings/publish.js")).registerPublish),
  },
  {
    name: "validate",
    ownsStdout: false,
    load: async () => withIo((await import("./recordings/validate.js")).registerValidate),
  },
  {
    name: "journal",
    ownsStdout: false,
    load: async () => withIo((await import("./journal/journal.js")).registerJournal),
  },
  { name: "replay", ownsStdout: true, load: async () => (await import("./journal/replay.js")).registerReplay },
  {
    name: "status",
    ownsStdout: false,
    load: async () => withIo((await import("./status/status.js")).registerStatus),
  },
  {
    name: "doctor",
    ownsStdout: false,
    load: async () => withIo((await import("./doctor/doctor.js")).registerDoctor),
  },
  {
    name: "service",
    ownsStdout: false,
    load: async () => withIo((await import("./service/service.js")).registerService),
  },
  {
    name: "config",
    ownsStdout: false,
    load: async () => withIo((await import("./config/config.js")).registerConfig),
  },
  {
    name: "completion",
    ownsStdout: false,
    load: async () => (await import("./completion/completion.js")).registerCompletion,
  },
  {
    name: "conformance",
    ownsStdout: false,
    load: async () => withIo((await import("./conformance/conformance.js")).registerConformance),
  },
  { name: "demo", ownsStdout: false, load: async () => withIo((await import("./demo/demo.js")).registerDemo) },
];

/** For commands that run no daemon. */
function withIo(
  register: (program: Command, io: CommandIo) => void,
): (program: Command, context: CommandContext) => void {
  return (program, { io }) => register(program, io);
}
