// The command line starts from the files that it was joined into: in a clone, and where the package was installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

beforeAll(ensureBuilt);

it("is loaded in place of the modules it was made of", () => {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-loaded-"));
  try {
    const { stdout } = spawnSync(process.execPath, ["bin/aaepd.js", "--help"], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    expect(stdout).toContain("Usage: aaepd");
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
  const help = (cache: string) =>
    spawnSync(process.execPath, ["bin/aaepd.js", "--help"], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, XDG_CACHE_HOME: cache },
    }).stdout;
  try {
    expect(help(folder)).toContain("Usage: aaepd");
    expect(existsSync(join(folder, "aaepd/compiled"))).toBe("enableCompileCache" in module);
    for (const unfit of [join(folder, "missing"), "relative", "/proc/1/cwd/x"])
      expect(help(unfit)).toContain("Usage: aaepd");
    expect(existsSync(join(folder, "missing"))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("tells a mistake that nobody catches without the whole file before it", () => {
  const program = `import { subscribe } from "./packaging/client/dist/bundle/index.js"; subscribe({ prefered_verbosity: "terse" });`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(stderr).toContain('[usage] There is no term "prefered_verbosity"');
  expect(stderr.length).toBeLessThan(3000);
});
