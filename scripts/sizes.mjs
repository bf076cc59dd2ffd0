// Packs the three packages, installs each in an empty folder, and prints a row for each: packages, those of others included, and the bytes of all files.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const INSTALL = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--silent"];

/** Counts what is installed in a folder. A package is each folder of a `node_modules` with a manifest, packages in packages too. */
export function installedSize(folder) {
  const entries = readdirSync(join(folder, "node_modules"), { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const isManifest = (path) => /[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(path);
  const isBundle = (path) => /[\\/](@aaepd[\\/]\w+|aaepd)[\\/]dist[\\/][\w-]+[\\/]LICENSES\.txt$/.test(path);
  const bundledIn = (path) => readFileSync(path, "utf8").match(/^\S+ \d\S* \(.+\)$/gm).length;
  return {
    packages: files.filter(isManifest).length + files.filter(isBundle).reduce((sum, path) => sum + bundledIn(path), 0),
    bytes: files
      .filter((path) => !path.endsWith(".package-lock.json"))
      .reduce((sum, path) => sum + statSync(path).size, 0),
  };
}

/** The tarballs of the built packages by their names. */
export function packAll(folder, from = root) {
  const argv = [
    "pack",
    "--json",
    "--ignore-scripts",
    "--workspaces",
    "--include-workspace-root",
    "--pack-destination",
    folder,
  ];
  const packed = Object.values(JSON.parse(execFileSync("npm", argv, { cwd: from, encoding: "utf8" })));
  return Object.fromEntries(packed.map(({ name, filename }) => [name, join(folder, filename)]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const scratch = mkdtempSync(join(tmpdir(), "aaepd-sizes-"));
  try {
    for (const [name, tarball] of Object.entries(packAll(scratch))) {
      const folder = join(scratch, name.replace("/", "-"));
      mkdirSync(folder);
      writeFileSync(join(folder, "package.json"), "{}");
      execFileSync("npm", [...INSTALL, tarball], { cwd: folder, stdio: "inherit" });
      const { packages, bytes } = installedSize(folder);
      process.stdout.write(`| \`${name}\` | ${packages} | ${(bytes / 1e6).toFixed(2)} MB |\n`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
