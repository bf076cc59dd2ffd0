// The project as npm packs and installs it, in folders of its own.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "../../support/peers/program.js";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What npm needs to get packages as it does for the user of this machine. */
const NPM = {
  npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), ".npmrc"),
  npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(npm_config_registry|https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file)$/i.test(name),
    ),
  ),
};

/** Runs a program in a folder, which is the user's home too. No variable of an npm that runs the tests reaches it. */
export function run(folder: string, program: string, ...args: readonly string[]): Promise<Outcome> {
  const env = { ...cleanEnvironment(folder), ...NPM };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

/** As `run`, for what must succeed. Returns standard output. */
export async function succeed(folder: string, program: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(folder, program, ...args);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** Folders of a test file. `leave` removes them. */
export function createFolders() {
  const made = mkdtempSync(join(tmpdir(), "aaepd-package-"));
  return {
    empty: (name: string): string => {
      const folder = join(made, name);
      mkdirSync(folder);
      return folder;
    },
    leave: () => rmSync(made, { recursive: true, force: true }),
  };
}

/** Copies the sources of the project, changes that are not committed included, into an empty folder. */
export async function copySources(folder: string): Promise<void> {
  const listed = await succeed(ROOT, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  const deleted = await succeed(ROOT, "git", "ls-files", "-z", "--deleted");
  const gone = new Set(deleted.split("\0"));
  for (const path of listed.split("\0")) {
    if (path === "" || gone.has(path)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
}

/** Packs the sources with `npm pack`, which builds them. Returns the path of the tarball. */
export async function packSources(folder: string): Promise<string> {
  return (await packAll(folder, [])).aaepd;
}

/** The tarballs of all three packages. */
export type Tarballs = Readonly<Record<"aaepd" | "@aaepd/client" | "@aaepd/conformance", string>>;

export async function packAll(
  folder: string,
  which: readonly string[] = ["--workspaces", "--include-workspace-root"],
): Promise<Tarballs> {
  await copySources(folder);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const packed = Object.values(JSON.parse(await succeed(folder, "npm", "pack", "--json", ...which))) as readonly {
    readonly name: string;
    readonly filename: string;
  }[];
  return Object.fromEntries(packed.map(({ name, filename }) => [name, join(folder, filename)])) as Tarballs;
}
