import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Fault } from "../../../src/base/errors.js";
import type { Connection, Listener } from "../../../src/contracts/transport.js";
import { bindPrivately, occupantOf } from "../../../transports/ipc/bind.js";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { createIpcTransport, listenAuto } from "../../../transports/ipc/listen.js";
import { currentPlace, type IpcPlace } from "../../../transports/ipc/paths.js";
import { ensureBuilt } from "../../support/built.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { drain } from "../../support/peers/frames.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const CHILD = fileURLToPath(new URL("../children/listen-ipc.mjs", import.meta.url));
const accept = (connection: Connection<Uint8Array>) => void drain(connection);

function listen(path: string): Promise<Listener> {
  return createIpcTransport({ path }).listen(accept);
}

async function faultOf(listening: Promise<unknown>): Promise<Fault> {
  return listening.then(
    () => {
      throw new Error("no fault");
    },
    (caught: Fault) => caught,
  );
}

function privateDirectory(): string {
  expectNothingLeftOpen();
  return temporaryDirectory();
}

/** A socket file whose owner was killed. */
async function leaveStaleSocket(path: string): Promise<void> {
  const child = spawn(process.execPath, [
    "-e",
    "require('net').createServer().listen(process.argv[1],()=>console.log())",
    path,
  ]);
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(lstatSync(path).isSocket()).toBe(true);
}

async function start(path: string): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const child = spawn(process.execPath, [CHILD, path], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = (await once(createInterface(child.stdout), "line")) as [string];
  return { child, said };
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const exit = once(child, "exit");
  child.stdin?.end();
  await exit;
  return child.exitCode;
}

describe("a socket that only its owner can reach", () => {
  it("has mode 0600 in a folder with mode 0700, whatever the mask of the process", async () => {
    const directory = join(privateDirectory(), "made");
    const mask = process.umask(0);
    onTestFinished(() => void process.umask(mask));
    const listener = await listen(join(directory, "a.sock"));
    expect(process.umask()).toBe(0);
    expect((lstatSync(directory).mode & 0o777).toString(8)).toBe("700");
    expect((lstatSync(listener.address).mode & 0o777).toString(8)).toBe("600");
    await listener.stop();
  });

  it("refuses a folder that others may enter, one that is a link, and one that is none", async () => {
    const directory = privateDirectory();
    const open = join(directory, "open");
    mkdirSync(open);
    chmodSync(open, 0o755);
    const link = join(directory, "link");
    mkdirSync(join(directory, "real"), { mode: 0o700 });
    symlinkSync(join(directory, "real"), link);
    const faults = await Promise.all([open, link].map((folder) => faultOf(listen(join(folder, "a.sock")))));
    expect(faults.map((fault) => fault.code)).toEqual(["permission_denied", "permission_denied"]);
    expect(faults[0]?.sentence).toBe(
      `The folder ${open} has mode 0755, so that others can reach the socket. Run: chmod 700 ${open}, unless anything else uses that folder; then put the socket into a folder of its own.`,
    );
    chmodSync(open, 0o1777);
    expect((await faultOf(listen(join(open, "a.sock")))).sentence).toContain(
      "do not change the mode of a folder of the",
    );
    expect(faults[1]?.sentence).toMatch(/symbolic link/);
    expect(readdirSync(open)).toEqual([]);
  });

  it("refuses a folder of another user", async () => {
    const directory = privateDirectory();
    const place: IpcPlace = { platform: process.platform, environment: {}, userId: (process.getuid?.() ?? 0) + 1 };
    const fault = await faultOf(createIpcTransport({ path: join(directory, "a.sock"), place }).listen(accept));
    expect(fault.code).toBe("permission_denied");
    expect(fault.sentence).toContain("belongs to user");
  });

  it("refuses a runtime folder of another user before it makes anything there", async () => {
    const runtime = privateDirectory();
    const userId = (process.getuid?.() ?? 0) + 1;
    const place: IpcPlace = { platform: "linux", environment: { XDG_RUNTIME_DIR: runtime }, userId };
    const fault = await faultOf(createIpcTransport({ path: join(runtime, "aaep", "a.sock"), place }).listen(accept));
    expect(fault).toMatchObject({
      code: "permission_denied",
      sentence: expect.stringMatching(/^XDG_RUNTIME_DIR names .* belongs to user/),
    });
    expect(readdirSync(runtime)).toEqual([]);
  });
});

describe("an address that is taken, or seems so", () => {
  beforeAll(ensureBuilt);

  it("is taken over from a killed process", async () => {
    const path = join(privateDirectory(), "a.sock");
    await leaveStaleSocket(path);
    const listener = await listen(path);
    const client = await connectIpc(path);
    await client.close();
    await listener.stop();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("is never taken over from a living one, whose process is named", async () => {
    const path = join(privateDirectory(), "a.sock");
    const { child, said } = await start(path);
    expect(said).toBe(`listening ${child.pid}`);
    const fault = await faultOf(listen(path));
    expect(fault.code).toBe("address_in_use");
    expect(fault.sentence).toContain(`Process ${child.pid} `);
    await (await connectIpc(path)).close();
    expect(await stop(child)).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  it("leaves a file of another kind untouched", async () => {
    const path = join(privateDirectory(), "a.sock");
    writeFileSync(path, "precious");
    const fault = await faultOf(listen(path));
    expect(fault.code).toBe("address_in_use");
    expect(fault.sentence).toMatch(/left as it is\. Remove it if you can do without it, or choose another path\.$/);
    expect(readFileSync(path, "utf8")).toBe("precious");
  });

  it("goes to exactly one of several processes that start at once", async () => {
    const path = join(privateDirectory(), "a.sock");
    await leaveStaleSocket(path);
    const started = await Promise.all(Array.from({ length: 4 }, () => start(path)));
    const winners = started.filter(({ said }) => said.startsWith("listening"));
    expect(winners.length).toBe(1);
    expect(started.filter(({ said }) => said.startsWith("address_in_use")).length).toBe(3);
    await (await connectIpc(path)).close();
    const codes = await Promise.all(started.map(({ child }) => stop(child)));
    expect(codes.toSorted()).toEqual([0, 3, 3, 3]);
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("goes to exactly one of many starts in one process", async () => {
    const path = join(privateDirectory(), "a.sock");
    await leaveStaleSocket(path);
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => listen(path)));
    const listeners = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(listeners.length).toBe(1);
    await listeners[0]?.stop();
  });

  it("is not held up by the claim of a process that was killed while it started", async () => {
    const path = join(privateDirectory(), "a.sock");
    const dead = spawn(process.execPath, ["-e", ""]);
    await once(dead, "exit");
    writeFileSync(join(path, "..", `.a.sock.claim-${dead.pid}-00`), "");
    const listener = await listen(path);
    await listener.stop();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("is left to a daemon that took it after ours was removed by hand", async () => {
    const path = join(privateDirectory(), "a.sock");
    const first = await listen(path);
    unlinkSync(path);
    const second = await listen(path);
    await first.stop();
    await (await connectIpc(path)).close();
    await second.stop();
    expect(existsSync(path)).toBe(false);
  });
});

describe("connections", () => {
  it("names nobody's address, and tells it from a dead owner's", async () => {
    const directory = privateDirectory();
    expect((await faultOf(connectIpc(join(directory, "none.sock")))).code).toBe("not_found");
    await leaveStaleSocket(join(directory, "dead.sock"));
    const fault = await faultOf(connectIpc(join(directory, "dead.sock")));
    expect(fault.code).toBe("not_found");
    expect(fault.sentence).toContain("Nobody listens");
  });
});

describe("listenAuto", () => {
  it("goes on to the next number where a daemon lives, and takes the first again when it has gone", async () => {
    const runtime = privateDirectory();
    const place: IpcPlace = {
      platform: "linux",
      environment: { XDG_RUNTIME_DIR: runtime },
      userId: process.getuid?.(),
    };
    const first = await listenAuto({ producerId: "agent", place }, accept);
    const second = await listenAuto({ producerId: "agent", place }, accept);
    expect([first.address, second.address]).toEqual([
      join(runtime, "aaep/agent.sock"),
      join(runtime, "aaep/agent-2.sock"),
    ]);
    await first.stop();
    const third = await listenAuto({ producerId: "agent", place }, accept);
    expect(third.address).toBe(first.address);
    await Promise.all([second.stop(), third.stop()]);
  });
});

it("who has a socket is found out without an effect on modules behind a symbolic link, which Node 20 would load twice", async () => {
  const directory = temporaryDirectory();
  const packages = join(directory, "store/node_modules");
  mkdirSync(join(packages, "thing"), { recursive: true });
  for (const name of ["first", "second"])
    writeFileSync(join(packages, `thing/${name}.cjs`), "exports.path = __filename;");
  mkdirSync(join(directory, "app"));
  symlinkSync(packages, join(directory, "app/node_modules"));
  const require = createRequire(join(directory, "app/program.cjs"));
  expect(require("thing/first.cjs")).toEqual({ path: join(packages, "thing/first.cjs") });

  const path = join(directory, "s.sock");
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(await occupantOf(path, undefined)).toMatchObject({ kind: "alive" });
  expect(require("thing/second.cjs")).toEqual({ path: join(packages, "thing/second.cjs") });
});

it("a stop while a removed socket is made again ends the renewal, and leaves nothing", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "a.sock");
  const server = createServer();
  const bound = await bindPrivately(server, path, currentPlace());
  const listenAgain = server.listen.bind(server);
  Object.assign(server, {
    listen: (at: string) => {
      queueMicrotask(bound.unbind);
      return listenAgain(at);
    },
  });
  unlinkSync(path);
  expect(await bound.renew()).toBe(false);
  expect(server.listening).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});

it("R34: a full socket closes further connections, tells it once, and takes the next after one has ended", async () => {
  const path = join(privateDirectory(), "a.sock");
  const told: string[] = [];
  const options = { path, maxConnections: 2, onAcceptFault: (fault: Fault) => void told.push(fault.message) };
  const echo = (connection: Connection<Uint8Array>) =>
    void drain(connection, (frames) => {
      for (const frame of frames) connection.send(frame);
    });
  const listener = await createIpcTransport(options).listen(echo);
  onTestFinished(listener.stop);
  async function isTaken(): Promise<boolean> {
    const socket = connect(path).on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write("{}\n");
    return new Promise((resolve) => {
      socket.once("data", () => resolve(true)).once("close", () => resolve(false));
      leave = () => socket.end();
    });
  }
  let leave = (): void => {};
  const taken = [await isTaken(), await isTaken()];
  const leaveSecond = leave;
  taken.push(await isTaken(), await isTaken());
  expect(taken).toEqual([true, true, false, false]);
  expect(told).toEqual([`[rate_limit] ${path} has 2 connections, and closes further ones until one of these ends.`]);
  leaveSecond();
  await vi.waitFor(async () => expect(await isTaken()).toBe(true));
});
