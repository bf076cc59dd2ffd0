// R29: a disk that is full or read-only, seen from outside: publishing is refused in words over every transport, what was accepted goes on being
// delivered, the daemon says how it stands, and it recovers by itself.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { itInFull } from "../support/extent.js";
import { cursorFacts } from "../support/oracles/cursor-reading.js";
import { createWireSniffer, type Message } from "../support/oracles/wire-sniffer.js";
import { createMortalDaemon } from "../support/peers/mortal-daemon.js";
import { plainPeer, RpcRefusal, rpcPeer } from "../support/peers/peers.js";
import { diskKind } from "../support/rigs/small-disk.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { type AgentLink, type AgentTransport, openAgentLink } from "./crash/agent-links.js";
import { ipcConnection } from "./crash/ipc-connection.js";
import { type ListenerLink, openListenerLink } from "./crash/listener-links.js";

beforeAll(ensureBuilt, 120_000);

const LONG = { timeout: 120_000, interval: 50 };
const TRANSPORTS: readonly AgentTransport[] = ["socket", "grpc", "connect"];
const DISK_KILOBYTES = 16 * 1024;

interface Disk {
  readonly folder: string;
  readonly within: readonly [string, ...string[]];
}

/** A file system of its own for the daemon, which nobody else sees. */
function smallDisk(directory: string, how: "rw" | "ro" = "rw"): Disk {
  const folder = join(directory, "disk");
  mkdirSync(folder, { mode: 0o700 });
  const mount = `mount -t tmpfs -o mode=700,size=${DISK_KILOBYTES}k tmpfs "${folder}" && mkdir -m 700 "${folder}/journal" && mount -o remount,${how} "${folder}" && exec "$0" "$@"`;
  return { folder, within: ["unshare", "-rm", "sh", "-c", mount] };
}

/** The same, and it outlives the daemon: a process that does nothing holds it. */
async function lastingDisk(directory: string): Promise<Disk & { readonly holder: number }> {
  const { folder, within } = smallDisk(directory);
  const [command, ...argv] = [...within, "sh", "-c", "echo && exec sleep 86400"];
  const holder = spawn(command, argv, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill());
  await once(holder.stdout, "data");
  const pid = Number(holder.pid);
  return { folder, holder: pid, within: ["nsenter", "-t", String(pid), "-U", "-m", "--preserve-credentials", "--"] };
}

/** What comes, until it is all that is waited for. */
async function cameUntil(
  link: ListenerLink,
  isAll: (came: readonly Message[]) => boolean,
): Promise<readonly Message[]> {
  const came: Message[] = [];
  await vi.waitFor(() => {
    came.push(...link.take());
    expect(isAll(came)).toBe(true);
  }, LONG);
  return came;
}

/** Text, and behind it the place that covers it. */
function isHeardAndPlaced(came: readonly Message[]): boolean {
  return came.some(({ chunk }) => chunk !== undefined) && came.at(-1)?.type === "aaepd.checkpoint";
}

/** As a process sees it that has the disk. */
function inside(process: number, path: string): string {
  return `/proc/${process}/root${path}`;
}

function fillUp(process: number, { folder }: Disk): void {
  const filler = inside(process, join(folder, "filler"));
  for (let bytes = 1024 * 1024, index = 0; bytes >= 4096; index += 1) {
    try {
      writeFileSync(`${filler}${index}`, Buffer.alloc(bytes, 1));
    } catch {
      bytes /= 2;
    }
  }
}

function makeRoom(process: number, { folder }: Disk): void {
  const within = inside(process, folder);
  for (const name of readdirSync(within)) if (name.startsWith("filler")) rmSync(join(within, name), { force: true });
}

const FULL = /The disk is full/;

function eventsOf(agent: string) {
  const common = { session_id: `sess_${agent}`, producer: { agent_id: agent } };
  let count = 0;
  const next = (type: string, fields: Message): Message => {
    count += 1;
    return { ...common, type: `aaep:agent.${type}`, event_id: `evt_${agent}${count}`, ...fields };
  };
  return {
    started: () => next("session.started", { summary_normal: "Begins." }),
    chunk: () => next("output.streaming", { chunk: "Some words. ".repeat(500), complete: false }),
  };
}

function refusalIn(caught: unknown): { readonly code: unknown; readonly message: unknown } {
  if (caught instanceof RpcRefusal) return { code: caught.error.data.code, message: caught.error.message };
  throw caught;
}

/** A file has room within itself for a while. Answers the event that was refused, how, and how many were not. */
async function untilRefused(link: AgentLink, next: () => Message) {
  for (let acceptedCount = 0; acceptedCount < 1000; acceptedCount += 1) {
    const event = next();
    try {
      await link.publish([event]);
    } catch (caught) {
      return { event, refusal: refusalIn(caught), acceptedCount };
    }
  }
  throw new Error("Everything was accepted.");
}

// Where the system gives us no file system of our own, `test/storage/full-disk.test.ts` has the same by a limit.
describe.skipIf(diskKind() !== "mounted")("a disk of its own", () => {
  it("that is full refuses what is published, delivers what was accepted, says so, and is forgotten when it is over", async () => {
    const directory = temporaryDirectory();
    const disk = smallDisk(directory);
    const daemon = createMortalDaemon({
      directory,
      within: disk.within,
      options: ["--journal", join(disk.folder, "journal"), "--agent-idle-seconds", "600"],
    });
    onTestFinished(daemon.kill);
    expect(await daemon.start().ready).toBe(true);
    const sniffer = createWireSniffer();
    const listener = plainPeer(await ipcConnection(daemon.socket, "length-prefixed"), sniffer);
    const request = {
      type: "subscription.request",
      aaep_version: "1.0.0",
      subscriber_id: "listener",
      capabilities: { coalesce_boundaries: ["none"] },
    };
    const { honored_capabilities: honored } = await listener.subscribe(request);
    const { cursor: place } = (honored as { readonly aaepd: Message }).aaepd;
    expect(place).toMatch(/^c1\./);
    const asking = rpcPeer(await ipcConnection(daemon.socket, "newline"), createWireSniffer());
    const status = () =>
      asking.request("aaepd.status", {}) as Promise<Record<string, Record<string, unknown> & unknown[]>>;
    const agents = await Promise.all(
      TRANSPORTS.map(async (transport) => ({
        link: await openAgentLink(transport, daemon, sniffer),
        events: eventsOf(transport),
      })),
    );
    for (const { link, events } of agents) await link.publish([events.started()]);
    for (const { link, events } of agents) await link.publish([events.chunk()]);
    const accepted = (await listener.events.take(6)).map(({ event_id: id }) => id);
    expect((await status()).problems).toStrictEqual([]);

    fillUp(daemon.pid(), disk);
    const owed: { readonly link: AgentLink; readonly event: Message }[] = [];
    for (const { link, events } of agents) {
      const { event, refusal, acceptedCount } = await untilRefused(link, events.chunk);
      expect(refusal.code).toBe("storage_unavailable");
      expect(refusal.message).toMatch(FULL);
      owed.push({ link, event });
      for (const { event_id: id } of await listener.events.take(acceptedCount)) accepted.push(id);
    }
    const { journal, problems } = await status();
    expect(journal?.failure).toMatch(FULL);
    expect(problems).toMatchObject([{ code: "journal_failing" }]);
    // Whoever comes back now gets what was accepted before.
    const late = plainPeer(await ipcConnection(daemon.socket, "length-prefixed"), sniffer, "late");
    const extensions = { aaepd: { resume_after: place } };
    const answer = await late.subscribe({ ...request, subscriber_id: "late", extensions });
    expect(answer).toMatchObject({
      type: "subscription.accepted",
      honored_capabilities: { aaepd: { resumed: "all" } },
    });
    expect((await late.events.take(accepted.length)).map(({ event_id: id }) => id)).toStrictEqual(accepted);

    makeRoom(daemon.pid(), disk);
    for (const { link, event } of owed) await vi.waitFor(() => link.publish([event]), LONG);
    await vi.waitFor(async () => expect((await status()).problems).toStrictEqual([]), LONG);
    expect((await status()).journal?.failure).toBe(undefined);
    const last = agents.map(({ link, events }) => ({ link, event: events.chunk() }));
    for (const { link, event } of last) await link.publish([event]);
    // What was refused may have been heard by then: once, under its id.
    const heard = (await listener.events.take(owed.length + last.length)).map(({ event_id: id }) => id);
    expect(new Set(heard)).toStrictEqual(new Set([...owed, ...last].map(({ event }) => event.event_id)));
    for (const { link } of agents) await link.close();
    for (const peer of [listener, late, asking]) await peer.close();
    expect(await daemon.stop()).toBe(0);
    expect(sniffer.violations()).toStrictEqual([]);
    // The library's report of a failed batch would stand between the lines of the log.
    expect(daemon.stderr()).not.toMatch(/^ +at /m);
  }, 300_000);

  itInFull(
    "R17, R29: that takes nothing of a run leaves places that are met with a gap, however many such runs there are, and no epoch twice",
    async () => {
      const directory = temporaryDirectory();
      const disk = await lastingDisk(directory);
      const daemon = createMortalDaemon({
        directory,
        within: disk.within,
        services: [],
        options: [
          "--journal",
          join(disk.folder, "journal"),
          "--agent-idle-seconds",
          "600",
          "--agent-grace-seconds",
          "600",
        ],
      });
      onTestFinished(daemon.kill);
      const sniffer = createWireSniffer();
      const request = (cursor?: string): Message => ({
        type: "subscription.request",
        aaep_version: "1.0.0",
        subscriber_id: "listener",
        capabilities: { coalesce_boundaries: ["none"], aaepd: { checkpoints: true } },
        ...(cursor === undefined ? {} : { extensions: { aaepd: { resume_after: cursor } } }),
      });
      const places: string[] = [];
      const epochs: number[] = [];
      for (const [run, isKept] of [true, false, false, true].entries()) {
        expect(await daemon.start().ready).toBe(true);
        const listener = await openListenerLink("newline", daemon, sniffer);
        await listener.subscribe(request());
        if (!isKept) fillUp(disk.holder, disk);
        const agent = await openAgentLink("socket", daemon, sniffer);
        const { started, chunk } = eventsOf(`run${run}`);
        const published = agent.publish([started(), chunk()]).then(() => "kept", refusalIn);
        const heard = await cameUntil(listener, isHeardAndPlaced);
        expect(await published).toStrictEqual(
          isKept ? "kept" : expect.objectContaining({ code: "storage_unavailable" }),
        );
        places.push(String(heard.at(-1)?.cursor));
        epochs.push(cursorFacts(places[run] ?? "").after);
        await listener.vanish();
        await agent.close();
        // A daemon that lives when there is room again writes what it refused.
        if (run < 3) await daemon.kill();
        if (!isKept) makeRoom(disk.holder, disk);
      }
      expect(epochs).toStrictEqual([...new Set(epochs)].sort((one, other) => one - other));
      const met: unknown[] = [];
      for (const place of places) {
        const listener = await openListenerLink("newline", daemon, sniffer);
        const { honored_capabilities: honored } = await listener.subscribe(request(place));
        met.push((honored as { readonly aaepd: Message }).aaepd.resumed);
        const later = place === places.at(-1) ? [] : [`sess_run3`];
        const heard = later.length === 0 ? listener.take() : await cameUntil(listener, isHeardAndPlaced);
        const spoken = new Set(heard.flatMap(({ session_id: id }) => (id === undefined ? [] : [id])));
        // The session of the first run waits for its agent; where the place was no good, it is summed up.
        expect(spoken).toStrictEqual(new Set(met.at(-1) === "gap" ? [...later, "sess_run0"] : later));
        await listener.vanish();
      }
      expect(met).toStrictEqual(["all", "gap", "gap", "all"]);
      expect(sniffer.violations()).toStrictEqual([]);
    },
    300_000,
  );

  it("that is read-only is told at the start, with its place and what helps", async () => {
    const directory = temporaryDirectory();
    const { folder, within } = smallDisk(directory, "ro");
    const daemon = createMortalDaemon({ directory, within, options: ["--journal", join(folder, "journal")] });
    onTestFinished(daemon.kill);
    expect(await daemon.start().ready).toBe(false);
    expect(daemon.stderr()).toContain(join(folder, "journal"));
    expect(daemon.stderr()).toMatch(/Choose a place|read-only/);
  });
});
