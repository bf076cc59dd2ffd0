// The adapters in Python beside the frameworks, as PyPI has them: the run of every framework, by a scripted model and without a network.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually, serve } from "../../cli/command-stage.js";
import { accepts, type ListenOptions, listenAt, rejects } from "../../client/agent/agent-stage.js";
import { docBlock, docPage } from "../../support/doc-blocks.js";
import { shared } from "../../support/lifetime.js";
import { fixture, startCommand } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { endsIn, isAboutOld, linesOf } from "../framework-lines.js";
import { ROOT, succeed } from "../package/stage.js";

const FIVE_MINUTES = 300_000;
const HEARD = readFileSync(fixture("frameworks/heard.txt"), "utf8").trimEnd().split("\n");
const ABANDONED = "tool.completed | wait | timeout | The tool wait was abandoned without a result.";

interface Framework {
  readonly name: string;
  readonly program: string;
  readonly packages: readonly string[];
  /** `yours.py` of the page. */
  readonly yours: string;
  /** A difference that the page's table names. */
  readonly abandoned?: string;
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
    abandoned: "tool.completed | wait | error",
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
];

describe.each(FRAMEWORKS)("$name", ({ program, packages, yours, abandoned = ABANDONED }) => {
  const heard = HEARD.map((line) => (line === ABANDONED ? abandoned : line));
  const python = shared(async () => {
    const folder = temporaryDirectory();
    await succeed(folder, "python3", "-m", "venv", "python");
    await succeed(folder, join(folder, "python/bin/pip"), "install", "--quiet", ...packages);
    return folder;
  });

  async function ran(file: string, sessions: number, answer?: ListenOptions["answer"]) {
    const folder = await python();
    const { environment, socketPath } = await serve(temporaryDirectory(), "--journal", "memory");
    const { events } = await listenAt(socketPath, { answer });
    const paths = { PYTHONPATH: `${ROOT}/python/src:${fixture("frameworks")}`, PYTHONDONTWRITEBYTECODE: "1" };
    const running = startCommand([join(folder, "python/bin/python"), file], {
      environment: { ...environment, ...paths },
    });
    const { code } = await running.ended;
    expect({ code, stderr: running.stderr() }).toEqual({ code: 0, stderr: "" });
    await eventually(() => expect(endsIn(events)).toBe(sessions));
    return { lines: inEitherOrder(linesOf(events)), out: running.stdout() };
  }

  it(
    "is heard in the same words as in TypeScript, and a person's yes and no decide",
    async () => {
      const { lines, out } = await ran(fixture(`frameworks/${program}_shop.py`), 2, (event) =>
        (isAboutOld(event) ? accepts : rejects)(event),
      );
      expect(lines).toEqual(heard);
      expect(out).toBe('["old.txt"]\n');
    },
    FIVE_MINUTES,
  );

  it(
    "leaves the decision to the program where nobody can be asked",
    async () => {
      const { lines, out } = await ran(fixture(`frameworks/${program}_shop.py`), 2);
      const asks = (line: string) => line.startsWith("awaiting.");
      expect(lines.filter((line) => !asks(line))).toEqual(heard.filter((line) => !asks(line)));
      expect(out).toBe('["old.txt"]\n');
    },
    FIVE_MINUTES,
  );

  it(
    "does what the page says",
    async () => {
      const folder = await python();
      const page = join(folder, "page.py");
      writeFileSync(page, docBlock(docPage("frameworks.md"), "python", `${program}.py`));
      writeFileSync(join(folder, "yours.py"), yours);
      const { lines, out } = await ran(page, 1, accepts);
      expect(out).toBe("The shop is tidy.\n");
      expect(lines).toContain("tool.invoked | burn | burn");
      expect((await ran(page, 1, rejects)).lines).not.toContain("tool.invoked | burn | burn");
    },
    FIVE_MINUTES,
  );
});

/** Two calls of one step begin in threads. */
function inEitherOrder(lines: readonly string[]): readonly string[] {
  const count = lines.findIndex((line) => line.startsWith("tool.invoked"));
  return [...lines.slice(0, count), ...lines.slice(count, count + 2).sort(), ...lines.slice(count + 2)];
}
