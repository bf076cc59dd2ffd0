// Checks the functions in files of src/ and transports/ that differ from the commit where this branch left `main` or `origin/main`; on `main` itself, from
// its parent. Exits 1 if one has more than LONGEST lines of code and had fewer or did not exist. It lists those that were that long before.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { functionsIn } from "./functions/measure.mjs";

const LONGEST = 80;

/** The output of git; undefined if git fails. */
function git(...argv) {
  const { status, stdout } = spawnSync("git", argv, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return status === 0 ? stdout : undefined;
}

function base() {
  const head = git("rev-parse", "--verify", "--quiet", "HEAD");
  const commons = ["main", "origin/main"].map((branch) => git("merge-base", "HEAD", branch));
  const common = commons.find((commit) => commit !== undefined && commit !== head);
  return (common ?? git("rev-parse", "--verify", "--quiet", "HEAD^"))?.trim();
}

const since = base();
if (since === undefined) console.log("functions: nothing to compare with: no main and no parent commit");
else {
  const changed = git("diff", "--name-only", "--no-renames", since, "--", "src", "transports").split("\n");
  const grown = changed.filter((path) => path.endsWith(".ts") && existsSync(path)).flatMap(longIn);
  const [longer, old] = [grown.filter(({ isLonger }) => isLonger), grown.filter(({ isLonger }) => !isLonger)];
  for (const { text } of old) console.log(`functions: ${text}, as before`);
  for (const { text } of longer) console.error(`functions: ${text}: divide it, ${LONGEST} are the limit`);
  if (longer.length > 0) process.exitCode = 1;
  else console.log(`functions: none has become longer than ${LONGEST} lines`);
}

function longIn(path) {
  const before = functionsIn(git("show", `${since}:${path}`) ?? "", path);
  return [...functionsIn(readFileSync(path, "utf8"), path)].flatMap(([name, { line, length }]) =>
    length <= LONGEST
      ? []
      : [
          {
            text: `${path}:${line}: ${name} has ${length} lines of code`,
            isLonger: length > Math.max(LONGEST, before.get(name)?.length ?? 0),
          },
        ],
  );
}
