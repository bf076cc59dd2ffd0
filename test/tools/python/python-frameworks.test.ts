// The adapters in Python beside the frameworks, as PyPI has them: the run of every framework, by a scripted model and without a network.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually, serve } from "../../cli/command-stage.js";
import { accepts, type ListenOptions, listenAt, rejects } from "../../client/agent/agent-stage.js";
import { docBlock, docPage } from "../../support/doc-blocks.js";
import { shared } from "../../support/lifetime.js";
import { fixture, startCommand } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { endsIn, isAboutOld, linesOf } from "../framework-lines.js";
import { ROOT, succeed } from "../package/stage.js";

const FIVE_MINUTES = 300_000;
const PACKAGES = ["langchain==1.5.2", "langgraph==1.2.24"];
const ABANDONED = "tool.completed | wait | timeout | The tool wait was abandoned without a result.";
/** As the other frameworks. An interrupt ends the call before the session: the page's table. */
const HEARD = readFileSync(fixture("frameworks/heard.txt"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => (line === ABANDONED ? "tool.completed | wait | error" : line));

const python = shared(async () => {
  const folder = temporaryDirectory();
  await succeed(folder, "python3", "-m", "venv", "python");
  await succeed(folder, join(folder, "python/bin/pip"), "install", "--quiet", ...PACKAGES);
  return { folder, program: join(folder, "python/bin/python") };
});

async function ran(file: string, sessions: number, answer?: ListenOptions["answer"]) {
  const { program } = await python();
  const { environment, socketPath } = await serve(temporaryDirectory(), "--journal", "memory");
  const { events } = await listenAt(socketPath, { answer });
  const running = startCommand([program, file], {
    environment: {
      ...environment,
      PYTHONPATH: `${ROOT}/python/src:${fixture("frameworks")}`,
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });
  const { code } = await running.ended;
  expect({ code, stderr: running.stderr() }).toEqual({ code: 0, stderr: "" });
  await eventually(() => expect(endsIn(events)).toBe(sessions));
  return { lines: inEitherOrder(linesOf(events)), out: running.stdout() };
}

/** Two calls of one step begin in threads. */
function inEitherOrder(lines: readonly string[]): readonly string[] {
  const count = lines.findIndex((line) => line.startsWith("tool.invoked"));
  return [...lines.slice(0, count), ...lines.slice(count, count + 2).sort(), ...lines.slice(count + 2)];
}

it(
  "LangChain is heard in the same words as in TypeScript, and a person's yes and no decide",
  async () => {
    const { lines, out } = await ran(fixture("frameworks/langchain_shop.py"), 2, (event) =>
      (isAboutOld(event) ? accepts : rejects)(event),
    );
    expect(lines).toEqual(HEARD);
    expect(out).toBe('["old.txt"]\n');
  },
  FIVE_MINUTES,
);

it(
  "it leaves the decision to the program where nobody can be asked",
  async () => {
    const { lines, out } = await ran(fixture("frameworks/langchain_shop.py"), 2);
    const asks = (line: string) => line.startsWith("awaiting.");
    expect(lines.filter((line) => !asks(line))).toEqual(HEARD.filter((line) => !asks(line)));
    expect(out).toBe('["old.txt"]\n');
  },
  FIVE_MINUTES,
);

it(
  "it does what the page says",
  async () => {
    const { folder } = await python();
    const page = join(folder, "page.py");
    writeFileSync(page, docBlock(docPage("frameworks.md"), "python", "langchain.py"));
    writeFileSync(
      join(folder, "yours.py"),
      `import langchain_shop_parts as parts
model = parts.Scripted(steps=[(["I burn ", "old.txt."], [("call-8", "burn", {"file": "old.txt"})]), (["The shop is tidy."], [])])
burn = parts.made(parts.burn)
`,
    );
    const { lines, out } = await ran(page, 1, accepts);
    expect(out).toBe("The shop is tidy.\n");
    expect(lines).toContain("tool.invoked | burn | burn");
    expect((await ran(page, 1, rejects)).lines).not.toContain("tool.invoked | burn | burn");
  },
  FIVE_MINUTES,
);
