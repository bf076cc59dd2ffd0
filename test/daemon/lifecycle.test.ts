import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Fault } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { StopReason } from "../../src/daemon/daemon.js";
import { type LifecycleOptions, runDaemon, type Stoppable } from "../../src/daemon/lifecycle.js";
import { createLog } from "../../src/daemon/platform/log.js";

const never = (): Promise<never> => new Promise(() => {});
/** A daemon that does not stop. */
const STUCK: Stoppable = { stop: never, stopped: never() };

/** A daemon whose end is in the test's hands, in a process that only notes how it would have ended. */
function stage(options: Partial<LifecycleOptions<Stoppable>> = {}) {
  const host = new EventEmitter();
  const codes: number[] = [];
  const lines: Record<string, unknown>[] = [];
  const asked: StopReason[] = [];
  let gone: () => void = () => {};
  const { promise: stopped, resolve: tellStopped } = withResolvers();
  const stdin = new PassThrough();
  stdin.resume();
  const { promise: ready, resolve: tellReady } = withResolvers();
  const { promise: exited, resolve: tellExit } = withResolvers<number>();
  const running: Stoppable = {
    stop: async (reason) => {
      asked.push(reason);
      tellStopped();
    },
    stopped,
  };
  const ended = runDaemon({
    log: createLog("info", {
      stream: { writableLength: 0, write: (line: string) => lines.push(JSON.parse(line)) > 0 },
    }),
    start: async () => running,
    ready: () => tellReady(),
    stdin,
    watchParent: true,
    watch: (onGone) => {
      gone = onGone;
      return () => {
        gone = () => {};
      };
    },
    host: {
      on: (event, listener) => host.on(event, listener),
      off: (event, listener) => host.off(event, listener),
      exit: (code) => {
        codes.push(code);
        tellExit(code);
      },
    },
    stopWithinMs: () => 1800,
    ...options,
  });
  return { host, codes, lines, asked, stdin, ready, exited, ended, tellStopped, parentGone: () => gone() };
}

describe("the life of the process", () => {
  it.each<[string, (on: ReturnType<typeof stage>) => unknown, StopReason, number, object]>([
    ["SIGTERM", ({ host }) => host.emit("SIGTERM", "SIGTERM"), "signal", 0, { reason: "signal", signal: "SIGTERM" }],
    ["SIGINT", ({ host }) => host.emit("SIGINT", "SIGINT"), "signal", 0, { reason: "signal", signal: "SIGINT" }],
    ["SIGHUP", ({ host }) => host.emit("SIGHUP", "SIGHUP"), "signal", 0, { reason: "signal", signal: "SIGHUP" }],
    ["R8a: the end of standard input", ({ stdin }) => stdin.end(), "stdin_ended", 0, { reason: "stdin_ended" }],
    ["a standard input that breaks", ({ stdin }) => stdin.destroy(new Error("EIO")), "stdin_ended", 0, {}],
    ["the end of the parent", ({ parentGone }) => parentGone(), "parent_gone", 80, { reason: "parent_gone" }],
  ])("%s stops it in order", async (_, happen, reason, exitCode, line) => {
    const on = stage();
    await on.ready;
    happen(on);
    await on.ended;
    expect([on.asked, on.codes]).toStrictEqual([[reason], [exitCode]]);
    expect(on.lines[0]).toMatchObject({ ...line, exitCode, level: exitCode === 0 ? "info" : "warn", msg: "stopping" });
    expect(on.host.eventNames()).toStrictEqual([]);
  });

  it("R8b: SIGHUP stops nothing where the configuration can be read again, and what is wrong with it is one line", async () => {
    let isBroken = false;
    const reloaded: Stoppable[] = [];
    const reload = (running: Stoppable): void => {
      if (isBroken) throw new Fault("usage", "burst in aaepd.json is 0. Give more.", { origin: "local" });
      reloaded.push(running);
    };
    const { host, ready, ended, asked, codes, lines } = stage({ reload });
    await ready;
    host.emit("SIGHUP", "SIGHUP");
    host.emit("SIGHUP", "SIGHUP");
    expect(reloaded).toHaveLength(2);
    expect([asked, lines]).toStrictEqual([[], []]);
    isBroken = true;
    host.emit("SIGHUP", "SIGHUP");
    const said = "the configuration could not be read again; nothing is changed";
    expect(lines).toMatchObject([{ level: "error", msg: said, reason: "burst in aaepd.json is 0. Give more." }]);
    host.emit("SIGTERM", "SIGTERM");
    // A stop goes its way.
    host.emit("SIGHUP", "SIGHUP");
    await ended;
    expect([asked, codes, reloaded.length]).toStrictEqual([["signal"], [0], 2]);
    expect(lines.slice(1).map(({ msg }) => msg)).toStrictEqual(["stopping", "stopped"]);
    expect(host.eventNames()).toStrictEqual([]);
  });

  it("R8b: a SIGHUP that comes while it still starts is heard when everything listens", async () => {
    const { promise: starting, resolve: go } = withResolvers<Stoppable>();
    const said: string[] = [];
    const { host, ended } = stage({
      start: () => starting,
      ready: () => said.push("ready"),
      reload: () => said.push("reload"),
    });
    host.emit("SIGHUP", "SIGHUP");
    expect(said).toStrictEqual([]);
    go({ stop: async () => {}, stopped: never() });
    await expect.poll(() => said).toStrictEqual(["ready", "reload"]);
    host.emit("SIGTERM", "SIGTERM");
    await ended;
  });

  it("a service manager hears of each step, also where a configuration is refused and where a start is cut short", async () => {
    const told: string[] = [];
    const manager = {
      ready: () => void told.push("ready"),
      reloading: () => void told.push("reloading"),
      stopping: () => void told.push("stopping"),
      settled: async () => void told.push("settled"),
    };
    const reload = (): void => {
      told.push("reads");
      throw new Fault("usage", "burst in aaepd.json is 0. Give more.", { origin: "local" });
    };
    const { host, ended } = stage({ manager, reload, ready: () => void told.push("accepts") });
    await expect.poll(() => told).toStrictEqual(["accepts", "ready"]);
    host.emit("SIGHUP", "SIGHUP");
    host.emit("SIGTERM", "SIGTERM");
    host.emit("SIGHUP", "SIGHUP");
    await ended;
    expect(told).toStrictEqual(["accepts", "ready", "reloading", "reads", "ready", "stopping", "settled"]);

    told.length = 0;
    const early = stage({ manager, ready: () => void told.push("accepts") });
    early.host.emit("SIGTERM", "SIGTERM");
    await early.ended;
    expect(told).toStrictEqual(["stopping", "settled"]);
    expect([early.asked, early.codes]).toStrictEqual([["signal"], [0]]);
  });

  it("R8b: how long a stop may take is asked when it begins", async () => {
    let stopWithinMs = 60_000;
    const { host, ready, exited, lines } = stage({
      stopWithinMs: () => stopWithinMs,
      start: async () => STUCK,
    });
    await ready;
    stopWithinMs = 11;
    host.emit("SIGTERM", "SIGTERM");
    expect(await exited).toBe(81);
    expect(lines.at(-1)).toMatchObject({ reason: "not stopped 11 ms after it was asked to" });
  });

  it.each(["uncaughtException", "unhandledRejection"])("%s is logged and stops it in order", async (event) => {
    const { host, ready, ended, asked, codes, lines } = stage();
    await ready;
    host.emit(event, new Error("a mistake"));
    host.emit(event, new Error("another"));
    host.emit("SIGTERM", "SIGTERM");
    await ended;
    expect([asked, codes]).toStrictEqual([["signal"], [70]]);
    expect(lines[0]).toMatchObject({ level: "error", reason: "internal_error", err: { message: "a mistake" } });
    expect(lines[1]).toMatchObject({ msg: "an error while stopping", err: { message: "another" } });
    expect(lines.filter(({ msg }) => msg === "stopping")).toHaveLength(1);
  });

  it("also while it is still starting", async () => {
    const { host, exited } = stage({ stopWithinMs: () => 10, start: never });
    host.emit("SIGTERM", "SIGTERM");
    expect(await exited).toBe(81);
  });

  it("a second signal ends it at once", async () => {
    const { host, ready, exited, lines } = stage({
      start: async () => STUCK,
    });
    await ready;
    host.emit("SIGINT", "SIGINT");
    host.emit("SIGINT", "SIGINT");
    expect(await exited).toBe(81);
    expect(lines.at(-1)).toMatchObject({ reason: "SIGINT, the second" });
  });

  it("rejects where it cannot start, and leaves nothing behind", async () => {
    const { host, ended, codes, stdin } = stage({
      start: async () => {
        throw new Fault("address_in_use", "Taken.");
      },
    });
    await expect(ended).rejects.toMatchObject({ code: "address_in_use" });
    expect([host.eventNames(), codes]).toStrictEqual([[], []]);
    expect(stdin.listenerCount("close")).toBe(new PassThrough().listenerCount("close"));
  });

  it("a daemon that stopped by itself ends the process in order", async () => {
    const { tellStopped, ended, asked, codes, lines } = stage();
    tellStopped();
    await ended;
    expect([asked, codes]).toStrictEqual([[], [0]]);
    expect(lines[0]).toMatchObject({ reason: "nothing_left" });
  });

  it("a stop that fails is logged, and the process still ends", async () => {
    const { host, ready, ended, codes, lines } = stage({
      start: async () => ({
        stop: async () => {
          throw new Error("broken");
        },
        stopped: never(),
      }),
    });
    await ready;
    host.emit("SIGTERM", "SIGTERM");
    await ended;
    expect(codes).toStrictEqual([0]);
    expect(lines[1]).toMatchObject({ err: { message: "broken" } });
  });
});
