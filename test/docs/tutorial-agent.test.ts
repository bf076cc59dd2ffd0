// docs/tutorial-agent.md as it stands: its programs beside `aaepd serve` and `aaepd tail --interactive`, and everything that it says they print.
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually, runtimeEnvironment, serve } from "../cli/command-stage.js";
import { docBlock, docBlocks, docPage, projectOf } from "../support/doc-blocks.js";
import { startProgram } from "../support/peers/program.js";

const PAGE = docPage("tutorial-agent.md");
const text = (name: string): string => docBlock(PAGE, "text", name);

async function runProgram(name: string, environment: Readonly<Record<string, string>>) {
  const entry = join(projectOf(PAGE, "js", name), name);
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
    const expected = text(name);
    expect(await heard(expected.trimEnd().split("\n").length)).toBe(expected);
  }
});

test("asks.mjs does as the person says", async () => {
  const { environment, listener } = await stage();
  for (const [index, answer] of ["accept", "reject"].entries()) {
    const running = runProgram("asks.mjs", environment);
    await eventually(() => expect(listener.stderr()).toContain(`Question ${index + 1} of Librarian`));
    listener.child.stdin.write(`${answer}\n`);
    expect(await running).toEqual({ code: 0, err: "", out: text(`asks.mjs ${answer}`) });
  }
  listener.child.kill("SIGINT");
  await listener.ended;
  const out = text("asks.mjs nobody");
  expect(await runProgram("asks.mjs", environment)).toEqual({ code: 0, err: "", out });
});

test("every program of the page is run", () => {
  expect([...docBlocks(PAGE, "js").keys()]).toEqual(["hello.mjs", "tools.mjs", "asks.mjs", "ends.mjs"]);
});
