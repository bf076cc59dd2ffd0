// `npm run proto` on a repository that has a tag.
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
