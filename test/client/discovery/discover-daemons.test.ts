// All daemons of a user are found by their sockets, with real sockets and real watches of directories.
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type DiscoverDaemonsOptions, discoverDaemons } from "../../../src/client/discovery/discover-daemons.js";
import type { Timers } from "../../../src/client/timers.js";
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { eventually, runtimeEnvironment } from "../../cli/command-stage.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** Somebody who listens at a socket, with a manifest beside it if there is a name. */
async function listenAt(directory: string, name: string, agentName?: string, pid = 4711): Promise<Server> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(join(directory, `${name}.sock`), resolve));
  onTestFinished(() => void server.close());
  if (agentName !== undefined)
    writeFileSync(join(directory, `${name}.manifest.json`), JSON.stringify({ agent_name: agentName, pid }));
  return server;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Leaves a socket behind, as a daemon that was killed does. */
async function leaveSocket(directory: string, name: string): Promise<void> {
  const other = temporaryDirectory();
  const server = await listenAt(other, name);
  renameSync(join(other, `${name}.sock`), join(directory, `${name}.sock`));
  await stop(server);
}

function discover(directories: readonly string[], options: DiscoverDaemonsOptions = {}) {
  const told: string[] = [];
  let failure: unknown;
  const short = (path: string): string => path.split("/").slice(-1)[0] ?? path;
  const stopWatching = discoverDaemons({
    directories,
    onStale: ({ code }, label) => void told.push(`${label} is stale: ${code}`),
    onLeftOut: ({ code }) => void told.push(`left out: ${code}`),
    ...options,
  }).watch({
    appeared: ({ name, label }) => void told.push(`+ ${short(name)} ${label === name ? "by its path" : label}`),
    left: (name) => void told.push(`- ${short(name)}`),
    failed: (caught) => {
      failure = caught;
    },
  });
  onTestFinished(stopWatching);
  return { told, failure: () => failure, stopWatching };
}

const told = (discovered: { readonly told: readonly string[] }, lines: readonly string[]): Promise<void> =>
  eventually(() => expect(discovered.told).toEqual(lines));

test("daemons that are there, that come, leave and come back", async () => {
  expectNothingLeftOpen();
  const { directory } = runtimeEnvironment();
  await listenAt(directory, "one", "First");
  const found = discover([directory]);
  await told(found, ["+ one.sock First"]);
  const two = await listenAt(directory, "two");
  await told(found, ["+ one.sock First", "+ two.sock two"]);
  await stop(two);
  await told(found, ["+ one.sock First", "+ two.sock two", "- two.sock"]);
  await listenAt(directory, "two", "Second");
  await eventually(() => expect(found.told.slice(3)).toContain("+ two.sock Second"));
  found.stopWatching();
  await listenAt(directory, "three");
  const other = discover([directory]);
  await eventually(() => expect(other.told).toHaveLength(3));
  expect(found.told).not.toContain("+ three.sock three");
  expect(found.failure()).toBeUndefined();
});

test("a daemon that was started again at its path is told again, and others are not", async () => {
  const { directory } = runtimeEnvironment();
  const one = await listenAt(directory, "one", "First", 1);
  await listenAt(directory, "two", "Second", 2);
  const found = discover([directory]);
  await told(found, ["+ one.sock First", "+ two.sock Second"]);
  await stop(one);
  await listenAt(directory, "one", "First", 3);
  await eventually(() => expect(found.told.slice(2)).toContain("+ one.sock First"));
  expect(found.told.slice(2)).not.toContain("+ two.sock Second");
});

test("a socket that a killed daemon left behind is no daemon, until one takes it over", async () => {
  const { directory } = runtimeEnvironment();
  await leaveSocket(directory, "one");
  let daemonCount = -1;
  const found = discover([directory], {
    onLooked: (count) => {
      daemonCount = count;
    },
  });
  await told(found, ["one is stale: not_found"]);
  await eventually(() => expect(daemonCount).toBe(0));
  rmSync(join(directory, "one.sock"));
  await leaveSocket(directory, "two");
  await eventually(() => expect(found.told).toContain("two is stale: not_found"));
  rmSync(join(directory, "two.sock"));
  await listenAt(directory, "two");
  await eventually(() => expect(found.told.at(-1)).toBe("+ two.sock two"));
  await eventually(() => expect(daemonCount).toBe(1));
});

test("daemons of several directories, told apart where they share a name", async () => {
  const directories = [runtimeEnvironment().directory, join(temporaryDirectory(), "made", "later")];
  const [near = "", far = ""] = directories;
  const found = discover(directories);
  await listenAt(near, "one", "Same");
  await told(found, ["+ one.sock Same"]);
  // The discovery has made the other directory.
  await listenAt(far, "two", "Same");
  await eventually(() => expect(found.told).toContain("+ two.sock two"));
  await listenAt(far, "one", "Same");
  await eventually(() => expect(found.told).toContain("+ one.sock by its path"));
});

test("directories of others are left out, and the usual one must not be one", async () => {
  const { directory } = runtimeEnvironment();
  const link = join(temporaryDirectory(), "link");
  symlinkSync(runtimeEnvironment().directory, link);
  const found = discover([directory, link]);
  await listenAt(directory, "one");
  await eventually(() => expect(found.told).toContain("+ one.sock one"));
  expect(found.told[0]).toBe("left out: permission_denied");
  expect(() => discover([link, directory])).toThrow(/symbolic link/);
});

test("a directory that others can reach from now on is left out from now on", async () => {
  const { directory } = runtimeEnvironment();
  await listenAt(directory, "one");
  const found = discover([directory]);
  await told(found, ["+ one.sock one"]);
  chmodSync(directory, 0o755);
  await told(found, ["+ one.sock one", "left out: permission_denied", "- one.sock"]);
  await listenAt(directory, "two");
  expect(found.failure()).toBeUndefined();
});

test("a directory that is removed is made again, and watched again", async () => {
  const { directory } = runtimeEnvironment();
  await listenAt(directory, "one");
  const found = discover([directory]);
  await told(found, ["+ one.sock one"]);
  rmSync(directory, { recursive: true });
  await told(found, ["+ one.sock one", "- one.sock"]);
  await listenAt(directory, "two");
  await told(found, ["+ one.sock one", "- one.sock", "+ two.sock two"]);
});

test("a directory that cannot be watched is read every other second", async () => {
  const timers = createVirtualClock();
  const parent = join(temporaryDirectory(), "parent");
  const directory = join(parent, "aaep");
  // No directory can be made there.
  symlinkSync("/proc", parent);
  const looks: number[] = [];
  const found = discover([directory], { timers, onLooked: (count) => void looks.push(count) });
  await eventually(() => expect([looks, timers.pending()]).toEqual([[0], 1]));
  rmSync(parent);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await listenAt(directory, "one");
  await timers.advanceSettled(1999);
  expect(found.told).toEqual([]);
  await timers.advanceSettled(1);
  await told(found, ["+ one.sock one"]);
  // From here on it is watched.
  await eventually(() => expect(looks).toEqual([0, 1]));
  expect(timers.pending()).toBe(0);
});

test("files that change all the time do not put off a look", async () => {
  const virtual = createVirtualClock();
  const wakes: number[] = [];
  const timers: Timers = {
    now: virtual.now,
    wakeAt: (at, wake) => {
      wakes.push(at);
      return virtual.wakeAt(at, wake);
    },
  };
  const { directory } = runtimeEnvironment();
  const looks: number[] = [];
  const found = discover([directory], { timers, onLooked: (count) => void looks.push(count) });
  await eventually(() => expect(looks).toEqual([0]));
  await listenAt(directory, "one");
  await eventually(() => expect(wakes).toEqual([50]));
  await virtual.advanceSettled(30);
  for (let number = 0; number < 20; number += 1) writeFileSync(join(directory, `${number}`), "");
  // Nothing tells when the kernel has reported all of them, and nothing may come of it.
  await virtual.advanceSettled(20);
  await told(found, ["+ one.sock one"]);
});

test("where nothing can be listed, the daemon of the usual name is told", async () => {
  const names: string[] = [];
  const counts: number[] = [];
  const stopWatching = discoverDaemons({ directories: [], onLooked: (count) => void counts.push(count) }).watch({
    appeared: ({ name }) => void names.push(name),
    left: () => {},
    failed: () => {},
  });
  stopWatching();
  expect([names, counts]).toEqual([[ipcPath(currentPlace(), "aaepd")], [1]]);
});

test("an error that a listener of the discovery throws is told as its failure", async () => {
  const { directory } = runtimeEnvironment();
  await listenAt(directory, "one");
  const failure = new Error("The listener.");
  const caught = await new Promise((resolve) => {
    const stopWatching = discoverDaemons({ directories: [directory] }).watch({
      appeared: () => {
        throw failure;
      },
      left: () => {},
      failed: resolve,
    });
    onTestFinished(stopWatching);
  });
  expect(caught).toBe(failure);
});
