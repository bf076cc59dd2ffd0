// docs/a2e.md, run as it stands there: the commands, what they print, what is heard, and the messages.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { resolveConfiguration } from "../../src/daemon/config/config-sources.js";
import { eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { docBlock, docPage } from "../support/doc-blocks.js";
import { environmentWithAaepd } from "../support/peers/aaepd-on-path.js";
import { startCommand } from "../support/peers/program.js";
import { isAsPublished } from "../support/published-schemas.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const PAGE = docPage("a2e.md");
const block = (language: string, name: string): string => docBlock(PAGE, language, name);

beforeAll(ensureBuilt);

/** A folder with `aaepd` in its path, and nothing of the user's. The daemon has the first of the providers, or no configuration. */
function stage() {
  const directory = temporaryDirectory();
  const environment = environmentWithAaepd(directory);
  const run = (command: string) => startCommand(["sh", "-c", `exec ${command.trim()}`], { environment });
  return { run, directory };
}

it.each(["run", "held"])("an agent in front of its host prints what the page says: %s", async (name) => {
  const agent = stage().run(block("sh", name));
  expect(await agent.ended).toMatchObject({ code: 0 });
  expect(agent.stdout().endsWith(block("text", name))).toBe(true);
});

it("the configuration is taken, and what an agent at the socket does is heard as the page says", async () => {
  const { run, directory } = stage();
  mkdirSync(join(directory, "aaepd"));
  const file = join(directory, "aaepd", "config.json");
  writeFileSync(file, block("json", "serve"));
  const { configuration } = resolveConfiguration({ command: "serve", flags: {}, environment: {}, configFile: file });
  expect(configuration.a2eProviders.map(({ name, priority }) => [name, priority])).toEqual([
    ["files", 0],
    ["search", 1],
  ]);
  expect(configuration).toMatchObject({ a2eIrreversibleTools: ["delete_file"], a2eShownArguments: ["path"] });
  // The second provider is none that a test can start.
  const { a2e } = JSON.parse(block("json", "serve")) as { readonly a2e: { readonly providers: readonly unknown[] } };
  writeFileSync(file, JSON.stringify({ a2e: { providers: a2e.providers.slice(0, 1) } }));
  const daemon = run("aaepd serve");
  await daemon.stdoutLines(1);
  const heard = block("text", "heard");
  const tail = run(`aaepd tail --no-time -n ${heard.trim().split("\n").length}`);
  await eventually(() => expect(tail.stderr()).toContain("Connected"));
  const agent = run(block("sh", "socket"));
  expect(await agent.ended).toMatchObject({ code: 0 });
  expect(agent.stdout()).toContain("add: 42");
  expect(await tail.ended).toMatchObject({ code: 0 });
  expect(tail.stdout().replaceAll("aaepd, example-agent: ", "")).toBe(heard);
  daemon.child.kill("SIGTERM");
  expect(await daemon.ended).toMatchObject({ code: 0 });
});

it("the messages are as the schemas say", () => {
  expect(isAsPublished("a2e", "A2ERegister", JSON.parse(block("json", "register")))).toBe(true);
  expect(isAsPublished("a2e", "A2ERegistered", JSON.parse(block("json", "registered")))).toBe(true);
});
