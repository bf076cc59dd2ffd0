// `aaepd speak` with a real daemon and a program as its voice: every word that is said, and what each key does.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KEYS } from "../../../src/cli/speak/key-names.js";
import { NARRATION } from "../../../src/cli/speak/narration-table.js";
import { itInFull } from "../../support/extent.js";
import { startCommand } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { eventually, runCommandLine, startCommandLine } from "../command-stage.js";
import { speakStage, stageOf } from "./speak-stage.js";
import { comparable, SESSIONS } from "./spoken-sessions.js";

const ARGUMENTS = { timeout_seconds: 600 };

describe("every word of a session", () => {
  it.each(SESSIONS)("$name, in the mode $mode", async (session) => {
    const stage = await speakStage("--mode", session.mode);
    await session.play(stage);
    await expect(`${comparable(stage.said()).join("\n")}\n`).toMatchFileSnapshot(session.golden);
  });
});

describe("an answer", () => {
  it("goes to the question that was said to its end last, and free text is read back by its length", async () => {
    const { agent, hears, key } = await speakStage();
    const session = (await agent()).session("Sort the books.");
    const asked = session.clarify({
      question: "By author or by title?",
      ...ARGUMENTS,
      accepted_response_kinds: ["freetext"],
    });
    await hears("in your own words");
    await eventually(async () => expect((await key("answer", "by", "title,", "please")).code).toBe(0));
    expect(await asked).toMatchObject({ response: "by title, please" });
    await hears("Sent for question 1: 3 words, beginning with by.");
    await hears("Question 1: answered.");
    expect(await key("answer", "yes")).toMatchObject({ code: 1, stdout: "Question 1 has ended. Nothing was sent.\n" });
  });

  it("names the possible answers where it is none, and takes another question by its number", async () => {
    const { agent, hears, key } = await speakStage();
    const session = (await agent()).session("Sort the books.");
    const first = session.confirm({ action: "Throw 40 books away", consequence: "They are gone.", ...ARGUMENTS });
    await hears("Answer accept or reject.");
    await eventually(async () =>
      expect((await key("answer", "perhaps")).stdout).toBe(
        "That is no answer to question 1. Answer accept or reject. Nothing was sent.\n",
      ),
    );
    expect((await key("where")).stdout).toContain(" 1 open question.");
    expect(await key("answer", "reject", "--question", "7")).toMatchObject({
      code: 1,
      stdout: "Question 7 is not open. Nothing was sent.\n",
    });
    expect((await key("questions")).stdout).toContain(
      "Sorter asks. Question 1. Throw 40 books away Consequence: They are gone.",
    );
    expect((await key("again")).stdout).toContain("Sorter asks. Question 1. Throw 40 books away");
    expect((await key("details")).code).toBe(0);
    expect((await key("answer", "reject", "--question=1")).code).toBe(0);
    expect(await first).toMatchObject({ decision: "reject" });
    await eventually(async () => expect((await key("questions")).stdout).toBe("No open questions.\n"));
    // Of one that is over, there are the words of its agent.
    expect((await key("again")).stdout).toBe("Sorter: Throw 40 books away They are gone.\n");
  });

  it("does not come from a program that an agent has started (R5d)", async () => {
    const { environment, key } = await speakStage();
    expect(await runCommandLine(["answer", "accept"], { ...environment, CLAUDECODE: "1" })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("CLAUDECODE"),
    });
    expect(await runCommandLine(["stop"], { ...environment, CLAUDECODE: "1" })).toMatchObject({ code: 1 });
    expect(await runCommandLine(["speak"], { ...environment, CLAUDECODE: "1" })).toMatchObject({ code: 2 });
    for (const muting of ["mute", "pause"])
      expect(await runCommandLine([muting], { ...environment, CLAUDECODE: "1" })).toMatchObject({ code: 1 });
    expect((await key("where")).code).toBe(0);
  });

  const PRESS = `const socket = require("node:net").connect(process.argv[1]);
socket.write(JSON.stringify({ key: "answer", words: ["accept"], variables: [] }) + "\\n");
socket.on("data", (said) => { console.log(String(said)); socket.destroy(); });`;
  it.runIf(process.platform === "linux")(
    "does not come from one that conceals its environment, or has cleared it: its parents are looked at too (R5d)",
    async () => {
      const { daemon } = await speakStage();
      const path = join(daemon.socketPath, "..", "speak.keys");
      const cleared = ["/usr/bin/env", "-i", process.execPath, "-e", PRESS, path].map((word) => `'${word}'`).join(" ");
      for (const argv of [
        [process.execPath, "-e", PRESS, path],
        ["/bin/sh", "-c", `${cleared}; true`],
      ]) {
        const program = startCommand(argv, { environment: { AAEPD_AGENT: "Evil" } });
        await program.ended;
        expect(program.stdout()).toContain("The variable AAEPD_AGENT says that an agent has started this command");
      }
    },
  );
});

describe("keys", () => {
  itInFull("are pressed again soon where others hold the socket and say nothing", async () => {
    const { daemon, key } = await speakStage();
    const path = join(daemon.socketPath, "..", "speak.keys");
    const held = Array.from({ length: 16 }, () => connect(path).on("error", () => {}));
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once("connect", resolve).write("{"))));
    const pressed = await key("where");
    expect([pressed.code, pressed.stderr]).toEqual([69, expect.stringContaining("too many keys are pressed at once")]);
    await eventually(async () => expect((await key("where")).code).toBe(0));
    for (const socket of held) socket.destroy();
  });

  it("again, back and where read what was heard; stop asks back by name, and then stops", async () => {
    const { agent, hears, key } = await speakStage();
    const sorter = await agent();
    const session = sorter.session("Sort the books.");
    await session.say(["The first answer. It has `code`."]);
    await session.say(["The second answer."]);
    session.state("calling_tool", "Counting the shelves.");
    await eventually(async () => expect((await key("where")).stdout).toContain("Sorter: Counting the shelves."));
    expect((await key("again")).stdout).toBe("Sorter: The second answer.\n");
    expect((await key("back")).stdout).toBe("Sorter: The first answer. It has code.\n");
    expect((await key("again")).stdout).toBe("Sorter: The first answer. It has code.\n");
    expect(await key("back")).toMatchObject({ code: 1, stdout: "That was the first text.\n" });
    expect(await key("stop", "nobody")).toMatchObject({ code: 1, stdout: "No agent of the name nobody is at work.\n" });
    expect((await key("stop")).stdout).toBe("Stop Sorter? Once more stops it.\n");
    expect((await key("stop", "sort")).stdout).toBe("Sent: stop Sorter.\n");
    session.complete("Done.");
    await hears("Sorter is done.");
    await hears("The second answer.");
  });

  it("stop means the agent that it has asked about, whoever was heard since", async () => {
    const { agent, key } = await speakStage();
    const [sorter, painter] = [await agent(), await agent("Painter")];
    const session = painter.session("Paint the shelf.");
    sorter.session("Sort the books.").state("deciding", "Looks at the first book.");
    await eventually(async () => expect((await key("where")).stdout).toContain("Sorter: Looks at the first book."));
    await eventually(async () => expect((await key("stop", "sort")).stdout).toBe("Stop Sorter? Once more stops it.\n"));
    session.state("deciding", "Looks at the paint.");
    await eventually(async () => expect((await key("where")).stdout).toMatch(/^Painter: Looks at the paint/));
    expect((await key("stop")).stdout).toBe("Sent: stop Sorter.\n");
  });

  it("pause lets questions through; mute tells afterwards what came", async () => {
    const { agent, hears, key } = await speakStage("--mode", "sentence");
    const session = (await agent()).session("Sort the books.");
    await hears("Sort the books.");
    // A text that is on its way out when the sound goes off would count too.
    await eventually(async () => expect((await key("hush")).stdout).toBe("Nothing is spoken.\n"));
    expect((await key("mute", "5000")).code).toBe(1);
    expect((await key("mute", "30")).stdout).toBe("The sound is off for 30 minutes.\n");
    session.state("calling_tool", "Counting the shelves.");
    await eventually(async () => expect((await key("where")).stdout).toContain("Counting the shelves."));
    expect((await key("resume")).stdout).toBe("The sound is on again. 1 text came meanwhile.\n");
    expect((await key("pause")).stdout).toBe("Paused.\n");
    void session
      .confirm({ action: "Throw 40 books away", consequence: "They are gone.", ...ARGUMENTS })
      .catch(() => {});
    await hears("Answer accept or reject.");
    expect((await key("resume")).stdout).toBe("Speaking on.\n");
    expect((await key("hush")).stdout).toMatch(/^(Silent|Nothing is spoken)\.$/m);
    expect((await key("skip")).stdout).toMatch(/^(Skipped|Nothing is spoken)\.$/m);
  });

  it.each(["hush", "skip"])("%s between two sentences leaves out the rest of the output", async (name) => {
    const { agent, hears, key, said } = await speakStage("--mode", "sentence");
    const session = (await agent()).session("Sort the books.");
    let goOn = (): void => {};
    const pressed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const written = session.say(
      (async function* () {
        yield "The first sentence is here. The second one is here. The";
        await pressed;
        yield " third one is here. The fourth one is here.";
      })(),
    );
    await hears("The first sentence is here.");
    await eventually(async () => expect((await key(name)).stdout).toMatch(/^(Silent|Skipped)\.$/m));
    expect((await key(name)).stdout).toBe("Nothing is spoken.\n");
    goOn();
    await written;
    await session.say(["Another text is here."]);
    session.complete("The books are sorted now.");
    await hears("The books are sorted now.");
    expect(said().join("\n")).toContain("Another text is here.");
    expect(said().join("\n")).not.toMatch(/third|fourth/);
  });

  it("the last sentence of an output is said before the tool that comes next", async () => {
    const { agent, hears, said } = await speakStage("--mode", "sentence");
    const session = (await agent()).session("Sort the books.");
    void session.say(
      (async function* () {
        yield "This is first. I look at the shelves.";
        await new Promise(() => {});
      })(),
    );
    await hears("This is first.");
    session.state("calling_tool", "Counting the shelves.");
    await hears("Counting the shelves.");
    const lines = said().map((line) => line.replace(/^.*?: /, ""));
    expect(lines.indexOf("I look at the shelves.")).toBe(lines.indexOf("Counting the shelves.") - 1);
  });

  it("where tells what waits, and mute how much was left out", async () => {
    const silent = ["--mode", "sentence", "--to", "command", "cat > /dev/null"];
    const { agent, key } = await stageOf({ path: "/nowhere", options: silent });
    const session = (await agent()).session("Sort the books.");
    await session.say(["The first answer is this one."]);
    await eventually(async () => expect((await key("where")).stdout).toMatch(/this one\. [2-9] texts waiting\.\n$/));
    await key("mute");
    expect((await key("where")).stdout).toMatch(/this one\. The sound is off\. [3-9] texts came meanwhile\.\n$/);
    await key("pause");
    expect((await key("where")).stdout).toMatch(/ Paused\.\n$/);
  });

  it("without a listener they say how to start one; wrong usage is told", async () => {
    const environment = { XDG_RUNTIME_DIR: temporaryDirectory() };
    expect(await runCommandLine(["hush"], environment)).toEqual({
      code: 69,
      stdout: "",
      stderr: "Error: Nobody speaks here. To start: aaepd speak\n",
    });
    expect((await runCommandLine(["answer"], environment)).code).toBe(2);
    expect((await runCommandLine(["answer", "yes", "--question", "first"], environment)).code).toBe(2);
  });

  it.each([
    ["without braille", [], "Braille is off. To start with it: aaepd speak --braille"],
    ["while BRLTTY does not run", ["--braille"], "There is no braille display at the moment."],
  ])("no display is taken by a listener that was started %s", async (_, options, why) => {
    const variables = { BRLAPI_HOST: ":99999" };
    const silent = ["--no-speech", "--aloud", "none", "--code", "skip", "--links", "full", "--emoji", "drop"];
    const { key } = await stageOf({ path: "/nowhere", options: [...silent, ...options], variables });
    expect(await key("braille", "take")).toMatchObject({ code: 1, stdout: `${why}\n` });
  });

  it("the program that is started knows all of them", () => {
    const [, names = ""] =
      /const KEYS = "([^"]*)"/.exec(readFileSync(new URL("../../../bin/aaepd.js", import.meta.url), "utf8")) ?? [];
    expect(names.split(" ")).toEqual(Object.keys(KEYS));
  });

  it("a message that is no key does nothing", async () => {
    const { daemon, key } = await speakStage();
    const path = join(daemon.socketPath, "..", "speak.keys");
    const { connectIpc } = await import("../../../transports/ipc/connect.js");
    for (const text of [
      "x",
      "[]",
      "{}",
      '{"key":"toString","words":[],"variables":[]}',
      '{"key":"answer","words":[1],"variables":[]}',
    ]) {
      const connection = await connectIpc(path, { framing: "newline" });
      connection.send(Buffer.from(text));
      for await (const [frame] of connection.frames) {
        expect(JSON.parse(Buffer.from(frame ?? []).toString())).toEqual({ said: "This is no key.", isRefused: true });
        break;
      }
      await connection.close();
    }
    expect((await key("where")).stdout).toBe("No agent is at work.\n");
  });
});

describe("the listener", () => {
  it("a second one says who speaks already", async () => {
    const { environment } = await speakStage();
    const { code, stderr } = await runCommandLine(["speak", "--no-speech"], environment);
    expect([code === 0, stderr]).toEqual([
      false,
      expect.stringContaining(`Process ${process.pid} speaks for you already.`),
    ]);
  });

  it("names alone are said aloud where a person wants that", async () => {
    const names = await speakStage("--aloud", "names");
    const session = (await names.agent()).session("A secret.");
    void session.confirm({ action: "Tell a secret", consequence: "It is known.", ...ARGUMENTS }).catch(() => {});
    await names.hears("Answer accept or reject.");
    expect(names.said().join("\n")).not.toMatch(/secret|known/);
    expect(await names.key("answer", "accept")).toMatchObject({ code: 1 });
    expect((await names.key("questions")).stdout).toContain("Tell a secret");
  });

  it("takes its options from its file, and the command line goes first", async () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, "aaepd"));
    const path = join(folder, "aaepd", "speak.json");
    const environment = { XDG_CONFIG_HOME: folder, XDG_RUNTIME_DIR: temporaryDirectory() };
    for (const [text, sentence] of [
      ["[]", "no JSON object"],
      ['{"mod": "done"}', "Did you mean mode?"],
      ['{"mode": "loud"}', 'mode is "loud"'],
      ['{"rate": 500}', "rate is 500. Give a whole number from -100 to 100."],
      ['{"speech": 1}', "Give true or false"],
      ['{"mode": "sentence", "to": ["orca"]}', "Give --to command and a program"],
    ] as const) {
      writeFileSync(path, text);
      expect(await runCommandLine(["speak"], environment)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(sentence),
      });
    }
    writeFileSync(path, '{"mode": "sentence", "rate": 30, "speech": false}');
    const speaker = startCommandLine(["speak", "--mode", "done"], { environment });
    await eventually(async () => expect((await runCommandLine(["where"], environment)).code).toBe(0));
    await eventually(() => expect(speaker.stderr()).toContain("No daemon runs yet"));
    speaker.signal("SIGTERM");
    expect(await speaker.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^No daemon runs yet; .*\n$/) });
  });

  it("tells in one line that nothing can be spoken, and goes on", async () => {
    const runtime = temporaryDirectory();
    const socket = join(runtime, "speechd.sock");
    const server = createServer((one) => one.end());
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const environment = { XDG_RUNTIME_DIR: runtime, SPEECHD_ADDRESS: `unix_socket:${socket}` };
    const speaker = startCommandLine(["speak"], { environment });
    await eventually(async () =>
      expect((await runCommandLine(["where"], environment)).stdout).toBe("No agent is at work.\n"),
    );
    await eventually(() =>
      expect(speaker.stderr()).toContain("Nothing can be spoken: Speech Dispatcher has ended the connection."),
    );
    server.close();
  });

  it("ends at once while Speech Dispatcher hangs in its start", async () => {
    const [runtime, commands] = [temporaryDirectory(), temporaryDirectory()];
    const started = join(commands, "started");
    writeFileSync(join(commands, "speech-dispatcher"), `#!/bin/sh\n: > "${started}"\nexec /bin/sleep 1000\n`, {
      mode: 0o700,
    });
    const speaker = startCommandLine(["speak"], { environment: { XDG_RUNTIME_DIR: runtime, PATH: commands } });
    await eventually(() => expect(existsSync(started)).toBe(true));
    await eventually(() => expect(speaker.stderr()).toContain("No daemon runs yet"));
    speaker.signal("SIGTERM");
    expect(await speaker.ended).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("Nothing can be spoken"),
    });
  });

  it("tells before the first words that Speech Dispatcher is not installed", async () => {
    const speaker = startCommandLine(["speak"], {
      environment: { XDG_RUNTIME_DIR: temporaryDirectory(), PATH: "/nowhere" },
    });
    await eventually(() =>
      expect(speaker.stderr()).toContain(
        "Nothing can be spoken yet: Speech Dispatcher does not run. It is not installed. Install it, as in: apt install speech-dispatcher.",
      ),
    );
  });
});

it("docs/listening.md has the table of what is said", () => {
  const page = readFileSync(new URL("../../../docs/listening.md", import.meta.url), "utf8");
  for (const kind of Object.keys(NARRATION.done) as (keyof typeof NARRATION.done)[])
    expect(page).toContain(
      `| ${kind} | ${NARRATION.done[kind]} | ${NARRATION.sentence[kind]} | ${NARRATION.questions[kind]} |`,
    );
});
