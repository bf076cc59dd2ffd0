// npm run conformance [-- --check]
// Runs the conformance suite against the built daemon over each transport at level 3, with the set "aaepd". Writes the reports into
// dist/conformance, and copies the report over the Unix socket and its badge into docs/conformance; with --check compares the verdicts with that report
// instead.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROGRAM = join(ROOT, "bin/aaepd.js");
const REPORTS = join(ROOT, "dist/conformance");
/** Committed: what stands for the daemon, over one transport. */
const PUBLISHED = join(ROOT, "docs/conformance");
const PUBLISHED_TRANSPORT = "unix-socket";
const REPORT = "conformance-report.json";
const isCheck = process.argv.includes("--check");

/** Relative paths, so that the reports name none of this machine. HOST is the daemon's TCP address. */
const TRANSPORTS = {
  "unix-socket": { endpoint: "unix:aaepd.sock", agent: "unix:aaepd.sock" },
  grpc: { endpoint: "grpc://unix:grpc.sock", agent: "unix:aaepd.sock" },
  connect: { endpoint: "http://unix:http.sock", agent: "unix:aaepd.sock" },
  websocket: { endpoint: "ws://HOST", agent: "unix:aaepd.sock" },
  "server-sent-events": { endpoint: "sse:http://HOST", agent: "unix:aaepd.sock" },
  stdio: {
    // Without a shell in between, which would stand below the suite, whose agent it must not be (R5d).
    endpoint: "stdio:exec aaepd stdio --socket stdio.sock --log-level error",
    agent: "unix:stdio.sock",
    isOwnDaemon: true,
  },
};

function environmentIn(folder) {
  return {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    XDG_CONFIG_HOME: folder,
  };
}

/** A folder of its own, with a command `aaepd`. */
function prepared() {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-conformance-"));
  chmodSync(folder, 0o700);
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/aaepd"), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
    mode: 0o755,
  });
  return folder;
}

function startDaemon(folder) {
  const services = ["--socket", "aaepd.sock", "--grpc", "unix:grpc.sock", "--http", "unix:http.sock,127.0.0.1:0"];
  const child = spawn("aaepd", ["serve", "--journal", "memory", ...services], {
    cwd: folder,
    env: environmentIn(folder),
    stdio: ["ignore", "pipe", "ignore"],
  });
  return new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve({ child, ...JSON.parse(line) }));
    child.once("close", (code) => reject(new Error(`The daemon ended with ${code}.`)));
  });
}

async function test(name, { endpoint, agent, isOwnDaemon = false }) {
  const folder = prepared();
  const daemon = isOwnDaemon ? undefined : await startDaemon(folder);
  const report = isCheck ? join(folder, "report") : join(REPORTS, name);
  mkdirSync(report, { recursive: true });
  const host = daemon?.endpoints.http.find((address) => !address.startsWith("unix:"));
  const options = [
    ...["--endpoint", endpoint.replace("HOST", host), "--agent", agent, "--extensions", "aaepd"],
    ...["--name", "aaepd", "--report", report],
    ...(endpoint.includes("HOST") ? ["--token-file", daemon.token_file] : []),
  ];
  const suite = spawn("aaepd", ["conformance", "producer", ...options, "--quiet"], {
    cwd: folder,
    env: environmentIn(folder),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  suite.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  const code = await new Promise((resolve) => suite.once("close", resolve));
  daemon?.child.kill("SIGTERM");
  const isPublished = name === PUBLISHED_TRANSPORT;
  const differences = isCheck && isPublished ? compared(report) : [];
  if (!isCheck && isPublished)
    for (const file of [REPORT, "badge.svg"]) copyFileSync(join(report, file), join(PUBLISHED, file));
  rmSync(folder, { recursive: true, force: true });
  return { name, text, isGood: code === 0 && differences.length === 0, differences };
}

function compared(report) {
  const files = [PUBLISHED, report].map((folder) => join(folder, REPORT));
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "conformance", "compare", ...files], {
    encoding: "utf8",
  });
  return status === 0 ? [] : [`${stdout}${stderr}`];
}

const results = await Promise.all(Object.entries(TRANSPORTS).map(([name, transport]) => test(name, transport)));
for (const { name, text, differences } of results) {
  process.stdout.write(`${name}\n${text.replace(/^/gm, "  ")}\n`);
  for (const difference of differences) process.stdout.write(`  ${difference}\n`);
}
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
