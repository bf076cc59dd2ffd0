// docs/tutorial-listener.md as it stands: its programs beside `aaepd serve`, and everything that it says is typed and printed, line by line.
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { AgentClient } from "../../src/client/agent/agent-client.js";
import { Subscriber } from "../../src/client/listener/subscriber.js";
import { ipcConnector, ipcRpcConnector } from "../../src/client/node.js";
import { eventually, runtimeEnvironment, serve } from "../cli/command-stage.js";
import { docBlocks, docPage, projectOf } from "../support/doc-blocks.js";
import { isWhole } from "../support/extent.js";
import { sideBySide, whenFinished } from "../support/lifetime.js";
import { cleanEnvironment, type Program, startProgram } from "../support/peers/program.js";

const PAGE = docPage("tutorial-listener.md");
const PROGRAMS = docBlocks(PAGE, "js");
const TRANSCRIPTS = docBlocks(PAGE, "text");
/** The folder of the reader's project. */
const projectFolder = (): string => projectOf(PAGE, "js");

/** A terminal in which one program after another runs. */
function terminal(environment: Readonly<Record<string, string>>) {
  let program: Program | undefined;
  let seen = 0;
  const running = (): Program => {
    if (program === undefined) throw new Error("no program runs here");
    return program;
  };
  const unseen = () => running().stdout().split("\n").slice(0, -1).slice(seen);
  return {
    start: (
      argv: readonly string[],
      options: { readonly entry?: string; readonly cwd?: string; readonly socket?: string },
    ) => {
      const { entry, cwd, socket } = options;
      seen = 0;
      program = startProgram(argv, {
        environment: { ...environment, ...(socket === undefined ? {} : { AAEPD_SOCKET: socket }) },
        ...(entry === undefined ? {} : { entry }),
        ...(cwd === undefined ? {} : { cwd }),
      });
    },
    isRunning: () => program !== undefined,
    type: (line: string) => void running().child.stdin.write(`${line}\n`),
    endInput: async () => {
      running().child.stdin.end();
      expect(await running().ended).toMatchObject({ code: 0 });
    },
    endsByItself: async () => expect(await running().ended).toMatchObject({ code: 0 }),
    interrupt: async () => {
      running().child.kill("SIGINT");
      const { code, signal } = await running().ended;
      expect([code, signal]).toSatisfy(([one, other]) => one === 0 || other === "SIGINT");
    },
    /** The next line that it prints is this one. */
    prints: async (line: string) => {
      await eventually(() => expect(unseen().length).toBeGreaterThan(0));
      expect(unseen()[0]).toBe(line);
      seen += 1;
    },
    output: () => running().stdout(),
    /** What was printed so far is none of the transcript. */
    forget: () => {
      seen = running().stdout().split("\n").length - 1;
    },
    /** Nothing was printed that the page does not show. */
    expectNothingElse: () => {
      if (program === undefined) return;
      // This test has an agent too, and has started the listener (R5d).
      const errors = running()
        .stderr()
        .replace(/^This subscriber runs below an agent.*\n/m, "");
      expect([unseen(), errors]).toEqual([[], ""]);
    },
  };
}

/** Opens and ends a session at the daemon, until a listener that prints its end has shown that it is subscribed. */
async function untilSubscribed(socketPath: string, output: () => string): Promise<void> {
  const agent = await AgentClient.open(ipcRpcConnector(socketPath));
  const session = { session_id: "sess_probe", producer: { agent_id: "probe" } };
  await agent.publish({ ...session, type: "aaep:agent.session.started", summary_normal: "Is anybody there?" });
  await eventually(() => expect(output()).not.toBe(""));
  await agent.publish({ ...session, type: "aaep:agent.session.completed", summary_normal: "Somebody is there." });
  await eventually(() => expect(output()).toContain("Somebody is there."));
  await agent.close();
}

/** All text that reaches the daemon. */
function textAt(socketPath: string): () => string {
  let text = "";
  const subscriber = new Subscriber({
    connect: ipcConnector(socketPath),
    request: { subscriber_id: "witness", capabilities: { coalesce_boundaries: ["none"] } },
    onEvent: ({ chunk }: Envelope) => {
      text += `${typeof chunk === "string" ? chunk : ""}\n`;
    },
  });
  whenFinished(() => subscriber.close());
  return () => text;
}

/** Types what a transcript shows, and expects what it shows to be printed. */
async function follow(name: string): Promise<void> {
  const { socketPath, environment } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const folder = projectFolder();
  const heard = textAt(socketPath);
  const terminals = { listener: terminal(environment), agent: terminal(environment), daemon: terminal(environment) };
  const lines = (TRANSCRIPTS.get(name) ?? "").trimEnd().split("\n");
  let isProbed = false;
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1] ?? "";
    const [, who = "listener", arrow = "->", words = line] = /^(listener|agent|daemon) (<-|->) (.*)$/.exec(line) ?? [];
    const at = terminals[who as keyof typeof terminals];
    const started = /^(?:AAEPD_SOCKET=\$XDG_RUNTIME_DIR\/aaep\/(\S+) )?node (\S+)$/.exec(words);
    if (arrow === "->") await at.prints(words);
    else if (words === "Ctrl+C") await at.interrupt();
    else if (words === "Ctrl+D") await at.endInput();
    else if (words.startsWith("npx --no -- aaepd ")) at.start(words.split(" ").slice(4), {});
    else if (started !== null) {
      const [, socket, program = ""] = started;
      expect(PROGRAMS.has(program), program).toBe(true);
      at.start([], {
        entry: join(folder, program),
        cwd: folder,
        ...(socket === undefined ? {} : { socket: join(dirname(socketPath), socket) }),
      });
      if (who === "listener" && !isProbed && next.startsWith("agent <-")) {
        await untilSubscribed(socketPath, at.output);
        at.forget();
      }
      isProbed = true;
    } else {
      at.type(words);
      // Where nobody prints anything, the daemon has it before the next line is typed.
      if (who === "agent" && next.includes(" <- ")) await eventually(() => expect(heard()).toContain(`${words}\n`));
    }
  }
  if (lines.includes("agent <- fail")) await terminals.agent.endsByItself();
  terminals.listener.expectNothingElse();
  terminals.agent.expectNothingElse();
}

const SUITE = "suite";

/** What the suite says of the page's listener: of every case, or in a short run of one that is about its own code. */
async function suiteResult(): Promise<string> {
  const [, command = ""] = /^```sh conformance\nnpx --no -- aaepd ([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  const environment = cleanEnvironment(runtimeEnvironment().XDG_RUNTIME_DIR);
  const argv = [...command.replaceAll("\\\n", " ").matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) =>
    (quoted ?? bare ?? "").replace("$XDG_RUNTIME_DIR", environment.XDG_RUNTIME_DIR ?? ""),
  );
  const chosen = isWhole ? [] : ["--case", "S1-ends-differ"];
  const { ended, stdout } = startProgram([...argv, ...chosen], { environment, cwd: projectFolder() });
  await ended;
  return stdout();
}

// The programs speak at the pace of a voice.
const followed: Readonly<Record<string, () => Promise<unknown>>> = sideBySide({
  ...Object.fromEntries([...TRANSCRIPTS.keys()].map((name) => [name, () => follow(name)])),
  [SUITE]: suiteResult,
});

test.each([...TRANSCRIPTS.keys()])("%s does as the page says", async (name) => {
  await expect(followed[name]?.()).resolves.toBeUndefined();
});

test("the listener that answers passes the suite that the page ends with", async () => {
  await expect(followed[SUITE]?.()).resolves.toMatch(/^PASS: \d+ passed, 0 failed, [01] skipped\.$/m);
});

test("every program of the page is run", () => {
  const modules = ["agent.mjs", "words.mjs", "voice.mjs"];
  expect([...PROGRAMS.keys()].filter((name) => !modules.includes(name))).toEqual([...TRANSCRIPTS.keys()]);
  for (const [name, transcript] of TRANSCRIPTS) expect(transcript).toContain(`listener <- node ${name}\n`);
});
