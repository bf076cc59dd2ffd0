// The client that people try services with. Taken from the path, or installed once beside the packages with the machine's Go.
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "v1.9.4";
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/grpcurl", import.meta.url));

export interface Output {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where it is. May take minutes the first time; throws an error that says what to install where it cannot be had. */
export function ensureGrpcurl(): string {
  if (spawnSync("grpcurl", ["-version"]).status === 0) return "grpcurl";
  const installed = join(CACHE, VERSION, "grpcurl");
  if (existsSync(installed)) return installed;
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, "install-"));
  const { status, stderr, error } = spawnSync(
    "go",
    ["install", `github.com/fullstorydev/grpcurl/cmd/grpcurl@${VERSION}`],
    {
      cwd: scratch,
      env: { ...process.env, GOBIN: scratch },
      encoding: "utf8",
    },
  );
  if (status === 0) {
    mkdirSync(join(CACHE, VERSION), { recursive: true });
    renameSync(join(scratch, "grpcurl"), installed);
  }
  rmSync(scratch, { recursive: true });
  if (status === 0) return installed;
  throw new Error(
    `grpcurl is not on the path and could not be installed; install it, or Go: ${error?.message ?? stderr}`,
  );
}

/** Runs it to its end. */
export function runGrpcurl(program: string, ...args: readonly string[]): Promise<Output> {
  return new Promise((resolve) => {
    execFile(program, args, (error, stdout, stderr) => {
      resolve({ exitCode: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}
