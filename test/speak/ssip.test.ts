// Speech Dispatcher as a voice, against a server that keeps to its protocol and then does not.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClock } from "../../src/daemon/platform/clock.js";
import { connectSpeechDispatcher, speechDispatcherPath } from "../../src/speak/ssip/speech-dispatcher.js";
import { createSsipVoice } from "../../src/speak/ssip/ssip-voice.js";
import type { Utterance } from "../../src/speak/voice.js";
import { whenFinished } from "../support/lifetime.js";
import { createVirtualClock, settle } from "../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { END, type Script, startSsipServer } from "./ssip-server.js";

const HELLO: Utterance = { text: "Hello.", language: "en", isOwn: false, priority: "text" };
const NO_ENVIRONMENT = { PATH: "/nowhere" };

async function stage(script?: Script) {
  const server = await startSsipServer(script);
  const clock = createClock();
  const options = { path: server.path, clock, environment: NO_ENVIRONMENT };
  const settings = { rate: 40, volume: -20, voice: "Anna" };
  const voice = createSsipVoice({ clock, connect: () => connectSpeechDispatcher(options), ...settings });
  whenFinished(() => voice.close());
  return { server, voice };
}

/** The sentence of a failed utterance. */
async function whyNot(script: Script, utterance = HELLO): Promise<string> {
  const { voice } = await stage(script);
  const outcome = await voice.speak(utterance);
  return outcome.kind === "failed" ? outcome.fault.sentence : outcome.kind;
}

describe("what is sent", () => {
  it("names itself, and sets what differs from the utterance before", async () => {
    const { server, voice } = await stage();
    expect(await voice.speak(HELLO)).toEqual({ kind: "done" });
    await voice.speak({ ...HELLO, text: "Guten Tag.", language: "de", isOwn: true });
    expect(server.lines).toEqual([
      "SET SELF CLIENT_NAME aaepd:speak:main",
      "SET SELF NOTIFICATION ALL on",
      "SET SELF RATE 40",
      "SET SELF VOLUME -20",
      "SET SELF SYNTHESIS_VOICE Anna",
      "SET SELF PRIORITY text",
      "SET SELF LANGUAGE en",
      "SET SELF PITCH 0",
      "SPEAK",
      "Hello.",
      ".",
      "SET SELF LANGUAGE de",
      "SET SELF PITCH -40",
      "SPEAK",
      "Guten Tag.",
      ".",
    ]);
  });

  it("a text, a tag and a voice of whatever kind end no text and are no command", async () => {
    const texts: (readonly string[])[] = [];
    const { server, voice } = await stage((_, text) => {
      if (text !== undefined) texts.push(text.lines);
      return undefined;
    });
    await voice.speak({ ...HELLO, text: ".\r\n..\nSTOP ALL\rSET ALL RATE 100\n.", language: "en\r\nSTOP ALL" });
    expect(texts).toEqual([["..", "...", "STOP ALL", "SET ALL RATE 100", ".."]]);
    expect(server.lines.filter((line) => line.startsWith("SET SELF LANGUAGE"))).toEqual([
      "SET SELF LANGUAGE enSTOPALL",
    ]);
  });

  it("no text follows a SPEAK that is refused: its lines would be commands", async () => {
    const { server, voice } = await stage((line) => (line === "SPEAK" ? "300 ERR NO\r\n" : undefined));
    expect(await voice.speak({ ...HELLO, text: "STOP ALL" })).toMatchObject({ kind: "failed" });
    expect(server.lines).not.toContain("STOP ALL");
  });

  it("cancels for itself alone", async () => {
    const { server, voice } = await stage((line, text) => {
      if (text !== undefined) return `225-${text.message}\r\n225 OK MESSAGE QUEUED\r\n`;
      return line.startsWith("CANCEL") ? `210 OK CANCELED\r\n${END(1, "CANCELED", 703)}` : undefined;
    });
    const spoken = voice.speak(HELLO);
    await expect.poll(() => server.lines).toContain(".");
    voice.cancel();
    expect(await spoken).toEqual({ kind: "cancelled" });
    expect(server.lines.at(-1)).toBe("CANCEL SELF");
  });

  it("an end that comes before its number counts", async () => {
    const script: Script = (_, text) =>
      text && `${END(text.message + 7)}${END(text.message)}225-${text.message}\r\n225 OK MESSAGE QUEUED\r\n`;
    expect(await whyNot(script)).toBe("done");
  });
});

describe("a server that does not keep to its protocol", () => {
  const answering =
    (answer: string): Script =>
    (line) =>
      line.includes("CLIENT_NAME") ? answer : undefined;
  it.each([
    ["words that are no answer", answering("hello\r\n"), "not SSIP"],
    ["a line without an end", answering(`208 ${"x".repeat(100_000)}`), "a line without an end"],
    ["an answer without an end", answering("208-x\r\n".repeat(2000)), "an answer without an end"],
    ["an answer to nothing", answering("208 OK\r\n208 OK\r\n"), "an answer to nothing, 208"],
    ["a refusal", answering("401 ERR\r\n"), "has refused SET SELF CLIENT_NAME"],
    ["an end of the connection", answering("drop"), "has ended the connection"],
  ])("%s", async (_, script, sentence) => {
    expect(await whyNot(script)).toContain(sentence);
  });

  it.each(["CLIENT_NAME", "NOTIFICATION", "PRIORITY", "SPEAK", "Hello.", "."])(
    "the connection ends behind %j: it has failed, and the next utterance is spoken over another one",
    async (word) => {
      let isFirst = true;
      const { server, voice } = await stage((line) => {
        if (!isFirst || !line.includes(word)) return undefined;
        isFirst = false;
        return "drop";
      });
      const outcome = await voice.speak(HELLO);
      // A line of a text has no answer.
      if (word === "Hello.") server.drop();
      else expect(outcome.kind).toBe("failed");
      await expect.poll(() => voice.speak(HELLO)).toEqual({ kind: "done" });
    },
  );

  it("no answer in 5 s: it has failed", async () => {
    const clock = createVirtualClock();
    const server = await startSsipServer((line) => (line === "SPEAK" ? "" : undefined));
    const connect = () => connectSpeechDispatcher({ path: server.path, clock, environment: NO_ENVIRONMENT });
    const voice = createSsipVoice({ clock, connect });
    const spoken = voice.speak(HELLO);
    await expect.poll(() => server.lines).toContain("SPEAK");
    await settle();
    await clock.advanceSettled(5000);
    expect(await spoken).toMatchObject({ kind: "failed", fault: { sentence: "Speech Dispatcher does not answer." } });
  });
});

describe("an utterance that waits behind other speakers", () => {
  async function waiting(answer: string) {
    const clock = createVirtualClock();
    const server = await startSsipServer((line, text) =>
      text ? `225-${text.message}\r\n225 OK MESSAGE QUEUED\r\n` : line.startsWith("GET") ? answer : undefined,
    );
    const connect = () => connectSpeechDispatcher({ path: server.path, clock, environment: NO_ENVIRONMENT });
    const voice = createSsipVoice({ clock, connect });
    whenFinished(() => voice.close());
    let hasBegun = false;
    const spoken = voice.speak(HELLO, () => {
      hasBegun = true;
    });
    /** So many times it is asked whether Speech Dispatcher is there. */
    const asked = async (count: number): Promise<void> => {
      for (let turn = 1; turn <= count; turn += 1) {
        const isAsked = (): void =>
          expect(server.lines.filter((line) => line.startsWith("GET")).length).toBeGreaterThanOrEqual(turn);
        await expect.poll(() => server.lines).toContain(".");
        await eventuallyAt(clock, isAsked);
      }
    };
    return { clock, server, spoken, asked, hasBegun: () => hasBegun };
  }

  async function eventuallyAt(clock: ReturnType<typeof createVirtualClock>, check: () => void): Promise<void> {
    await expect
      .poll(async () => {
        await clock.advanceSettled(1000);
        check();
        return true;
      })
      .toBe(true);
  }

  it("waits for as long as Speech Dispatcher answers", async () => {
    const { server, spoken, asked, hasBegun } = await waiting("251-espeak\r\n251 OK GET RETURNED\r\n");
    await asked(20);
    expect(hasBegun()).toBe(false);
    server.write(END(1, "BEGIN", 701));
    await expect.poll(hasBegun).toBe(true);
    server.write(END(1));
    expect(await spoken).toEqual({ kind: "done" });
  });

  it("has failed where Speech Dispatcher does not answer", async () => {
    const { clock, spoken, asked } = await waiting("");
    await asked(1);
    await clock.advanceSettled(5000);
    expect(await spoken).toMatchObject({ kind: "failed", fault: { sentence: "Speech Dispatcher does not answer." } });
  });
});

describe("where it is", () => {
  it.each([
    [{ SPEECHD_ADDRESS: "unix_socket:/a:b/s.sock" }, "/a:b/s.sock"],
    [{ SPEECHD_ADDRESS: "unix_socket", XDG_RUNTIME_DIR: "/run/user/7" }, "/run/user/7/speech-dispatcher/speechd.sock"],
    [{ HOME: "/home/ann" }, "/home/ann/.cache/speech-dispatcher/speechd.sock"],
  ])("%j: %s", (environment, path) => {
    expect(speechDispatcherPath(environment)).toBe(path);
  });

  it("an address over TCP is refused in a sentence", () => {
    expect(() => speechDispatcherPath({ SPEECHD_ADDRESS: "inet_socket:127.0.0.1:6560" })).toThrow(/Only a Unix socket/);
  });

  it("none is installed: the sentence says what to do", async () => {
    const options = { path: join(temporaryDirectory(), "s.sock"), clock: createClock(), environment: NO_ENVIRONMENT };
    await expect(connectSpeechDispatcher(options)).rejects.toThrow(/apt install speech-dispatcher.*--to command/);
  });

  it("one that never ends its start is ended", async () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, "speech-dispatcher"), "#!/bin/sh\nexec /bin/sleep 100\n", { mode: 0o755 });
    const clock = createVirtualClock();
    const connecting = connectSpeechDispatcher({ path: join(folder, "s.sock"), clock, environment: { PATH: folder } });
    const refused = expect(connecting).rejects.toThrow("has ended with SIGKILL");
    const passing = setInterval(() => void clock.advanceSettled(5000), 20);
    await refused;
    clearInterval(passing);
  });

  it("none runs: it is started with the socket, and waited for", async () => {
    const folder = temporaryDirectory();
    const program = join(folder, "speech-dispatcher");
    const path = join(folder, "s.sock");
    // Its daemon listens a moment after it has ended.
    writeFileSync(
      program,
      `#!${process.execPath}
const { spawn } = require("node:child_process");
require("node:fs").writeFileSync(${JSON.stringify(join(folder, "argv"))}, process.argv.slice(2).join(" "));
const listen = 'setTimeout(() => require("node:net").createServer((s) => s.end()).listen(process.argv[1]), 100); setTimeout(process.exit, 20000)';
spawn(process.execPath, ["-e", listen, process.argv.at(-1)], { detached: true, stdio: "ignore" }).unref();
`,
    );
    chmodSync(program, 0o755);
    const socket = await connectSpeechDispatcher({ path, clock: createClock(), environment: { PATH: folder } });
    socket.destroy();
  });
});
