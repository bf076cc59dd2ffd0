// AAEP's own conformance suite and listener, as they are published, against `aaepd serve --http`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually, runCommandLine, type ServedDaemon, serve } from "../../cli/command-stage.js";
import { shared } from "../../support/lifetime.js";
import { fixture, startCommand } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { installedPrograms } from "./published-programs.js";

const TEN_MINUTES = 600_000;
const programs = shared(installedPrograms);

/** Of the suite's checks, those that no producer can pass: it takes the first event of a session itself, and counts its own second reply. */
const IMPOSSIBLE = ["L1-LIFE-004", "L2-CONF-002"];

it.each(["http", "ws"])(
  "the suite passes at level 3 over %s",
  async (scheme) => {
    const { address } = await told();
    const report = join(temporaryDirectory(), "report.json");
    const files = ["--report-json", report, "--report-html", `${report}.html`];
    const endpoint = ["--endpoint", address.replace("http", scheme), "--level", "3"];
    await startCommand([join(await programs(), "aaep-conformance"), "producer", ...endpoint, ...files]).ended;
    const { test_results: results } = JSON.parse(readFileSync(report, "utf8")) as {
      readonly test_results: readonly {
        readonly test_id: string;
        readonly passed: boolean;
        readonly message: string;
      }[];
    };
    expect(results.length).toBeGreaterThan(30);
    const failed = results.filter(({ passed }) => !passed);
    expect(failed.map(({ test_id }) => test_id).sort(), JSON.stringify(failed)).toEqual(IMPOSSIBLE);
  },
  TEN_MINUTES,
);

it(
  "the listener hears a session, and answers its question",
  async () => {
    const { address, daemon } = await told();
    const argv = ["--endpoint", address, "--auto-accept", "--no-color"];
    const listener = startCommand([join(await programs(), "aaep-listen"), ...argv]);
    await eventually(async () => {
      const { stdout } = await runCommandLine(["status"], daemon.environment);
      expect(stdout).toContain("Subscriptions: 1");
    });
    const words = JSON.stringify({ kind: "user_input", text: "Use a tool that requires confirmation." });
    await fetch(`${address}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: words,
    });
    await eventually(() => expect(listener.stdout()).toContain("session.completed"));
    expect(listener.stdout()).toContain("Sends an email.");
    expect(listener.stdout()).not.toContain("It was not done.");
  },
  TEN_MINUTES,
);

/** A daemon with an address at which a listener may say anything, and an agent that does what is said. */
async function told(): Promise<{ readonly address: string; readonly daemon: ServedDaemon }> {
  const daemon = await serve(temporaryDirectory(), "--http", "127.0.0.1:0");
  // The suite reads five events of a session that it does not answer, and takes the sixth for another session's first.
  const rights = ["--confirmations", "--clarifications", "--user-input", "--exclude", "aaep:agent.state.*"];
  const { stdout } = await runCommandLine(["address", "create", "suite", ...rights], daemon.environment);
  const agent = startCommand([process.execPath, fixture("agent-that-is-told.mjs"), daemon.socketPath]);
  await agent.stdoutLines(1);
  return { address: stdout.trim(), daemon };
}
