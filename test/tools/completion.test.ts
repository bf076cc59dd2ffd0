// The completions of each shell, typed into the shell itself.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isMissing } from "../support/missing-tool.js";
import { cleanEnvironment, fixture, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

/** A folder with the script, one recording and one folder. */
async function place(shell: "bash" | "zsh" | "fish"): Promise<{ readonly folder: string; readonly script: string }> {
  const folder = temporaryDirectory();
  const script = join(folder, "script");
  const program = startProgram(["completion", shell]);
  expect((await program.ended).code).toBe(0);
  writeFileSync(script, program.stdout());
  writeFileSync(join(folder, "session one.ndjson"), "");
  mkdirSync(join(folder, "kept"));
  return { folder, script };
}

/** Types each line with a tab behind it. Answers what was shown, and the line that stood there then. */
function typed(
  argv: readonly string[],
  folder: string,
  setUp: string,
  lines: readonly string[],
): readonly { readonly shown: string; readonly line: string }[] {
  // Ctrl-T prints the line, Ctrl-U empties it. The prompt says that keys are read.
  const steps = [
    { send: `${setUp}\n`, until: "ready> " },
    ...lines.map((line) => ({ send: `${line}\t\u0014\u0015`, until: "]]>" })),
  ];
  const { stdout, stderr, status } = spawnSync("python3", [fixture("type-keys.py"), ...argv], {
    cwd: folder,
    encoding: "utf8",
    env: { ...cleanEnvironment(folder), TERM: "xterm", COLUMNS: "200", LINES: "200" },
    input: JSON.stringify(steps),
  });
  expect([stderr, status]).toEqual(["", 0]);
  const [, ...told] = JSON.parse(stdout) as readonly string[];
  return told.map((shown) => ({ shown, line: /<\[\[(.*)\]\]>/.exec(shown)?.[1] ?? "" }));
}

const UNIQUE: readonly (readonly [typed: string, line: string])[] = [
  ["aaepd stat", "aaepd status "],
  ["aaepd journal ins", "aaepd journal inspect "],
  ["aaepd journal inspect --sess", "aaepd journal inspect --session "],
  ["aaepd serve --log-level deb", "aaepd serve --log-level debug "],
  ["aaepd tail --framing n", "aaepd tail --framing newline "],
  ["aaepd completion z", "aaepd completion zsh "],
  ["aaepd help stat", "aaepd help status "],
  ["aaepd config show --max-hold", "aaepd config show --max-hold-ms "],
  ["aaepd publish sess", "aaepd publish session\\ one.ndjson "],
  ["aaepd serve --journal ke", "aaepd serve --journal kept/"],
  ["aaepd serve --socket of", "aaepd serve --socket off "],
];

/** Without the blank that some shells put behind a whole word, and without the equals sign of others. */
const trimmed = (line: string): string => line.replace(/[ =]+$/, "");

describe("bash", () => {
  const setUp = `PS1='rea''dy> '; bind 'set show-all-if-ambiguous on'; bind 'set bell-style none'; bind 'set completion-query-items -1'; bind 'set page-completions off'; bind 'set enable-bracketed-paste off'; bind -x '"\\C-t": printf "<[[%s]]>" "$READLINE_LINE"'; source ./script`;
  const argv = ["bash", "--noprofile", "--norc", "-i"];

  it("completes what is meant, and lists what could be", async () => {
    const { folder } = await place("bash");
    const told = typed(argv, folder, setUp, [
      ...UNIQUE.map(([line]) => line),
      "aaepd s",
      "aaepd serve --socket=",
      "aaepd serve --burst ",
    ]);
    expect(told.slice(0, UNIQUE.length).map(({ line }) => line)).toEqual(UNIQUE.map(([, line]) => line));
    const [commands, values, numbers] = told.slice(UNIQUE.length);
    for (const name of ["serve", "stdio", "status"]) expect(commands?.shown).toMatch(new RegExp(`\\s${name}\\s`));
    for (const word of ["auto", "off"]) expect(values?.shown).toMatch(new RegExp(`\\s${word}\\s`));
    expect(numbers?.shown).not.toContain("session");
  });
});

describe.skipIf(isMissing("zsh"))("zsh", () => {
  const setUp = `PROMPT='rea''dy> '; unset zle_bracketed_paste; autoload -Uz compinit; compinit -D -u; source ./script; told() { print -n -r -- "<[[$BUFFER]]>" }; zle -N told; bindkey '^T' told; bindkey '^U' kill-whole-line; setopt no_beep; LISTMAX=1000`;
  const argv = ["zsh", "-f", "-i"];

  it("completes what is meant, and lists what could be with its description", async () => {
    const { folder } = await place("zsh");
    const told = typed(argv, folder, setUp, [...UNIQUE.map(([line]) => line), "aaepd s", "aaepd serve --socket="]);
    expect(told.slice(0, UNIQUE.length).map(({ line }) => trimmed(line))).toEqual(
      UNIQUE.map(([, line]) => trimmed(line)),
    );
    const [commands, values] = told.slice(UNIQUE.length);
    expect(commands?.shown).toMatch(/serve +-- run a daemon that agents and assistive technology connect to/);
    for (const word of ["auto", "off", "kept"]) expect(values?.shown).toContain(word);
  });

  it("finds the script in a folder of fpath", async () => {
    const { folder, script } = await place("zsh");
    const inFpath = `mkdir functions; cp ${script} functions/_aaepd; fpath=($PWD/functions $fpath); ${setUp.replace("source ./script; ", "")}`;
    expect(typed(argv, folder, inFpath, ["aaepd stat", "aaepd journal ins"]).map(({ line }) => line)).toEqual([
      "aaepd status ",
      "aaepd journal inspect ",
    ]);
  });
});

describe.skipIf(isMissing("fish"))("fish", () => {
  it("completes what is meant, and lists what could be with its description", async () => {
    const { folder } = await place("fish");
    const completed = (line: string): readonly string[] => {
      const { stdout, stderr, status } = spawnSync(
        "fish",
        ["--no-config", "-c", "source ./script; complete -C $argv[1]", line],
        {
          cwd: folder,
          encoding: "utf8",
          env: cleanEnvironment(folder),
        },
      );
      expect([stderr, status]).toEqual(["", 0]);
      return stdout.split("\n").filter((one) => one !== "");
    };
    for (const [line, expected] of UNIQUE) {
      const word =
        trimmed(expected)
          .split(/(?<!\\) /)
          .at(-1)
          ?.replaceAll("\\", "") ?? "";
      expect(
        completed(line).map((one) => one.split("\t")[0]),
        line,
      ).toContain(word);
    }
    expect(completed("aaepd journal ")).toEqual([
      "backup\tcopy a journal, also of a running daemon",
      "compact\treturn a journal's free space to the disk",
      "export\twrite the events of a journal, one a line",
      "inspect\treport the contents of a journal",
      "restore\tput a backup in the place of a journal",
    ]);
    expect(completed("aaepd serve --burst ")).toEqual([]);
    expect(completed("aaepd publish serve ").join()).toContain("session one.ndjson");
  });
});
