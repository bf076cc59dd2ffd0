// The outputs that docs/troubleshooting.md quotes, compared with those of the commands. A quoted text is a part of the output in which paths, numbers
// and the breaks of lines may differ.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { AgentClient } from "../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../src/client/node.js";
import { EXIT_CODES } from "../../src/daemon/platform/exit-codes.js";
import { runtimeEnvironment, serve as serveDaemon, serveProcess, startCommandLine } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { docBlocks, docPage } from "../support/doc-blocks.js";
import { isWhole } from "../support/extent.js";
import { shared } from "../support/lifetime.js";
import { sectionsOf, tablesIn } from "../support/markdown.js";
import { cleanEnvironment, PROGRAM } from "../support/peers/program.js";
import { rawSocket } from "../support/peers/raw-socket.js";
import { diskKind } from "../support/rigs/small-disk.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const PAGE = docPage("troubleshooting.md");
const QUOTED = docBlocks(PAGE, "text");
const DOCS = new URL("../../docs", import.meta.url).href;

/** The folders of one try, and the commands in them. */
function createScene() {
  const { XDG_RUNTIME_DIR: root, directory } = runtimeEnvironment();
  const environment = cleanEnvironment(root);
  const fallbackDirectory = `/tmp/aaep-${process.getuid?.()}`;
  return {
    directory,
    /** What a command wrote, after it has ended. */
    aaepd: async (argv: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<string> => {
      const inScene = { environment: { ...environment, ...variables }, fallbackDirectory };
      const { stdout, stderr } = await startCommandLine(argv, { input: "", ...inScene }).ended;
      return `${stderr}${stdout}`;
    },
    start: (...argv: readonly string[]) => startCommandLine(argv, { environment, fallbackDirectory }),
    serveMortal: () => serveProcess(root, "--journal", "memory"),
    serve: async (...options: readonly string[]) => (await serveDaemon(root, ...options)).socketPath,
    environment,
    write: (name: string, lines: readonly object[]): string => {
      const path = join(root, name);
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      return path;
    },
    /** A text as the page writes it. */
    inWordsOfPage: (text: string): string =>
      text
        .replaceAll(join(root, "aaepd.json"), "aaepd.json")
        .replaceAll(directory, "/run/user/1000/aaep")
        .replaceAll(`${root}/`, "/home/ada/")
        .replaceAll(DOCS, "file:///usr/lib/node_modules/aaepd/docs"),
  };
}
type Scene = ReturnType<typeof createScene>;

/** Without what differs from run to run. */
function essence(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/\d+/g, "0").trim();
}

/** Repeats a command until its output has the quoted text, and answers the last output. */
function repeatedly(name: string, scene: Scene, ...argv: readonly string[]): Promise<string> {
  return untilQuoted(name, scene, () => scene.aaepd(argv));
}

async function untilQuoted(name: string, scene: Scene, ask: () => Promise<string>): Promise<string> {
  let text = "";
  await vi
    .waitFor(
      async () => {
        text = await ask();
        if (!essence(scene.inWordsOfPage(text)).includes(essence(QUOTED.get(name) ?? ""))) throw new Error(text);
      },
      { timeout: 60_000, interval: 50 },
    )
    .catch(() => {});
  return text;
}

const STARTED = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Looks." };
const event = (type: string, fields: object) => ({ type: `aaep:agent.${type}`, session_id: "sess_1", ...fields });
const WRONG = [
  STARTED,
  event("state.changed", { from_state: "deciding", to_state: "thinking" }),
  event("tool.invoked", { tool: "delete_photos", summary_normal: "Deleting.", irreversible: true }),
  event("progress.updated", { progress: { percent: 5 } }),
  event("session.ended", {}),
];
const UNSTARTED = [event("state.changed", { session_id: "sess_2", from_state: "idle", to_state: "thinking" })];
/** Text of more than a megabyte. */
const MUCH = [
  STARTED,
  ...Array.from({ length: 400 }, () => event("output.streaming", { chunk: "word ".repeat(600), complete: false })),
];

const publish = (path: string) => ["publish", path, "--producer-id", "me"];

/** A daemon that several entries are about. */
const served = shared(async () => {
  const scene = createScene();
  await scene.serve("--journal", "memory");
  return scene;
});

/** What a command beside that daemon says of some events. */
const publishing =
  (events: readonly object[], ...options: readonly string[]) =>
  async (): Promise<string> => {
    const scene = await served();
    return scene.inWordsOfPage(await scene.aaepd(["publish", scene.write("events.ndjson", events), ...options]));
  };

/** Several entries quote from it. */
const publishedWrong = shared(publishing(WRONG, "--producer-id", "me"));

async function ask(scene: Scene, ...options: readonly string[]) {
  const agent = await AgentClient.open(ipcRpcConnector(await scene.serve("--journal", "memory", ...options)));
  onTestFinished(() => agent.close());
  await agent.setManifest({ agent_id: "me" });
  await agent.publish({ ...STARTED, type: "aaep:agent.session.started" });
  const question = { session_id: "sess_1", action: "Send the letter.", consequence: "It cannot be called back." };
  return agent.confirm({ ...question, timeout_seconds: 60 });
}

/** A port of this machine that somebody listens at. */
async function takenPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as { readonly port: number }).port}`;
}

const httpAddress = shared(async () => {
  const { http } = await serveDaemon(temporaryDirectory(), "--journal", "memory", "--http", "127.0.0.1:0");
  return http[0] ?? "";
});

/** The answer to a call over HTTP, with the headers of a page of another origin or host. */
async function callOverHttp(headers: Readonly<Record<string, string>>, method = "POST"): Promise<string> {
  const address = await httpAddress();
  const socket = rawSocket(address);
  const lines = Object.entries({ host: address, connection: "close", "content-type": "application/json", ...headers });
  socket.write(`${method} /aaep.v1.SubscriberService/GetManifest HTTP/1.1\r\n`);
  socket.write(`${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}content-length: 2\r\n\r\n{}`);
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

/** A subscriber that reads its acceptance and then nothing. */
async function startSlowListener(socketPath: string): Promise<void> {
  const socket = rawSocket(socketPath);
  const capabilities = { coalesce_boundaries: ["none"] };
  const request = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "slow", capabilities };
  socket.write(`${JSON.stringify(request)}\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
}

/** A daemon whose journal is on a disk of 700 KiB. */
async function serveOnSmallDisk({ environment, directory }: Scene): Promise<void> {
  const disk = join(directory, "../.local/state");
  mkdirSync(disk, { recursive: true });
  const script = `mount -t tmpfs -o mode=700,size=700k tmpfs "$2" && exec "$0" "$1" serve`;
  const child = spawn("unshare", ["-rm", "sh", "-c", script, process.execPath, PROGRAM, disk], { env: environment });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
}

const SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<string>>> = {
  "no-daemon-tail": async ({ start }) => {
    const tail = start("tail");
    await vi.waitFor(() => expect(tail.stderr()).toContain("waiting for one."), { timeout: 60_000 });
    return tail.stderr();
  },
  "no-daemon-status": ({ aaepd }) => aaepd(["status"]),
  "wrong-socket": (scene) =>
    scene.aaepd(publish(scene.write("hello.ndjson", [STARTED])), { AAEPD_SOCKET: "/tmp/nothing.sock" }),
  "killed-doctor": async ({ serveMortal, aaepd }) => {
    await (await serveMortal()).kill();
    return aaepd(["doctor"]);
  },
  "terms-status": async (scene) => {
    await scene.serve("--journal", "memory");
    scene.start("tail", "--rate", "1");
    return repeatedly("terms-status", scene, "status");
  },
  "slow-status": async (scene) => {
    await startSlowListener(await scene.serve("--journal", "memory"));
    await scene.aaepd(publish(scene.write("much.ndjson", MUCH)));
    return repeatedly("slow-status", scene, "status");
  },
  "no-subscriber": async (scene) => {
    const { decision, resolved_by } = await ask(scene);
    return JSON.stringify({ decision, resolved_by });
  },
  "waiting-status": async (scene) => {
    void ask(scene, "--confirmation-grace-seconds", "60").catch(() => {});
    return repeatedly("waiting-status", scene, "status");
  },
  "confirmation-required": publishedWrong,
  order: publishedWrong,
  "unknown-type": publishedWrong,
  refusals: publishing([STARTED]),
  "not-started": publishing(UNSTARTED, "--producer-id", "me"),
  verbose: publishing(UNSTARTED, "--producer-id", "me", "--verbose"),
  "disk-full": async (scene) => {
    await serveOnSmallDisk(scene);
    return scene.aaepd(publish(scene.write("much.ndjson", MUCH)));
  },
  "disk-full-status": async (scene) => {
    await serveOnSmallDisk(scene);
    const much = publish(scene.write("much.ndjson", MUCH));
    // A batch that is too long for the room that is left is refused whole, and leaves the room: so again, until nothing fits.
    return untilQuoted("disk-full-status", scene, async () => {
      await scene.aaepd(much);
      return scene.aaepd(["status"]);
    });
  },
  "second-serve": async () => {
    const scene = await served();
    return scene.inWordsOfPage(await scene.aaepd(["serve", "--journal", "memory"]));
  },
  "folder-mode": ({ directory, aaepd }) => {
    chmodSync(directory, 0o755);
    return aaepd(["serve", "--journal", "memory"]);
  },
  "folder-doctor": ({ directory, aaepd }) => {
    chmodSync(directory, 0o755);
    return aaepd(["doctor"]);
  },
  "linked-socket": ({ directory, aaepd }) => {
    const socket = join(directory, "aaepd.sock");
    symlinkSync(join(directory, "elsewhere"), socket);
    return aaepd(["status", "--socket", socket]);
  },
  "file-in-place": ({ directory, aaepd }) => {
    writeFileSync(join(directory, "aaepd.sock"), "");
    return aaepd(["serve", "--journal", "memory"]);
  },
  "long-path": ({ directory, aaepd }) =>
    aaepd(["serve", "--journal", "memory", "--socket", join(directory, `${"x".repeat(120)}.sock`)]),
  "port-taken": async ({ aaepd }) => aaepd(["serve", "--journal", "memory", "--http", await takenPort()]),
  "journal-in-use": async ({ serve, aaepd, directory }) => {
    await serve();
    return aaepd([
      "serve",
      "--producer-id",
      "second",
      "--journal",
      join(directory, "../.local/state/aaepd/journal/aaepd"),
    ]);
  },
  "unknown-option": ({ aaepd }) => aaepd(["serve", "--max-hold", "3"]),
  "wrong-value": ({ aaepd }) => aaepd(["serve", "--max-hold-ms", "0"]),
  "wrong-key": (scene) => scene.aaepd(["serve", "--config", scene.write("aaepd.json", [{ max_hold: 3 }])]),
  "no-token": () => callOverHttp({}),
  "wrong-origin": () =>
    callOverHttp({ origin: "http://page.example", "access-control-request-method": "POST" }, "OPTIONS"),
  "wrong-host": () => callOverHttp({ host: "page.example" }),
};
/** They take seconds by themselves. */
const SLOW: ReadonlySet<string> = new Set(["slow-status", "disk-full", "disk-full-status"]);
/** A limit on the length of files, which other tests use where nothing can be mounted, has a sentence of its own. */
const canMount = diskKind() === "mounted";

beforeAll(ensureBuilt);

it("every quoted output has a scenario, and every scenario is quoted", () => {
  expect(Object.keys(SCENARIOS).sort()).toEqual([...QUOTED.keys()].sort());
});

describe("the quoted outputs", () => {
  for (const [name, text] of QUOTED) {
    const test = it.skipIf((SLOW.has(name) && !isWhole) || (name.startsWith("disk-") && !canMount));
    test(name, async () => {
      const scene = createScene();
      const output = await SCENARIOS[name]?.(scene);
      expect(essence(scene.inWordsOfPage(output ?? ""))).toContain(essence(text));
    });
  }
});

it("every exit code but that of success leads to an entry", () => {
  const section = sectionsOf(PAGE).find(({ title }) => title === "A command ends with a number");
  const codes = (tablesIn(section?.text ?? "")[0]?.rows ?? []).map(([code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT_CODES).flatMap(({ code }) => (code === 0 ? [] : [code])));
});
