// The adapters of frameworks beside the frameworks themselves, as their registry has them: scripted models, no network, a real daemon and a real listener.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually, serve } from "../cli/command-stage.js";
import { accepts, type ListenOptions, listenAt, rejects } from "../client/agent/agent-stage.js";
import { ensureBuilt } from "../support/built.js";
import { docBlock, docPage } from "../support/doc-blocks.js";
import { shared } from "../support/lifetime.js";
import { fixture, startCommand } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { saidOf } from "../support/typed-programs.js";
import { installed } from "./agents/installed.js";
import { endsIn, IS_NEWEST, isAboutOld, linesOf, PAGE_HEARD } from "./framework-lines.js";
import { ROOT } from "./package/stage.js";

const HEARD = readFileSync(fixture("frameworks/heard.txt"), "utf8").trimEnd().split("\n");
const isQuestion = (line: string) => line.startsWith("awaiting.");
const WITHOUT_QUESTIONS = HEARD.filter((line) => !isQuestion(line));

interface Framework {
  readonly name: string;
  /** The program of the fixtures, and of the page. */
  readonly program: string;
  readonly packages: readonly [string, ...string[]];
  /** What `yours.mjs` of the page has. Default: a model. */
  readonly given?: "shop" | "options" | "tidy";
  /** What it has besides. */
  readonly burn?: string;
  /** The types of what it has. */
  readonly types?: string;
  /** A program of `recipes.md`, in place of an adapter, and what is heard of it. */
  readonly recipe?: readonly string[];
  /** Differences that the page's table names. */
  readonly asksInline?: false;
  readonly tellsHost?: false;
}

const AI_SDK = {
  program: "ai-sdk",
  burn: 'made("burn")',
  types: `import type { AgentSession } from "@aaepd/client";
import { approvals } from "@aaepd/client/ai-sdk";
import type { LanguageModel, ModelMessage, streamText, Tool } from "ai";
export declare const model: LanguageModel;
export declare const burn: Tool<{ file: string }, string>;
export const answers = async (session: AgentSession, { content }: ReturnType<typeof streamText>) =>
  ({ role: "tool", content: [...(await approvals(session, await content))] }) satisfies ModelMessage;`,
};
const FRAMEWORKS: readonly Framework[] = [
  { name: "AI SDK 7", packages: ["ai@7.0.173", "zod@4"], ...AI_SDK },
  { name: "AI SDK 6", packages: ["ai@6.0.326", "zod@4"], ...AI_SDK, asksInline: false },
  {
    name: "LangChain",
    program: "langchain",
    packages: ["langchain@1.5.14", "@langchain/langgraph@1.7.3", "@langchain/core@1.4.0"],
    burn: 'made("burn")',
    types: `import type { AgentSession } from "@aaepd/client";
import { heard } from "@aaepd/client/langchain";
import type { Callbacks } from "@langchain/core/callbacks/manager";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredTool } from "langchain";
export declare const model: BaseChatModel;
export declare const burn: StructuredTool;
export const callbacks = (session: AgentSession): Callbacks => [heard(session)];`,
    tellsHost: false,
  },
  {
    name: "OpenAI Agents SDK",
    program: "openai-agents",
    packages: ["@openai/agents@0.20.0", "zod@4"],
    burn: 'made("burn", { needsApproval: true })',
    types: `import type { FunctionTool, Model } from "@openai/agents";
export declare const model: Model;
export declare const burn: FunctionTool;`,
  },
  {
    name: "Claude Agent SDK",
    program: "claude-agent",
    // Its program, of 350 MB, is optional.
    packages: ["--omit=optional", "@anthropic-ai/claude-agent-sdk@0.3.328"],
    given: "options",
    recipe: PAGE_HEARD,
  },
  { name: "AG-UI", program: "ag-ui", packages: ["@ag-ui/client@1.0.0"], given: "shop", recipe: PAGE_HEARD },
  { name: "Mastra", program: "mastra", packages: ["@mastra/core@1.71.0", "zod@4"], given: "shop", recipe: PAGE_HEARD },
  {
    name: "OpenTelemetry",
    program: "opentelemetry",
    packages: ["@opentelemetry/sdk-trace-base@2.12.1", "@opentelemetry/api@1"],
    given: "tidy",
    recipe: [
      "session.started | Tidies the shop.",
      "tool.invoked | burn | burn",
      "tool.completed | burn | success",
      "tool.invoked | count_boxes | stock: count_boxes",
      "tool.completed | count_boxes | error",
      "session.completed | Ended.",
    ],
  },
];

/** With newest versions: of the same major version, and of any where that is 0. */
const wanted = (name: string) =>
  IS_NEWEST ? name.replace(/(?<=.)@(\d+)/, (_, major) => (major === "0" ? "@>=0" : `@^${major}`)) : name;

beforeAll(ensureBuilt, 120_000);

describe.each(FRAMEWORKS)("$name", (framework) => {
  const { program, packages, given = "model", burn, types, recipe, asksInline = true, tellsHost = true } = framework;
  const page = docBlock(docPage(recipe === undefined ? "frameworks.md" : "recipes.md"), "js", `${program}.mjs`);
  /** A project that has the framework, the client as it is packed, and the programs. */
  const project = shared(async () => {
    const [first, ...others] = packages;
    const modules = await installed(wanted(first), ...others.map(wanted));
    const client = join(modules, "@aaepd/client");
    mkdirSync(client, { recursive: true });
    for (const name of ["dist", "package.json"])
      cpSync(join(ROOT, "packaging/client", name), join(client, name), { recursive: true });
    const folder = join(modules, "..");
    const from = fixture("frameworks");
    for (const name of readdirSync(from)) cpSync(join(from, name), join(folder, name));
    writeFileSync(join(folder, "page.mjs"), page);
    const yours = [
      `import * as parts from "./${program}-parts.mjs";`,
      'import { PAGE_STEPS } from "./shop.mjs";',
      `export const ${given} = parts.scripted(PAGE_STEPS);`,
      ...(burn === undefined ? [] : [`export const burn = parts.${burn};`]),
    ];
    writeFileSync(join(folder, "yours.mjs"), yours.join("\n"));
    return folder;
  });

  async function ran(file: string, answer?: ListenOptions["answer"]) {
    const cwd = await project();
    const { environment, socketPath } = await serve(temporaryDirectory(), "--journal", "memory");
    const { events } = await listenAt(socketPath, { answer });
    const running = startCommand([process.execPath, file], { cwd, environment });
    const { code } = await running.ended;
    expect({ code, stderr: running.stderr() }).toEqual({ code: 0, stderr: "" });
    await eventually(() => expect(endsIn(events)).toBe(file === `${program}.mjs` ? 2 : 1));
    return { events, lines: linesOf(events), out: running.stdout() };
  }

  it.runIf(recipe === undefined)(
    "is heard in the same words as the others, and a person's yes and no decide",
    async () => {
      const { lines, out } = await ran(`${program}.mjs`, (event) => (isAboutOld(event) ? accepts : rejects)(event));
      expect(lines).toEqual(HEARD);
      expect(out).toBe('["old.txt"]\n');
    },
  );

  it.runIf(recipe === undefined)("leaves the decision to the program where nobody can be asked", async () => {
    const { events, lines, out } = await ran(`${program}.mjs`);
    expect(lines.filter((line) => !isQuestion(line))).toEqual(WITHOUT_QUESTIONS);
    expect(out).toBe('["old.txt"]\n');
    const burning = events.find(({ tool }) => tool === "burn");
    expect(burning?.extensions?.aaepd?.approved_by).toBe(tellsHost ? "host" : undefined);
  });

  it.runIf(asksInline)("does what the page says", async () => {
    const { lines, out } = await ran("page.mjs", accepts);
    expect(out).toMatch(/The shop is tidy\.\n$/);
    expect(lines).toEqual(recipe ?? PAGE_HEARD);
    if ((recipe ?? PAGE_HEARD).some(isQuestion))
      expect((await ran("page.mjs", rejects)).lines).not.toContain("tool.invoked | burn | burn");
  });

  it.runIf(program === "mastra")("asks about each of two calls of one step, and obeys each answer", async () => {
    const folder = await project();
    writeFileSync(join(folder, "two.mjs"), page.replace("./yours.mjs", "./two-calls.mjs"));
    const calls = ["old.txt", "new.txt"].map((file) => ({ id: file, name: "burn", given: { file } }));
    const steps = [
      { say: ["I burn both."], calls },
      { say: ["Tidy."], calls: [] },
    ];
    writeFileSync(
      join(folder, "two-calls.mjs"),
      `import { scripted } from "./mastra-parts.mjs"; export const shop = scripted(${JSON.stringify(steps)});`,
    );
    const { lines } = await ran("two.mjs", (event) => (isAboutOld(event) ? accepts : rejects)(event));
    expect(lines).toEqual([
      "session.started | Tidies the shop.",
      "text | I burn both.",
      "awaiting.confirmation | Use burn | file: old.txt",
      "tool.invoked | burn | burn",
      "awaiting.confirmation | Use burn | file: new.txt",
      "tool.completed | burn | success",
      "text | Tidy.",
      "session.completed | Ended.",
    ]);
  });

  it.runIf(program === "langchain")("leaves to the program what the middleware does not take", async () => {
    const { lines, out } = await ran("langchain-cases.mjs", rejects);
    expect(lines.filter((line) => !line.startsWith("text"))).toEqual([
      "session.started | Tidies.",
      "awaiting.confirmation | Use burn | file: old.txt",
      "session.completed | Ended.",
    ]);
    expect(out).toBe("1\n".repeat(5));
  });

  it.runIf(types !== undefined)("has the types of the framework", async () => {
    const programs = { "page.mts": page, "yours.mts": types ?? "" };
    const options = {
      module: "NodeNext",
      moduleResolution: "NodeNext",
      skipLibCheck: true,
      exactOptionalPropertyTypes: false,
    };
    expect(saidOf(await project(), programs, options)).toBe("");
  });
});
