// The project installed from its sources: from git, where npm builds it, and from a folder that is not built.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { copySources, createFolders, run, succeed } from "./stage.js";

const NPM_INSTALL = ["install", "--no-audit", "--no-fund"];

const folders = createFolders();
afterAll(() => folders.leave());

it("from git, npm builds it by its own script", async () => {
  const sources = folders.empty("repository");
  await copySources(sources);
  const git = (...args: readonly string[]) =>
    succeed(sources, "git", "-c", "user.name=nobody", "-c", "user.email=nobody@localhost", ...args);
  await git("init", "--quiet");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "all");
  const user = folders.empty("git-user");
  await succeed(user, "npm", ...NPM_INSTALL, `git+file://${sources}`);
  expect(await succeed(user, "npx", "--no", "--", "aaepd", "manifest", "--new")).toContain('"aaep:producer.manifest"');
  for (const made of ["man/aaepd-serve.1", "docs/reference/events.md"])
    expect(existsSync(join(user, "node_modules/aaepd", made))).toBe(true);
  expect(readdirSync(join(user, "node_modules")).filter((name) => name === "typescript")).toEqual([]);
}, 1_200_000);

it("from a folder that is not built, one sentence names the command to run, and no link stays", async () => {
  const sources = folders.empty("unbuilt");
  await copySources(sources);
  const user = folders.empty("folder-user");
  for (const where of [[], ["--global", "--prefix", join(user, "global")]]) {
    const { code, stderr } = await run(user, "npm", ...NPM_INSTALL, ...where, sources);
    expect(code).not.toBe(0);
    const told = stderr.split("\n").filter((line) => line.includes("npm ci"));
    expect(told).toEqual([`npm error aaepd is not built: run "npm ci" in ${sources}, then install it again.`]);
    expect(stderr).not.toContain("tsc");
  }
  for (const folder of [user, join(user, "global/lib")]) {
    expect(readdirSync(join(folder, "node_modules"))).toEqual([]);
    expect(existsSync(join(folder, "node_modules/aaepd"))).toBe(false);
  }
}, 300_000);
