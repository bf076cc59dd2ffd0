// A NATS server to compare with: from the path, from the cache, or built with the machine's Go.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "v2.15.2";
const CACHE = fileURLToPath(new URL("../node_modules/.cache/nats-server", import.meta.url));

/** The server's program; undefined if there is none. `mayBuild` permits the minutes that Go takes the first time. */
export function natsServerProgram({ mayBuild }) {
  if (spawnSync("nats-server", ["--version"]).status === 0) return "nats-server";
  const installed = join(CACHE, VERSION, "nats-server");
  if (existsSync(installed)) return installed;
  return mayBuild ? build(installed) : undefined;
}

function build(installed) {
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, "install-"));
  const { status } = spawnSync("go", ["install", `github.com/nats-io/nats-server/v2@${VERSION}`], {
    cwd: scratch,
    env: { ...process.env, GOBIN: scratch },
  });
  if (status === 0) {
    mkdirSync(join(CACHE, VERSION), { recursive: true });
    renameSync(join(scratch, "nats-server"), installed);
  }
  rmSync(scratch, { recursive: true });
  return status === 0 ? installed : undefined;
}

/** The server's own version, as in "nats-server: v2.15.2". */
export function natsServerVersion(program) {
  return spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim();
}

/** Starts the server with a file store in `folder`. `sync` is its `sync_interval`. Resolves with its port when it listens. */
export async function startNatsServer(stage, program, folder, sync) {
  const port = await freePort();
  const file = join(folder, "nats.conf");
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(folder)}, sync_interval: ${sync} }\n`,
  );
  const child = stage.own(spawn(program, ["-c", file], { stdio: "ignore" }));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}.`);
    if (await answers(port)) return port;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => resolve(false));
    // The server sends first, as soon as it serves.
    socket.on("data", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
