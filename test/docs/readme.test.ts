// The README's examples, run as they stand there: an agent and a listener in each language, over real processes and a real socket.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runtimeEnvironment, serve } from "../cli/command-stage.js";
import { docPage, projectOf } from "../support/doc-blocks.js";
import { sideBySide } from "../support/lifetime.js";
import { untilHeard } from "../support/peers/heard.js";
import { createHeldNpx } from "../support/peers/held-npx.js";
import { type Program, startCommand } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const README = docPage("README.md");

function run(program: string, name: string, environment: Readonly<Record<string, string>>): Program {
  const language = name.endsWith(".py") ? "python" : "js";
  return startCommand([program, join(projectOf(README, language, name), name)], { environment });
}

/** What it has printed in the end. */
const printed = async ({ ended, stdout, stderr }: Program) => ({
  code: (await ended).code,
  out: stdout(),
  err: stderr(),
});

/** Both sides of a conversation; the agent's words are kept back until the listener is there. */
async function converse(program: string, listenerName: string, agentName: string) {
  const directory = temporaryDirectory();
  const npx = createHeldNpx(directory);
  const listener = run(program, listenerName, { XDG_RUNTIME_DIR: directory });
  const agent = run(program, agentName, { XDG_RUNTIME_DIR: directory, PATH: npx.path });
  await untilHeard(join(directory, "aaep", "my-agent.sock"), listener.stdout);
  await npx.letGo();
  return { agent: await printed(agent), heard: await printed(listener) };
}

// Their events come at the pace that the listeners ask for.
const conversations = sideBySide({
  python: () => converse("python3", "listen.py", "agent.py"),
  javaScript: async () => {
    const { socketPath, environment } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, "--producer-id", "my-agent");
    const listener = run("node", "listen.mjs", environment);
    await untilHeard(socketPath, listener.stdout);
    const before = listener.stdout().length;
    const agent = await printed(run("node", "agent.mjs", { ...environment, AAEPD_SOCKET: socketPath }));
    return { agent, heard: await printed(listener), before };
  },
});

describe("README", () => {
  it("the Python agent is heard by the Python listener, in whole sentences", async () => {
    const { agent, heard } = await conversations.python();
    expect(agent).toMatchObject({ code: 0, out: "" });
    expect(heard.code).toBe(0);
    expect(heard.out).toContain("aaep:agent.output.streaming The library opens at 9.30 a.m. \n");
    expect(heard.out).toContain("aaep:agent.output.streaming It closes at six.\n");
    expect(heard.out).toContain("aaep:agent.session.completed Told the opening hours.\n");
    expect(heard.out.trimEnd().endsWith("subscription.close")).toBe(true);
  }, 180_000);

  it("the JavaScript agent is heard by the JavaScript listener", async () => {
    const { agent, heard, before } = await conversations.javaScript();
    expect(agent).toEqual({ code: 0, out: "", err: "" });
    expect(heard).toMatchObject({ code: 0, err: "" });
    const [, shown = ""] =
      /`node listen.mjs` prints[^`]*`node agent.mjs`[^`]*```text\n([\s\S]*?)```/.exec(README) ?? [];
    expect(shown.split("\n").length).toBeGreaterThan(3);
    const lines = heard.out.slice(before).split("\n");
    expect(lines.filter((line) => shown.split("\n").includes(line))).toEqual(shown.split("\n"));
  }, 180_000);
});
