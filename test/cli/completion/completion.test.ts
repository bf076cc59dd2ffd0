import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Argument, Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { bashScript } from "../../../src/cli/completion/bash-script.js";
import { allNodes, describeCommand } from "../../../src/cli/completion/command-tree.js";
import { registerCompletion, SHELLS } from "../../../src/cli/completion/completion.js";
import { fishScript } from "../../../src/cli/completion/fish-script.js";
import { zshScript } from "../../../src/cli/completion/zsh-script.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, runCommandLine } from "../command-stage.js";

/** A command line with every kind of value. */
function exampleProgram(): Command {
  const program = new Command("aaepd").helpCommand("help [command]", "show the help of a command");
  program
    .command("run")
    .summary("run it")
    .argument("<file>")
    .option("-s, --socket <PATH|auto|off>", "The socket. auto finds one.")
    .option("--journal <DIR|memory>", "the journal")
    .option("--level <n>", "a number")
    .option("-w, --watch [seconds]", "repeat it")
    .option("--no-color", "plain text")
    .addOption(new Option("--kind <name>", "it's [a] kind: one").choices(["one", "two"]))
    .addOption(new Option("--secret <text>", "not shown").hideHelp());
  const group = program.command("group").description("Holds others. And more.");
  group
    .command("inner")
    .description("An inner one")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
  return program;
}

describe("the command line as data", () => {
  const tree = describeCommand(exampleProgram());

  it("has each command with its path, a line of description, and help", () => {
    expect(allNodes(tree).map(({ path, description }) => [path.join(" "), description])).toEqual([
      ["", ""],
      ["run", "run it"],
      ["group", "Holds others"],
      ["group inner", "An inner one"],
      ["help", "show the help of a command"],
      ["help run", "run it"],
      ["help group", "Holds others"],
      ["help group inner", "An inner one"],
    ]);
  });

  it("knows words, files and folders by the names of values", () => {
    const [runs, group] = tree.commands;
    expect(runs?.values).toEqual([{ name: "file", words: [], files: "files" }]);
    const values = Object.fromEntries(runs?.options.map((option) => [option.long, option.values]) ?? []);
    expect(values).toEqual({
      "--socket": { name: "PATH|auto|off", words: ["auto", "off"], files: "files" },
      "--journal": { name: "DIR|memory", words: ["memory"], files: "folders" },
      "--level": { name: "n", words: [], files: "none" },
      "--watch": { name: "seconds", words: [], files: "none" },
      "--no-color": undefined,
      "--kind": { name: "name", words: ["one", "two"], files: "none" },
      "--secret": { name: "text", words: [], files: "none" },
      "--help": undefined,
    });
    expect(runs?.options[0]).toMatchObject({ short: "-s", description: "The socket", isOptional: false });
    expect(runs?.options[3]).toMatchObject({ short: "-w", isOptional: true });
    expect(group?.commands[0]?.values).toEqual([{ name: "shell", words: ["bash", "zsh"], files: "none" }]);
  });
});

describe("bash", () => {
  /** What the function offers for a line whose last word is being typed, and "files" or "folders" where bash would offer those. */
  function offered(...words: readonly string[]): readonly string[] {
    const script = join(temporaryDirectory(), "completion.bash");
    const calls = `
compopt() { [[ $* == *"-o dirnames"* ]] && kind=folders || kind=none; }
kind=files
source ${script}
COMP_WORDS=(aaepd ${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length}
_aaepd
if (( \${#COMPREPLY[@]} == 0 )); then echo "$kind"; else printf '%s\\n' "\${COMPREPLY[@]}"; fi`;
    writeFileSync(script, bashScript(describeCommand(exampleProgram())));
    const { stdout, stderr, status } = spawnSync("bash", ["--noprofile", "--norc", "-c", calls], { encoding: "utf8" });
    expect([stderr, status]).toEqual(["", 0]);
    return stdout.trimEnd().split("\n");
  }

  // What is typed, its last word to be completed, and what is offered.
  it.each([
    ["", "run group help"],
    ["r", "run"],
    ["x", "files"],
    ["-", "-h --help"],
    ["help g", "group"],
    ["help group ", "inner"],
    ["run --s", "--socket --secret"],
    ["run ", "files"],
    ["run -s ", "auto off"],
    ["run --socket a", "auto"],
    ["run --socket /tmp/", "files"],
    ["run --socket =", "auto off"],
    ["run --socket = o", "off"],
    ["run --journal ", "memory"],
    ["run --journal /tmp/", "folders"],
    ["run --level ", "none"],
    ["run --kind t", "two"],
    ["run --kind x", "none"],
    ["run --watch --no", "--no-color"],
    ["run group in", "files"],
    ["group ", "inner"],
    ["group inner z", "zsh"],
    ["group inner --h", "--help"],
  ])("completes %j with %j", (typed, expected) => {
    expect(offered(...typed.split(" "))).toEqual(expected.split(" "));
  });
});

describe("every script", () => {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

  it.each(SHELLS)("for %s names every command and every option, with quotes that hold", (shell) => {
    const tree = describeCommand(exampleProgram());
    const script = scripts[shell](tree);
    for (const { path, options } of allNodes(tree)) {
      expect(script).toContain(path.join(shell === "zsh" ? "_" : " "));
      for (const { long } of options) expect(script).toContain(shell === "fish" ? `-l ${long.slice(2)} ` : long);
    }
    if (shell === "zsh") expect(script).toContain(`'--kind=[it'\\''s \\[a\\] kind\\: one]:name:(one two)'`);
    if (shell === "fish") {
      expect(script).toContain(`-l kind -r -f -a 'one two' -d 'it\\'s [a] kind: one'`);
      expect(script).toContain("-l journal -r -f -a 'memory (__fish_complete_directories)' ");
    }
  });
});

describe("aaepd completion", () => {
  it("prints the script of a shell", async () => {
    const stage = createStage();
    const program = exampleProgram();
    const context = { loadProgram: async () => program } as Parameters<typeof registerCompletion>[1];
    await run((command, io) => registerCompletion(command, { ...context, io }), stage, "fish");
    expect(stage.out()).toBe(fishScript(describeCommand(program)));
    expect([stage.err(), stage.exitCode()]).toEqual(["", 0]);
  });

  it("describes the program itself, which bash reads without a fault", async () => {
    const { code, stdout } = await runCommandLine(["completion", "bash"]);
    expect(code).toBe(0);
    for (const text of [
      '"serve --log-level") _aaepd_nothing; _aaepd_words debug info warn error off',
      '"journal inspect --session"',
    ])
      expect(stdout).toContain(text);
    const checked = spawnSync("bash", ["-n"], { input: stdout, encoding: "utf8" });
    expect([checked.stderr, checked.status]).toEqual(["", 0]);
  });
});
