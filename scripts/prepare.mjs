// npm runs this script after `npm ci`, before it packs, and where a project installs this folder or its repository. The tarball does not run it.
// npm links a folder into the project that installs it, and installs none of its packages. Without packages a folder can be used only if it is built.
import { spawnSync } from "node:child_process";
import { existsSync, readlinkSync, realpathSync, unlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(fileURLToPath(new URL("..", import.meta.url)));
const { env } = process;

if (["typescript", "rolldown"].every(isInstalled)) build();
else if (!existsSync(join(root, "dist/bundle/main.js"))) refuse();

function isInstalled(name) {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(join(folder, name, "package.json")));
}

function build() {
  for (const argv of [
    [env.npm_execpath, "run", "build"],
    ["scripts/generate.mjs", "--pages"],
  ]) {
    // Standard output belongs to npm: `npm pack` writes the name of the tarball there.
    const { status, error } = spawnSync(process.execPath, argv, { cwd: root, stdio: ["inherit", 2, 2] });
    if (error !== undefined) throw error;
    process.exitCode = status ?? 1;
    if (status !== 0) return;
  }
}

/** npm leaves its link behind when this script fails, and the link would hide every other aaepd from `npx`. */
function refuse() {
  const folder =
    env.npm_config_global === "true"
      ? join(env.npm_config_global_prefix ?? "", process.platform === "win32" ? "" : "lib")
      : (env.npm_config_local_prefix ?? "");
  const link = join(folder, "node_modules", "aaepd");
  if (leadsHere(link)) unlinkSync(link);
  process.stderr.write(`aaepd is not built: run "npm ci" in ${root}, then install it again.\n`);
  process.exitCode = 1;
}

function leadsHere(link) {
  try {
    return realpathSync(resolve(dirname(link), readlinkSync(link))) === realpathSync(root);
  } catch {
    // Nothing is there, or no link.
    return false;
  }
}
