// The command line starts from the files that it was joined into: in a clone, and where the package was installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { itInFull } from "../support/extent.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

beforeAll(ensureBuilt);

it("is loaded in place of the modules it was made of", () => {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-loaded-"));
  try {
    const { stdout } = spawnSync(process.execPath, ["bin/aaepd.js", "--version"], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
    const loaded = readdirSync(folder).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
        readonly result: readonly { readonly url: string }[];
      };
      return result.map(({ url }) => url);
    });
    const entries = loaded.filter((url) => url.endsWith("/main.js") && url.includes("/dist/"));
    expect(entries.map((url) => url.slice(url.indexOf("/dist/")))).toEqual(["/dist/bundle/main.js"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("keeps what is compiled where Node can, in the user's own cache, and starts without one", () => {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-compiled-"));
  const version = (cache: string) =>
    spawnSync(process.execPath, ["bin/aaepd.js", "--version"], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, XDG_CACHE_HOME: cache },
    }).stdout;
  try {
    expect(version(folder)).toMatch(/^\d+\.\d+\.\d+/);
    expect(existsSync(join(folder, "aaepd/compiled"))).toBe("enableCompileCache" in module);
    for (const unfit of [join(folder, "missing"), "relative", "/proc/1/cwd/x"])
      expect(version(unfit)).toMatch(/^\d+\.\d+\.\d+/);
    expect(existsSync(join(folder, "missing"))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

itInFull("is packed without what would make it look stale where it is installed", () => {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toContain("dist/bundle/main.js");
  expect(paths.filter((path) => path.endsWith(".tsbuildinfo"))).toEqual([]);
});
