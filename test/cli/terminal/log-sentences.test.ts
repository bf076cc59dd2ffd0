// Each line of the log as a person reads it: the time, what happened, what to do.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { logSentence, SENTENCES } from "../../../src/cli/terminal/log-sentences.js";
import { createLog } from "../../../src/daemon/platform/log.js";

/** The sentences of one call of the log, without the time in front. */
function told(level: "debug" | "info" | "warn" | "error", fields: Readonly<Record<string, unknown>>, message: string) {
  const lines: string[] = [];
  const stream = { writableLength: 0, write: (line: string) => lines.push(line) > 0 };
  createLog("debug", { stream, render: logSentence })[level](fields, message);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d [^\n]+\n$/);
  return lines[0]?.slice("00:00:00 ".length, -1);
}

it.each([
  [
    "info",
    { reason: "signal", signal: "SIGINT", exitCode: 0 },
    "stopping",
    "The daemon stops, because of Ctrl-C (SIGINT).",
  ],
  ["info", { reason: "signal", signal: "SIGTERM", exitCode: 0 }, "stopping", "The daemon stops, because of SIGTERM."],
  [
    "warn",
    { reason: "parent_gone", exitCode: 80 },
    "stopping",
    "Warning: The daemon stops, because the process that started it has ended.",
  ],
  [
    "error",
    { reason: "internal_error", err: new Error("Broken.") },
    "stopping",
    "Error: The daemon stops, because of an error in it: Broken. If this happens again, report it with the lines of --log-format json, which have the place in the program.",
  ],
  ["info", { reason: "nothing_left", exitCode: 0 }, "stopped", "The daemon has stopped by itself."],
  ["info", { exitCode: 0 }, "stopped", "The daemon has stopped."],
  [
    "info",
    { applied: [] },
    "the configuration was read again",
    "The configuration was read again. No option changes now.",
  ],
  [
    "info",
    { applied: ["burst", "max_hold_ms"], new_token_in: "/run/a.token" },
    "the configuration was read again",
    "The configuration was read again. These options apply now: burst, max_hold_ms. The new token is in /run/a.token.",
  ],
  ["info", { options: ["socket"] }, "takes effect at the next start", "These options wait for the next start: socket."],
  ["warn", { dropped: 12 }, "log lines were lost", "Warning: 12 lines of the log were lost before this one."],
  [
    "info",
    { bytesBefore: 3 * 1024 * 1024, bytesAfter: 2048 },
    "the journal was compacted",
    "The journal was compacted. It had 3.0 MiB, and has 2.0 KiB now.",
  ],
  [
    "error",
    { err: new Error("ENOSPC"), path: "/j/journal.mdb", reason: "The disk is full.", remedy: "Make room on it." },
    "the journal cannot be written; publishing is refused",
    "Error: The journal cannot be written; publishing is refused. The disk is full. The cause: ENOSPC. Path: /j/journal.mdb. Make room on it.",
  ],
  [
    "info",
    { subscriptionId: "sub_1", subscriberId: "narrator", epoch: 17 },
    "a subscription takes too slowly; it reads on from the journal, at its own pace",
    "A subscription takes too slowly; it reads on from the journal, at its own pace. Subscription id: sub_1. Subscriber id: narrator.",
  ],
  [
    "error",
    { err: new Fault("internal", "It broke.") },
    "a message could not be served, because of an error in the daemon",
    "Error: A message could not be served, because of an error in the daemon. The cause: It broke. If this happens again, report it with the lines of --log-format json, which have the place in the program.",
  ],
  [
    "warn",
    { provider: "files", how: "code 1", restart_in_ms: 500, remedy: "It is started again by itself." },
    "an A2E provider has ended",
    "Warning: An A2E provider has ended. Provider: files. How: code 1. Restart in ms: 500. It is started again by itself.",
  ],
  ["debug", { peer: "stdio" }, "connected", "Detail: Connected. Peer: stdio."],
] as const)("%s, %j, %j", (level, fields, message, expected) => {
  expect(told(level, fields, message)).toBe(expected);
});

it("nothing in a line moves the cursor or begins another line, whoever wrote it", () => {
  const line = told("info", { line: "a\n\u001b[2Jb\u202ec\u009bd" }, "an A2E provider writes");
  expect(line).toBe("An A2E provider writes. Line: a \\u001b[2Jb\\u202ec\\u009bd.");
});

it("each sentence of its own is about a message that the daemon writes", () => {
  const root = fileURLToPath(new URL("../../../src/", import.meta.url));
  const files = readdirSync(root, { recursive: true }).map(String);
  const sources = files
    .filter((name) => name.endsWith(".ts") && !name.endsWith("log-sentences.ts"))
    .map((name) => readFileSync(join(root, name), "utf8"))
    .join("\n");
  expect(Object.keys(SENTENCES).filter((message) => !sources.includes(`"${message}"`))).toEqual([]);
});
