// The adapters in Python beside the frameworks, as PyPI has them: the run of every framework, by a scripted model and without a network.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { eventually, serve } from "../../cli/command-stage.js";
import { accepts, type ListenOptions, listenAt, rejects } from "../../client/agent/agent-stage.js";
import { docBlock, docPage } from "../../support/doc-blocks.js";
import { shared } from "../../support/lifetime.js";
import { fixture, PROGRAM, startCommand } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { endsIn, IS_NEWEST, isAboutOld, linesOf, PAGE_HEARD } from "../framework-lines.js";
import { ROOT, succeed } from "../package/stage.js";

const SLOW_MS = 600_000;
const PATHS = {
  PYTHONPATH: [`${ROOT}/python/src`, `${ROOT}/python/tests`, fixture("frameworks")].join(":"),
  PYTHONDONTWRITEBYTECODE: "1",
};
const HEARD = readFileSync(fixture("frameworks/heard.txt"), "utf8").trimEnd().split("\n");

interface Framework {
  readonly name: string;
  readonly program: string;
  readonly packages: readonly string[];
  /** `yours.py` of the page. */
  readonly yours: string;
  /** A program of `recipes.md`, in place of an adapter, and what is heard of it. */
  readonly recipe?: readonly string[];
  /** Differences that the page's table names, each as the line of every framework and its own. */
  readonly differs?: Readonly<Record<string, string>>;
}

const FRAMEWORKS: readonly Framework[] = [
  {
    name: "LangChain",
    program: "langchain",
    packages: ["langchain==1.5.2", "langgraph==1.2.24"],
    yours: `import langchain_shop_parts as parts
from shop import PAGE_STEPS
model, burn = parts.Scripted(steps=PAGE_STEPS), parts.made(parts.burn)
`,
    differs: {
      "tool.completed | wait | timeout | The tool wait was abandoned without a result.":
        "tool.completed | wait | error",
    },
  },
  {
    name: "OpenAI Agents SDK",
    program: "openai_agents",
    packages: ["openai-agents==0.24.0"],
    yours: `from openai_agents_shop_parts import Scripted, burn
from shop import PAGE_STEPS
model = Scripted(PAGE_STEPS)
`,
  },
  {
    name: "Pydantic AI",
    program: "pydantic_ai",
    packages: ["pydantic-ai-slim==2.68.0"],
    yours: `from pydantic_ai_shop_parts import burn, scripted
from shop import PAGE_STEPS
model = scripted(PAGE_STEPS)
`,
  },
  {
    name: "Claude Agent SDK",
    program: "claude_agent",
    packages: ["claude-agent-sdk==0.2.189"],
    yours: `from claude_agent_shop_parts import running
from shop import PAGE_STEPS
options = running(PAGE_STEPS)
`,
    differs: {
      "tool.invoked | stock | stock": "tool.invoked | Agent | Agent",
      "tool.completed | stock | success": "tool.completed | Agent | success",
    },
  },
  {
    name: "Google ADK",
    program: "google_adk",
    packages: ["google-adk==2.13.0"],
    yours: `from google_adk_shop_parts import Scripted, burn
from google.adk.agents import LlmAgent
from shop import PAGE_STEPS
shop = LlmAgent(name="shop", model=Scripted(model="scripted", steps=PAGE_STEPS), tools=[burn])
`,
    recipe: PAGE_HEARD,
  },
  {
    name: "CrewAI",
    program: "crewai",
    packages: ["crewai==1.15.30"],
    yours: `from crewai_shop_parts import crewed
from shop import PAGE_STEPS
crew = crewed(PAGE_STEPS)
`,
    recipe: PAGE_HEARD.filter((line) => line !== "text | I burn old.txt."),
  },
];

describe.each(FRAMEWORKS)("$name", ({ program, packages, yours, differs, recipe }) => {
  const heard = HEARD.map((line) => differs?.[line] ?? line);
  const python = shared(async () => {
    const folder = temporaryDirectory();
    await succeed(folder, "python3", "-m", "venv", "python");
    const wanted = packages.map((name) => (IS_NEWEST ? name.replace("==", ">=") : name));
    await succeed(folder, join(folder, "python/bin/pip"), "install", "--quiet", ...wanted);
    return folder;
  });

  async function ran(file: string, sessions: number, answer?: ListenOptions["answer"]) {
    const folder = await python();
    const { environment, socketPath } = await serve(temporaryDirectory(), "--journal", "memory");
    const { events } = await listenAt(socketPath, { answer });
    const running = startCommand([join(folder, "python/bin/python"), file], {
      environment: { ...environment, ...PATHS, CREWAI_DISABLE_TELEMETRY: "true" },
    });
    const { code } = await running.ended;
    expect(code, running.stderr()).toBe(0);
    if (recipe === undefined) expect(running.stderr()).toBe("");
    await eventually(() => expect(endsIn(events)).toBe(sessions));
    return { lines: linesOf(events), out: running.stdout() };
  }

  it.runIf(recipe === undefined)(
    "is heard in the same words as in TypeScript, and a person's yes and no decide",
    async () => {
      const { lines, out } = await ran(fixture(`frameworks/${program}_shop.py`), 2, (event) =>
        (isAboutOld(event) ? accepts : rejects)(event),
      );
      expect(inEitherOrder(lines)).toEqual(heard);
      expect(out).toBe('["old.txt"]\n');
    },
    SLOW_MS,
  );

  it.runIf(recipe === undefined)(
    "leaves the decision to the program where nobody can be asked",
    async () => {
      const { lines, out } = await ran(fixture(`frameworks/${program}_shop.py`), 2);
      const asks = (line: string) => line.startsWith("awaiting.");
      expect(inEitherOrder(lines).filter((line) => !asks(line))).toEqual(heard.filter((line) => !asks(line)));
      expect(out).toBe('["old.txt"]\n');
    },
    SLOW_MS,
  );

  it(
    "does what the page says",
    async () => {
      const folder = await python();
      const page = join(folder, "page.py");
      const from = docPage(recipe === undefined ? "frameworks.md" : "recipes.md");
      writeFileSync(page, docBlock(from, "python", `${program}.py`));
      writeFileSync(join(folder, "yours.py"), yours);
      const { lines, out } = await ran(page, 1, accepts);
      expect(out).toBe("The shop is tidy.\n");
      expect(lines).toEqual(recipe ?? PAGE_HEARD);
      expect((await ran(page, 1, rejects)).lines).not.toContain("tool.invoked | burn | burn");
    },
    SLOW_MS,
  );

  it.runIf(recipe === undefined)(
    "decides what a person decides in special cases too",
    async () => {
      const home = temporaryDirectory();
      const running = startCommand(
        [join(await python(), "python/bin/python"), fixture(`frameworks/${program}_cases.py`)],
        {
          environment: {
            ...PATHS,
            TESTED_PROGRAM: `${process.execPath} ${PROGRAM}`,
            PATH: process.env.PATH ?? "",
            TMPDIR: home,
          },
        },
      );
      const { code } = await running.ended;
      expect(code, running.stderr()).toBe(0);
    },
    SLOW_MS,
  );

  it.runIf(program === "claude_agent")(
    "asks what the agent asks, and hears no call that a rule denies",
    async () => {
      const answer = ({ reply_token }: Envelope) => ({ reply_token: String(reply_token), response: "Attic" });
      const { lines, out } = await ran(fixture("frameworks/claude_agent_question.py"), 1, answer);
      expect(out.split("\n")[0]).toBe(JSON.stringify([JSON.stringify({ "Where to look?": "Attic" })]));
      expect(lines.filter((line) => line.startsWith("tool."))).toEqual([
        "tool.invoked | mcp__shop__wait | shop: wait",
        "tool.completed | mcp__shop__wait | success",
      ]);
    },
    SLOW_MS,
  );
});

/** Two calls of one step begin in threads. */
function inEitherOrder(lines: readonly string[]): readonly string[] {
  const count = lines.findIndex((line) => line.startsWith("tool.invoked"));
  return [...lines.slice(0, count), ...lines.slice(count, count + 2).sort(), ...lines.slice(count + 2)];
}
