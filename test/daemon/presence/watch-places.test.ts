// What the daemon has published in the file system is looked at each minute, because cleaners of temporary files remove it.
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { watchPlaces } from "../../../src/daemon/presence/watch-places.js";
import { collectLog } from "../../support/collected-log.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../../support/rigs/daemon-rig.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const MINUTE = 60_000;
const GONE = "the socket or a file beside it was gone, and was made again";
const LOST = "the daemon cannot be found by new agents and listeners";

const said = ({ log }: DaemonRig, message: string) => log.filter((line) => line.message === message);

test("a removed folder, with sockets, manifest and token, is made again within a minute, and connections stay", async () => {
  const rig = await startRig({ clock: "hands", services: { grpc: "unix", http: "tcp" } });
  const names = ["test.grpc", "test.manifest.json", "test.sock", "test.token"];
  const files = () => readdirSync(rig.directory).filter((name) => !name.endsWith(".pid") && !name.startsWith("."));
  expect(files()).toEqual(names);
  const token = readFileSync(join(rig.directory, "test.token"), "utf8");
  const listener = await rig.plain();
  await listener.subscribe(requestOf());
  const agent = await rig.rpc();
  const session_id = nextSession();
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
  rmSync(rig.directory, { recursive: true });
  await rig.advance(MINUTE - 1);
  expect(existsSync(rig.directory)).toBe(false);
  await rig.advance(1);
  await expect.poll(files).toEqual(names);
  await expect.poll(() => said(rig, GONE)).toHaveLength(1);
  expect(lstatSync(rig.directory).mode & 0o777).toBe(0o700);
  for (const name of names) expect(lstatSync(join(rig.directory, name)).mode & 0o777, name).toBe(0o600);
  expect(readFileSync(join(rig.directory, "test.token"), "utf8")).toBe(token);
  await agent.publish({ type: "aaep:agent.session.completed", session_id, summary_normal: "Done." });
  expect(await listener.events.next("aaep:agent.session.completed")).toMatchObject({ session_id });
  await rig.expectOthersServed();
  // Everything is in place, so nothing is made or told.
  await rig.advance(3 * MINUTE);
  expect(said(rig, GONE)).toHaveLength(1);
  for (const peer of [listener, agent]) await peer.close();
});

test("a place that another process has taken is left to it, told once, and had back when it is free", async () => {
  const rig = await startRig({ clock: "hands", expectsErrors: true });
  const agent = await rig.rpc();
  const problems = async () => ((await agent.request("aaepd.status", {})) as { problems?: unknown[] }).problems;
  expect(await problems()).toEqual([]);
  rmSync(rig.path);
  const other = createServer().listen(rig.path);
  await once(other, "listening");
  const inode = lstatSync(rig.path).ino;
  await rig.advance(MINUTE);
  await expect.poll(() => said(rig, LOST)).toHaveLength(1);
  expect(said(rig, LOST)[0]?.fields).toMatchObject({
    code: "address_in_use",
    reason: expect.stringContaining(`listens there`),
  });
  expect(await problems()).toMatchObject([{ code: "place_lost", message: expect.stringContaining(rig.path) }]);
  await rig.advance(MINUTE);
  await expect.poll(() => said(rig, LOST)).toHaveLength(1);
  expect(lstatSync(rig.path).ino).toBe(inode);
  await new Promise((resolve) => other.close(resolve));
  await rig.advance(MINUTE);
  await expect.poll(() => said(rig, GONE)).toHaveLength(1);
  await expect.poll(problems).toEqual([]);
  await rig.expectOthersServed();
  await agent.close();
});

test("a folder that is not the daemon's own by then is told, and nothing is put into it", async () => {
  const rig = await startRig({ clock: "hands", expectsErrors: true });
  rmSync(rig.directory, { recursive: true });
  mkdirSync(rig.directory, { mode: 0o755 });
  await rig.advance(MINUTE);
  await expect.poll(() => said(rig, LOST)).toHaveLength(1);
  expect(said(rig, LOST)[0]?.fields).toMatchObject({ code: "permission_denied" });
  expect(readdirSync(rig.directory)).toEqual([]);
});

test("a look ends with its watch, and the next one begins a minute after the last has ended", async () => {
  const clock = createVirtualClock();
  const log = collectLog();
  let looks = 0;
  let finish: (wasGone: boolean) => void = () => {};
  const renew = () => {
    looks += 1;
    return new Promise<boolean>((resolve, reject) => {
      finish = (wasGone) => (wasGone ? reject(new Fault("permission_denied", "Not yours.")) : resolve(false));
    });
  };
  const watch = watchPlaces([renew], { clock, log });
  onTestFinished(watch.stop);
  clock.advance(5 * MINUTE);
  expect(looks).toBe(1);
  finish(true);
  await expect.poll(watch.lost).toMatchObject({ code: "permission_denied" });
  clock.advance(MINUTE);
  expect(looks).toBe(2);
  watch.stop();
  finish(true);
  await new Promise(setImmediate);
  expect(log.lines).toHaveLength(1);
  expect(clock.pending()).toBe(0);
});

test("a place that cannot be had back keeps no other from being looked at, is told before later ones, and stays lost while a look runs", async () => {
  const clock = createVirtualClock();
  const log = collectLog();
  let finish: (wasGone: boolean) => void = () => {};
  const taken = () => Promise.reject(new Fault("address_in_use", "Taken."));
  const gone = () =>
    new Promise<boolean>((resolve) => {
      finish = resolve;
    });
  const foreign = () => Promise.reject(new Fault("permission_denied", "Not yours."));
  const watch = watchPlaces([taken, gone, foreign], { clock, log });
  onTestFinished(watch.stop);
  for (const count of [2, 3]) {
    clock.advance(MINUTE);
    await new Promise(setImmediate);
    if (count === 3) expect(watch.lost()).toMatchObject({ code: "address_in_use" });
    finish(true);
    await expect.poll(() => log.lines).toHaveLength(count);
  }
  expect(log.lines.map(({ message }) => message)).toEqual([GONE, LOST, GONE]);
});
