// docs/tutorial-agent.md as it stands: its programs beside `aaepd serve` and `aaepd tail --interactive`, and everything that it says they print.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { eventually, runtimeEnvironment, serve } from "../cli/command-stage.js";
import { startProgram } from "../support/peers/program.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/tutorial-agent.md"), "utf8");

/** A block of the page by its language and name. */
function block(language: string, name: string): string {
  const found = [...PAGE.matchAll(/^```(\w+) ([^\n]+)\n([\s\S]*?)^```$/gm)].filter(
    ([, one, title]) => one === language && title === name,
  );
  expect(found, `${language} ${name}`).toHaveLength(1);
  return found[0]?.[3] ?? "";
}

interface Ran {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
}

async function runProgram(name: string, environment: Readonly<Record<string, string>>): Promise<Ran> {
  // Inside the package, so that `aaepd` is found as it would be in a project that depends on it.
  const folder = mkdtempSync(join(ROOT, "dist", "tutorial-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const entry = join(folder, name);
  writeFileSync(entry, block("js", name));
  const { stdout, stderr, ended } = startProgram([], { entry, environment });
  const { code } = await ended;
  return { out: stdout(), err: stderr(), code };
}

async function stage() {
  const { environment } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const listener = startProgram(["tail", "--interactive", "--no-time"], { environment });
  await eventually(() => expect(listener.stderr()).toContain("Connected"));
  let heardBefore = 0;
  return {
    environment,
    listener,
    /** So many lines since the last call. */
    heard: async (lines: number): Promise<string> => {
      await eventually(() => expect(listener.stdout().slice(heardBefore).split("\n").length).toBeGreaterThan(lines));
      const heard = listener.stdout().slice(heardBefore);
      heardBefore = listener.stdout().length;
      return heard.replaceAll(/ after [\d.]+ s:/g, ":");
    },
  };
}

test("the programs are heard as the page says, one after the other", async () => {
  const { environment, heard } = await stage();
  for (const name of ["hello.mjs", "tools.mjs", "ends.mjs"]) {
    const ran = await runProgram(name, environment);
    expect(ran).toEqual({ code: 0, err: "", out: name === "ends.mjs" ? "The cellar is locked.\n" : "" });
    const expected = block("text", name);
    expect(await heard(expected.trimEnd().split("\n").length)).toBe(expected);
  }
});

test("asks.mjs does as the person says", async () => {
  const { environment, listener } = await stage();
  for (const [index, answer] of ["accept", "reject"].entries()) {
    const running = runProgram("asks.mjs", environment);
    await eventually(() => expect(listener.stderr()).toContain(`Question ${index + 1} of Librarian`));
    listener.child.stdin.write(`${answer}\n`);
    expect(await running).toEqual({ code: 0, err: "", out: block("text", `asks.mjs ${answer}`) });
  }
  listener.child.kill("SIGINT");
  await listener.ended;
  const out = block("text", "asks.mjs nobody");
  expect(await runProgram("asks.mjs", environment)).toEqual({ code: 0, err: "", out });
});

test("every program of the page is run, and every file that it points to exists", () => {
  const programs = [...PAGE.matchAll(/^```js (\S+)$/gm)].map(([, name]) => name);
  expect(programs).toEqual(["hello.mjs", "tools.mjs", "asks.mjs", "ends.mjs"]);
  const links = [...PAGE.matchAll(/\]\(([^)#]+)/g)].map((match) => match[1] ?? "");
  expect(links.filter((link) => !existsSync(join(ROOT, "docs", link)))).toEqual([]);
});
