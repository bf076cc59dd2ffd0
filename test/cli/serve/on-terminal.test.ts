// A daemon that a person starts in a terminal speaks in sentences; where programs read, it speaks JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readySentences } from "../../../src/cli/serve/serve.js";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { CTRL_C, CTRL_D, startOnTerminal } from "../../support/peers/on-terminal.js";
import { runtimeEnvironment, startCommandLine } from "../command-stage.js";

beforeAll(ensureBuilt, 120_000);

const TIME = String.raw`\d\d:\d\d:\d\d`;

/** Folders of a user, and the environment that names them. */
function user() {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  return { environment: { XDG_RUNTIME_DIR, XDG_STATE_HOME: join(XDG_RUNTIME_DIR, "state") }, directory };
}

describe("aaepd serve on a terminal", () => {
  it("says in sentences that it runs, where, how to stop it, and that it has stopped", async () => {
    const { environment, directory } = user();
    const daemon = startOnTerminal(["serve"], { environment });
    await daemon.until("press Ctrl-C here.");
    daemon.type(CTRL_C);
    expect(await daemon.ended).toBe(0);
    const expected = [
      `${TIME} The daemon aaepd is running\\. Agents and listeners reach it by its socket at ${directory}/aaepd\\.sock\\.`,
      "To hear its events, run aaepd tail in another terminal\\. To stop it, press Ctrl-C here\\.",
      `(?:\\^C)?${TIME} The daemon stops, because of Ctrl-C \\(SIGINT\\)\\.`,
      `${TIME} The daemon has stopped\\.`,
    ];
    expect(daemon.shown()).toMatch(new RegExp(`^${expected.join("\n")}\n$`));
    // No colours, and nothing that moves the cursor.
    expect(daemon.shown()).not.toContain("\u001b");
  });

  it("speaks JSON where that is asked for, by option, variable or file", async () => {
    const { environment, directory } = user();
    const file = join(directory, "config.json");
    writeFileSync(file, '{"log_format": "json"}');
    const ways: readonly (readonly [argv: readonly string[], more: Readonly<Record<string, string>>])[] = [
      [["serve", "--log-format", "json"], {}],
      [["serve"], { AAEPD_LOG_FORMAT: "json" }],
      [["serve", "--config", file], {}],
    ];
    for (const [argv, more] of isWhole ? ways : ways.slice(0, 1)) {
      const daemon = startOnTerminal(argv, { environment: { ...environment, ...more }, columns: 500 });
      await daemon.until('"endpoints"');
      daemon.type(CTRL_C);
      expect(await daemon.ended).toBe(0);
      const lines = daemon.shown().replace("^C", "").trim().split("\n");
      expect(lines.map((line) => JSON.parse(line).msg)).toEqual([undefined, "stopping", "stopped"]);
    }
  });

  it("tells what to do about an option that is wrong in the file, and goes on", async () => {
    const { environment, directory } = user();
    const file = join(directory, "config.json");
    writeFileSync(file, '{"max_hold_ms": 2000}');
    const daemon = startOnTerminal(["serve", "--config", file], { environment, columns: 500 });
    await daemon.until("press Ctrl-C here.");
    writeFileSync(file, '{"max_hold_ms": "long", "log_level": "debug"}');
    const pid = JSON.parse(readFileSync(join(directory, "aaepd.manifest.json"), "utf8")).pid as number;
    process.kill(pid, "SIGHUP");
    await daemon.until(
      /\d\d:\d\d:\d\d Error: The configuration could not be read again; nothing is changed\. .*max_hold_ms.*\.\n/,
    );
    writeFileSync(file, '{"max_hold_ms": 3000, "log_format": "json"}');
    process.kill(pid, "SIGHUP");
    await daemon.until(
      /\d\d:\d\d:\d\d The configuration was read again\. These options apply now: max_hold_ms\.\n\d\d:\d\d:\d\d These options wait for the next start: log_format\.\n/,
    );
    daemon.type(CTRL_C);
    expect(await daemon.ended).toBe(0);
  });
});

describe("where nobody sees it", () => {
  it("serve speaks JSON on both streams, and with text sentences on standard error alone", async () => {
    const { environment } = user();
    for (const format of [undefined, "auto", "json", "text"]) {
      const options = [
        ...(format === undefined ? [] : ["--log-format", format]),
        ...(format === "json" ? ["--socket", "off"] : []),
      ];
      const daemon = startCommandLine(["serve", ...options], { environment });
      const [line = ""] = await daemon.stdoutLines(1);
      expect(JSON.parse(line)).toMatchObject({ producer_id: "aaepd", pid: process.pid });
      daemon.signal("SIGTERM");
      expect((await daemon.ended).code).toBe(0);
      expect(daemon.stdout()).toBe(`${line}\n`);
      const logged = daemon.stderr().trim().split("\n");
      if (format === "json")
        expect(JSON.parse(logged.shift() ?? "").msg).toBe(
          "Nobody can connect: the local socket and all services are off.",
        );
      const [first = "", second] = logged;
      if (format === "text") {
        expect(first).toMatch(new RegExp(`^${TIME} The daemon stops, because of SIGTERM\\.$`));
        expect(second).toMatch(new RegExp(`^${TIME} The daemon has stopped\\.$`));
      } else expect(JSON.parse(first)).toMatchObject({ msg: "stopping", signal: "SIGTERM" });
    }
  });
});

it("aaepd stdio on a terminal says what it waits for, and how it ends", async () => {
  const daemon = startOnTerminal(["stdio"]);
  await daemon.until("Ctrl-D ends the input and the daemon.");
  daemon.type(CTRL_D);
  expect(await daemon.ended).toBe(0);
  expect(daemon.shown()).toMatch(
    new RegExp(
      `${TIME} The daemon stops, because its standard input has ended\\.\n${TIME} The daemon has stopped\\.\n$`,
    ),
  );
});

it("all addresses and the file of the token are named", () => {
  const endpoints = { ipc: "/run/a.sock", grpc: ["unix:/run/a.grpc"], http: ["127.0.0.1:8700", "unix:/run/a.http"] };
  const [first] = readySentences(
    { producerId: "a", endpoints, tokenPath: "/run/a.token" },
    new Date(2026, 0, 1, 9, 5, 3),
  );
  expect(first).toBe(
    "09:05:03 The daemon a is running. Agents and listeners reach it by its socket at /run/a.sock, gRPC at unix:/run/a.grpc, HTTP at 127.0.0.1:8700 and HTTP at unix:/run/a.http. Callers over TCP need the token in /run/a.token.",
  );
  const [two] = readySentences(
    { producerId: "a", endpoints: { ipc: "/run/a.sock", grpc: ["unix:/run/a.grpc"] }, tokenPath: undefined },
    new Date(0),
  );
  expect(two).toContain("by its socket at /run/a.sock and gRPC at unix:/run/a.grpc.");
  const [none] = readySentences({ producerId: "a", endpoints: {}, tokenPath: undefined }, new Date(0));
  expect(none).toContain("It opens no address.");
});
