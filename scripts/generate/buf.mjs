// Runs buf, which reads proto/. It needs no network: the plugin is local and proto/ has no dependencies.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns the output of buf and its exit code: 0, or 100 if buf found faults. Throws if buf could not run. */
export function buf(root, ...argv) {
  const cache = mkdtempSync(join(tmpdir(), "aaepd-buf-"));
  try {
    const program = join(root, "node_modules", "@bufbuild", "buf", "bin", "buf");
    const { status, stdout, stderr, error } = spawnSync(process.execPath, [program, ...argv], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, BUF_CACHE_DIR: cache },
    });
    if (error !== undefined) throw error;
    if (status !== 0 && status !== 100) throw new Error(`buf ${argv.join(" ")}: exit code ${status}\n${stderr}`);
    return { code: status, text: `${stdout}${stderr}` };
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** The generated messages: the text of each file by its path from the root of the project. */
export function messageFiles(root) {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-gen-"));
  try {
    const { code, text } = buf(root, "generate", "-o", folder);
    if (code !== 0) throw new Error(`buf generate:\n${text}`);
    return new Map(
      filesBelow(join(folder, "gen")).map((name) => [`gen/${name}`, readFileSync(join(folder, "gen", name), "utf8")]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files below a folder, by paths with slashes. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}
