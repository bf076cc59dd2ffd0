// The files to copy in Go and Java, each alone in a new project.
import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { serve } from "../cli/command-stage.js";
import { STRANGERS_SESSIONS, type StrangerProject, testCopiedFile } from "../support/copied-file.js";
import { canRun, ensureExampleBuilt, hasProgram, LANGUAGES, missingTools } from "../support/languages.js";
import { startCommand } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** With a detector that tells each race on standard error. */
const RACES = ["env", "GOPROXY=off", "go", "build", "-race", "."] as const;

const PROJECTS: readonly StrangerProject[] = [
  {
    language: "Go",
    files: {
      ...Object.fromEntries(["aaep", "own"].map((n) => [`aaep/${n}.go`, `examples/go/aaep/${n}.go`])),
      "main.go": "test/fixtures/stranger/main.go",
    },
    // Nothing may be downloaded.
    build: [
      ["go", "mod", "init", "stranger"],
      ["go", "mod", "edit", "-go=1.24"],
      ["env", "GOPROXY=off", "go", "vet", "./..."],
      ["env", "GOPROXY=off", "GOOS=darwin", "go", "vet", "./..."],
      ["env", "GOPROXY=off", "go", "build", "."],
    ],
    command: ["./stranger"],
    sessions: STRANGERS_SESSIONS,
    prints: ["<nil>", "The shelf is empty.", "The shelf is empty."],
    mistakes: [/unsupported value: NaN/],
  },
  {
    language: "Java",
    files: {
      ...Object.fromEntries(
        ["Aaep", "OwnSocket"].map((n) => [`dev/aaepd/${n}.java`, `examples/java/src/main/java/dev/aaepd/${n}.java`]),
      ),
      "Stranger.java": "test/fixtures/stranger/Stranger.java",
      "gson.jar": "examples/java/target/lib/gson-2.14.0.jar",
    },
    build: [
      [
        "javac",
        "-Werror",
        "-Xlint:all,-classfile,-serial",
        "-cp",
        "gson.jar",
        "dev/aaepd/Aaep.java",
        "dev/aaepd/OwnSocket.java",
        "Stranger.java",
      ],
    ],
    command: ["java", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp", "gson.jar:.", "Stranger"],
    sessions: {
      ...STRANGERS_SESSIONS,
      "Is interrupted.": { type: "aaep:agent.session.cancelled", cancelled_by: "user" },
    },
    prints: ["3", "The shelf is empty.", "The shelf is empty.", "cancelled", "cancelled true"],
    mistakes: [/NaN is not a valid double/],
  },
];

for (const project of PROJECTS) {
  const language = LANGUAGES.find(({ name }) => name === project.language);
  if (language === undefined) throw new Error(`There is no example in ${project.language}.`);
  const needs = missingTools(language).map((tool) => `, which needs ${tool}`);
  describe.skipIf(!canRun(language))(`a project in ${project.language}${needs.join("")}`, () => {
    testCopiedFile(project, () => ensureExampleBuilt(language));
    it.runIf(project.language === "Go" && hasProgram("gcc"))(
      "Go's race detector finds nothing",
      async () => {
        const folder = temporaryDirectory();
        for (const [path, original] of Object.entries(project.files)) cpSync(join(ROOT, original), join(folder, path));
        for (const [program, ...argv] of [...project.build.slice(0, 2), RACES])
          expect(spawnSync(program, argv, { cwd: folder }).status).toBe(0);
        const { environment } = await serve(temporaryDirectory(), "--confirmation-grace-seconds", "60");
        const running = startCommand(["./stranger", "overlap"], { cwd: folder, environment });
        expect([(await running.ended).code, running.stderr()]).toEqual([0, ""]);
      },
      600_000,
    );
  });
}
