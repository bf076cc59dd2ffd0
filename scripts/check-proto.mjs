// Checks the rules of proto/: lint, format, and no change that breaks clients built against an earlier version. Exits 1 if a rule is broken.
//
// The earlier version is the newest tag among the ancestors of this commit; without a tag, the commit where this branch left `main` or `origin/main`;
// on `main` itself, or without such branches, the parent commit: the first of these with a proto/. If none has one, as in a shallow clone, the script
// says so.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buf } from "./generate/buf.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The output of git; undefined if git fails. */
function git(...argv) {
  const { status, stdout } = spawnSync("git", argv, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return status === 0 ? stdout.trimEnd() : undefined;
}

const hasProto = (commit) => Boolean(git("ls-tree", "--name-only", commit, "--", "proto"));

/** The commit to compare with, and its name. */
function base() {
  const head = git("rev-parse", "--verify", "HEAD");
  // The root of the repository may be another one around this folder.
  if (head === undefined || git("rev-parse", "--show-prefix") !== "") return undefined;
  const tag = git("describe", "--tags", "--abbrev=0");
  if (tag !== undefined && hasProto(tag)) return { commit: tag, name: `the tag ${tag}` };
  for (const branch of ["main", "origin/main"]) {
    const common = git("merge-base", "HEAD", branch);
    if (common === undefined || common === head || !hasProto(common)) continue;
    return { commit: common, name: `${branch}, at ${common.slice(0, 10)}` };
  }
  const parent = git("rev-parse", "--verify", "--quiet", "HEAD^");
  return parent !== undefined && hasProto(parent)
    ? { commit: parent, name: `the parent commit, ${parent.slice(0, 10)}` }
    : undefined;
}

/** Writes the messages of `commit` into `folder`. */
function checkOut(commit, folder) {
  const paths = git("ls-tree", "-r", "--name-only", commit, "--", "proto", "buf.yaml").split("\n");
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${git("show", `${commit}:${path}`)}\n`);
  }
}

function breaking({ commit }) {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-proto-"));
  try {
    checkOut(commit, folder);
    return buf(ROOT, "breaking", "--against", folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(name, { code, text }, advice) {
  if (code === 0) {
    console.log(`proto: ${name}: ok`);
    return;
  }
  console.error(`proto: ${name}: ${advice}\n${text.trimEnd()}`);
  process.exitCode = 1;
}

report("lint", buf(ROOT, "lint"), "correct these:");
report("format", buf(ROOT, "format", "-d", "--exit-code"), "run `npx buf format -w`:");
const against = base();
if (against === undefined) {
  console.log("proto: breaking changes: nothing to compare with: no tag, no main and no parent commit that has proto/");
} else {
  const advice = "keep names, numbers and types, and add beside them:";
  report(`breaking changes since ${against.name}`, breaking(against), advice);
}
