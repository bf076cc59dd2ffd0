// `aaepd speak` through the real Speech Dispatcher, whose module writes every word that would be heard.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAgent } from "../../src/client/agent/open-agent.js";
import { ipcRpcConnector } from "../../src/client/node.js";
import { createClock } from "../../src/daemon/platform/clock.js";
import { connectSpeechDispatcher } from "../../src/speak/ssip/speech-dispatcher.js";
import { createSsipVoice } from "../../src/speak/ssip/ssip-voice.js";
import { eventually, runCommandLine, serve, startCommandLine } from "../cli/command-stage.js";
import { isMissing } from "../support/missing-tool.js";
import { fixture } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

interface Dispatcher {
  readonly path: string;
  readonly said: () => readonly string[];
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

/** In a folder of its own, with no settings of the user's. */
async function dispatcher(): Promise<Dispatcher> {
  const folder = temporaryDirectory();
  const [path, words] = [join(folder, "speechd.sock"), join(folder, "said")];
  const module = join(folder, "sd_written");
  writeFileSync(module, `#!/bin/sh\nexec python3 '${fixture("written-speech.py")}'\n`, { mode: 0o755 });
  mkdirSync(join(folder, "conf", "modules"), { recursive: true });
  const lines = [
    "LogLevel 3",
    `LogDir "${folder}"`,
    'DefaultLanguage "en"',
    `AddModule "written" "${module}" ""`,
    'DefaultModule "written"',
  ];
  writeFileSync(join(folder, "conf", "speechd.conf"), `${lines.join("\n")}\n`);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(
      "speech-dispatcher",
      [
        "-s",
        "-t",
        "0",
        "-C",
        join(folder, "conf"),
        "-P",
        join(folder, "pid"),
        "-L",
        folder,
        "-c",
        "unix_socket",
        "-S",
        path,
      ],
      { env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder, SAID: words }, stdio: "ignore" },
    );
    await eventually(
      () =>
        new Promise((resolve, reject) => {
          const socket = connect(path, () => resolve(void socket.destroy()));
          socket.on("error", reject);
        }),
    );
  };
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill("SIGKILL");
    await ended;
  };
  await start();
  onTestFinished(kill);
  return {
    path,
    said: () => (existsSync(words) ? readFileSync(words, "utf8").split("\n").slice(0, -1) : []),
    kill,
    start,
  };
}

describe.skipIf(isMissing("speech-dispatcher"))("Speech Dispatcher", () => {
  it("a question cuts text off, which is said again; a key answers; a killed Speech Dispatcher loses nothing", async () => {
    const speech = await dispatcher();
    const daemon = await serve(temporaryDirectory());
    const environment = { ...daemon.environment, SPEECHD_ADDRESS: `unix_socket:${speech.path}`, PATH: "/nowhere" };
    const speaker = startCommandLine(["speak", "--mode", "sentence", "--rate", "100"], { environment });
    await eventually(() => expect(speaker.stderr()).toContain("Connected"));
    const agent = await openAgent({
      id: "sorter",
      name: "Sorter",
      connectors: [{ connect: ipcRpcConnector(daemon.socketPath) }],
    });
    onTestFinished(() => agent.close(0));
    const session = agent.session("Sort the books.");
    const long = `${"This sentence is so long that a question comes before its end, ".repeat(4)}and then it ends.`;
    await session.say([long]);
    await eventually(() => expect(speech.said()).toContain("Sort the books."));
    const asked = session.confirm({
      action: "Throw 40 books away",
      consequence: "They are gone.",
      timeout_seconds: 600,
    });
    await eventually(() => expect(speech.said().at(-1)).toMatch(/to answer\.$|^This/));
    await eventually(async () => expect((await runCommandLine(["answer", "reject"], environment)).code).toBe(0));
    expect(await asked).toMatchObject({ decision: "reject" });
    await eventually(() => expect(speech.said()).toContain(long));
    expect(speech.said()).toContain("Sorter asks.");
    await speech.kill();
    session.complete("All the books are sorted now.");
    await eventually(() => expect(speaker.stderr()).toContain("Nothing can be spoken"));
    await speech.start();
    await eventually(() => expect(speech.said()).toContain("All the books are sorted now."));
  });

  it("another program that speaks goes first, and ours is told that it was cut off", async () => {
    const { path, said } = await dispatcher();
    const clock = createClock();
    const voiceOf = () =>
      createSsipVoice({ clock, connect: () => connectSpeechDispatcher({ path, clock, environment: {} }) });
    const [ours, other] = [voiceOf(), voiceOf()];
    onTestFinished(() => {
      ours.close();
      other.close();
    });
    const text = (words: string) => ({ text: words, language: "en", isOwn: false, priority: "text" }) as const;
    await other.speak(text("First."));
    const spoken = ours.speak(
      text("A text that takes a while, because it has so many words that it cannot end soon, whoever speaks."),
    );
    await eventually(async () => {
      expect(await other.speak(text("A window has opened."))).toEqual({ kind: "done" });
    });
    expect(await spoken).toEqual({ kind: "cancelled" });
    expect(said().some((line) => line.startsWith("(cut) A text that takes"))).toBe(true);
  });
});
