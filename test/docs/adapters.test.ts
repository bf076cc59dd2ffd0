// docs/adapters.md: what is heard of an agent, and the configurations of editors, as they stand there.
import { expect, test } from "vitest";
import { openEditor } from "../adapters/acp/acp-editor.js";
import { eventually, serve, startCommandLine } from "../cli/command-stage.js";
import { docBlock, docPage } from "../support/doc-blocks.js";
import { untilHeard } from "../support/peers/heard.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const PAGE = docPage("adapters.md");
const json = (name: string) => JSON.parse(docBlock(PAGE, "json", name));

test("an agent is heard as the page says, by aaepd tail --interactive", async () => {
  const { environment, socketPath } = await serve(temporaryDirectory(), "--journal", "memory");
  const tail = startCommandLine(["tail", "--no-time", "--interactive"], { environment });
  await untilHeard(socketPath, tail.stdout);
  const before = tail.stdout().length;
  const editor = await openEditor({ environment, options: ["--name", "OpenCode in shop", "--quiet-prompts"] });
  const plan = ["in_progress", "pending"].map((status) => ({ content: "Change the price", status }));
  const done = editor.prompt([
    { say: "I look at the tests first." },
    { update: { ...READ, sessionUpdate: "tool_call", status: "completed" } },
    { update: { sessionUpdate: "plan", entries: plan } },
    { ask: { toolCallId: "t", title: "npm test", kind: "execute", rawInput: { command: "npm test" } }, isQuiet: true },
    { say: "All tests pass." },
  ]);
  await eventually(() => expect(tail.stderr()).toContain("Run npm test"));
  tail.stdin.write("yes\n");
  await done;
  await eventually(() => expect(tail.stdout()).toContain("completed: Done."));
  const lines = tail.stdout().slice(before).trimEnd().split("\n");
  // A state without words is heard in between.
  const said = lines.filter((line) => !/state: [a-z ]+$/.test(line));
  expect(said.join("\n").replaceAll(/ after [\d.]+ s/g, "")).toBe(docBlock(PAGE, "text", "heard").trimEnd());
  expect(tail.stderr()).toContain(`\n${docBlock(PAGE, "text", "asked")}`);
});

const READ = {
  toolCallId: "r",
  title: "Read config.ts",
  kind: "read",
  locations: [{ path: "/home/ada/shop/config.ts" }],
};

test.each(["zed", "jetbrains"])("the configuration of %s starts aaepd acp in front of the agent", (name) => {
  const { agent_servers } = json(name);
  expect(agent_servers.OpenCode).toMatchObject({ command: "aaepd", args: ["acp", "--", "opencode", "acp"] });
});

test("the configuration of a host of MCP starts aaepd mcp in front of the server", () => {
  const { filesystem } = json("mcp").mcpServers;
  expect(filesystem.command).toBe("aaepd");
  const at = filesystem.args.indexOf("--");
  expect(filesystem.args.slice(0, at)).toEqual([
    "mcp",
    "--name",
    "Claude in shop",
    "--irreversible-tools",
    "write_file,move_file",
  ]);
  expect(filesystem.args.slice(at + 1, at + 3)).toEqual(["npx", "-y"]);
});
