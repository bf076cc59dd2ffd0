// The daemon on a socket that a service manager made, as systemd hands it over.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { listenInLines, subscribedInLines } from "../../support/peers/line-listener.js";
import { startProgram } from "../../support/peers/program.js";
import {
  type ManagerOptions,
  type ServiceManagerPeer,
  startServiceManager,
} from "../../support/peers/service-manager.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

interface Managed extends ServiceManagerPeer {
  readonly directory: string;
  readonly socket: string;
}

/** A manager that listens where `serve` would listen by itself. */
async function managed(options: Partial<ManagerOptions> = {}): Promise<Managed> {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "aaep"), { mode: 0o700 });
  const socket = join(directory, "aaep", "aaepd.sock");
  return { directory, socket, ...(await startServiceManager({ socket, directory, ...options })) };
}

const REQUEST = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "early", capabilities: {} };

describe.skipIf(process.platform !== "linux")("socket activation", () => {
  it("a client that connects before the daemon runs is served, and the socket stays behind the daemon", async () => {
    const one = await managed();
    const inode = statSync(one.socket).ino;
    const early = await listenInLines(one.socket);
    early.say(REQUEST);
    one.start();
    expect(await early.line((line) => line.includes("subscription."))).toContain('"subscription.accepted"');
    expect(await one.next("endpoints")).toMatchObject({ endpoints: { ipc: one.socket } });
    const manifest = join(one.directory, "aaep", "aaepd.manifest.json");
    expect(existsSync(manifest)).toBe(true);

    one.kill("SIGTERM");
    expect(await one.next("ended")).toMatchObject({ code: 0 });
    expect(early.lines.at(-1)).toContain('"producer_shutdown"');
    expect(statSync(one.socket).ino).toBe(inode);
    expect([existsSync(manifest), existsSync(`${one.socket}.pid`)]).toStrictEqual([false, false]);

    // Between two daemons nobody is refused.
    const waiting = await listenInLines(one.socket);
    waiting.say(REQUEST);
    one.start();
    expect(await waiting.line((line) => line.includes("subscription."))).toContain('"subscription.accepted"');
  });

  it("a killed daemon is followed by the next on the same socket, and a daemon started by hand finds it taken", async () => {
    const one = await managed();
    one.start();
    await one.next("endpoints");
    one.kill("SIGKILL");
    expect(await one.next("ended")).toMatchObject({ code: -9 });

    const byHand = startProgram(["serve", "--journal", "memory"], { environment: { XDG_RUNTIME_DIR: one.directory } });
    expect((await byHand.ended).code).toBe(73);
    expect(byHand.stderr()).toContain(`A daemon named aaepd runs already: another process listens at ${one.socket}.`);

    const inode = statSync(one.socket).ino;
    one.start();
    await one.next("endpoints");
    await subscribedInLines(one.socket);
    expect(statSync(one.socket).ino).toBe(inode);
  });

  it("--socket names the socket where it is elsewhere", async () => {
    const directory = temporaryDirectory();
    const socket = join(directory, "own.sock");
    const one = await startServiceManager({ socket, directory });
    one.start(["--socket", socket]);
    expect(await one.next("endpoints")).toMatchObject({ endpoints: { ipc: socket } });
    await subscribedInLines(socket);
  });

  it("a socket for another process is left alone", async () => {
    const directory = temporaryDirectory();
    const one = await startServiceManager({ socket: join(directory, "other.sock"), directory });
    one.start([], { environment: { LISTEN_PID: "1" } });
    const own = join(directory, "aaep", "aaepd.sock");
    expect(await one.next("endpoints")).toMatchObject({ endpoints: { ipc: own } });
    await subscribedInLines(own);
  });

  it("no child of the daemon inherits the socket, or the variables", async () => {
    const one = await managed();
    const host = join(one.directory, "host.mjs");
    const seen = join(one.directory, "seen.json");
    writeFileSync(
      host,
      `import { readdirSync, readlinkSync, renameSync, writeFileSync } from "node:fs";
       const sockets = readdirSync("/proc/self/fd").flatMap((fd) => {
         try { return Number(fd) > 2 ? [readlinkSync("/proc/self/fd/" + fd)] : []; } catch { return []; }
       }).filter((one) => one.startsWith("socket:"));
       const variables = Object.keys(process.env).filter((name) => /^(LISTEN|NOTIFY|WATCHDOG)_/.test(name));
       writeFileSync("${seen}.draft", JSON.stringify({ sockets, variables }));
       renameSync("${seen}.draft", "${seen}");
       process.stdin.resume();`,
    );
    const providers = JSON.stringify([{ command: [process.execPath, host] }]);
    const environment = { LISTEN_FDNAMES: "aaepd.socket", WATCHDOG_USEC: "60000000" };
    one.start(["--a2e-providers", providers], { environment });
    await eventually(() => expect(existsSync(seen)).toBe(true));
    expect(JSON.parse(readFileSync(seen, "utf8"))).toStrictEqual({ sockets: [], variables: [] });
  });
});

describe.skipIf(process.platform !== "linux")("what is refused, with what to change in the unit", () => {
  const refusedBy = async (one: ServiceManagerPeer): Promise<readonly [unknown, string]> => {
    const { code } = await one.next("ended");
    await eventually(() => expect(one.stderr()).toContain("Error:"));
    return [code, one.stderr()];
  };

  it("a socket that others can reach", async () => {
    const one = await managed({ mode: 0o666 });
    one.start();
    expect(await refusedBy(one)).toStrictEqual([
      73,
      `Error: The socket ${one.socket} of the service manager has mode 0666. Write SocketMode=0600 into the socket unit.\n`,
    ]);
  });

  it("a socket in a folder that others can enter", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "aaep"), { mode: 0o755 });
    const socket = join(directory, "aaep", "aaepd.sock");
    const one = await startServiceManager({ socket, directory });
    one.start();
    const [code, text] = await refusedBy(one);
    expect([code, text]).toStrictEqual([
      73,
      expect.stringContaining(`The folder ${join(directory, "aaep")} has mode 0755`),
    ]);
  });

  it("a socket at another address than the daemon's", async () => {
    const one = await managed();
    one.start(["--producer-id", "planner"]);
    const own = join(one.directory, "aaep", "planner.sock");
    expect(await refusedBy(one)).toStrictEqual([
      73,
      `Error: The service manager passed the socket ${one.socket}, and the daemon listens at ${own}. Write ListenStream=${own} into the socket unit.\n`,
    ]);
  });

  it.each(isWhole ? (["deaf", "datagram", "file"] as const) : (["datagram"] as const))(
    "a descriptor that is %s",
    async (kind) => {
      const one = await managed({ kind });
      one.start();
      expect(await refusedBy(one)).toStrictEqual([
        73,
        `Error: The service manager passed no Unix socket that listens. Write ListenStream=${one.socket} into the socket unit.\n`,
      ]);
    },
  );

  it("several sockets, and a socket beside the option that wants none", async () => {
    const one = await managed();
    one.start([], { sockets: 2 });
    expect(await refusedBy(one)).toStrictEqual([
      2,
      "Error: The service manager passed 2 sockets, and aaepd takes one, its local socket. Leave one ListenStream in the socket unit.\n",
    ]);
    const other = await managed();
    other.start(["--socket", "off", "--http", "127.0.0.1:0"]);
    expect(await refusedBy(other)).toStrictEqual([
      2,
      "Error: The service manager passed a socket, and the option socket is off. Remove the socket unit, or the option.\n",
    ]);
  });
});
