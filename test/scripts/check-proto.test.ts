// `npm run proto` on repositories in every state that it may find.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { itInFull } from "../support/extent.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EVENT = "proto/aaep/v1/event.proto";

interface Project {
  readonly folder: string;
  readonly git: (...argv: readonly string[]) => void;
  readonly commit: (message: string) => void;
  readonly edit: (from: string, to: string) => void;
  readonly check: () => { readonly code: number | null; readonly out: string; readonly err: string };
}

/** A folder with what the check needs, not in git yet. */
function project(): Project {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-check-proto-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["proto", "buf.yaml", "scripts", "package.json"]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  const settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
  const git = (...argv: readonly string[]): void => {
    const { status, stderr } = spawnSync("git", [...settings, ...argv], { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${argv.join(" ")}: ${stderr}`);
  };
  return {
    folder,
    git,
    commit: (message) => {
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "-m", message);
    },
    edit: (from, to) => {
      const text = readFileSync(join(folder, EVENT), "utf8");
      expect(text).toContain(from);
      writeFileSync(join(folder, EVENT), text.replace(from, to));
    },
    check: () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/check-proto.mjs"], {
        cwd: folder,
        encoding: "utf8",
        // A folder around the temporary one may be a repository too.
        env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
      });
      return { code: status, out: stdout, err: stderr };
    },
  };
}

const MODEL = "optional string model = 4;";

itInFull("a field that is gone since the last tag is a failure that names it", () => {
  const { git, commit, edit, check } = project();
  git("init", "-q", "-b", "main");
  commit("first");
  git("tag", "v0.1.0");
  commit("second");
  expect(check()).toEqual({
    code: 0,
    out: "proto: lint: ok\nproto: format: ok\nproto: breaking changes since the tag v0.1.0: ok\n",
    err: "",
  });
  edit(`  ${MODEL}\n`, "");
  commit("removes a field");
  commit("does something else");
  const { code, err } = check();
  expect(code).toBe(1);
  expect(err).toContain("breaking changes since the tag v0.1.0: keep names, numbers and types");
  expect(err).toContain('Previously present field "4" with name "model" on message "Producer" was deleted');
});

itInFull("a branch is held against where it left main; main itself against its parent", () => {
  const { git, commit, edit, check } = project();
  git("init", "-q", "-b", "main");
  commit("first");
  expect(check().out).toContain("nothing to compare with");
  edit(MODEL, "optional bytes model = 4;");
  expect(check().code).toBe(0);
  commit("second");
  const onMain = check();
  expect(onMain.code).toBe(1);
  expect(onMain.err).toContain("breaking changes since the parent commit");
  git("checkout", "-q", "-b", "work", "HEAD^");
  edit(MODEL, `${MODEL}\n  optional string later = 6;`);
  commit("adds a field");
  const added = check();
  expect(added.out).toContain("breaking changes since main, at ");
  expect(added.code).toBe(0);
  edit(MODEL, "optional string modle = 4;");
  expect(check().err).toContain('"model" to "modle"');
});

itInFull("what is badly named or badly formatted is a failure too, also where there is no git", () => {
  const { edit, check } = project();
  expect(check().out).toContain("nothing to compare with");
  edit(MODEL, "optional string theModel = 4;");
  const { code, err } = check();
  expect(code).toBe(1);
  expect(err).toContain("should be lower_snake_case");
  edit("optional string theModel = 4;", "optional   string model = 4;");
  const unformatted = check();
  expect(unformatted.code).toBe(1);
  expect(unformatted.err).toContain("run `npx buf format -w`");
});
