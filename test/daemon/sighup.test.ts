// R8b: SIGHUP, as `aaepd serve` takes it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type StartedCommand, startCommandLine } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { itInFull } from "../support/extent.js";
import { listenInLines, publishInLines, subscribedInLines } from "../support/peers/line-listener.js";
import { startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const LONG = { timeout: 60_000, interval: 10 };

interface Served {
  readonly program: StartedCommand;
  readonly path: string;
  readonly configFile: string;
  readonly tokenFile: string;
  readonly http: string;
  /** Writes the file, and waits until the log says so much of it. */
  readonly reload: (content: string, expected: string) => Promise<void>;
  readonly lines: () => readonly Record<string, unknown>[];
}

async function served(configuration: object, ...argv: readonly string[]): Promise<Served> {
  const directory = temporaryDirectory();
  const path = join(directory, "test.sock");
  const configFile = join(directory, "aaepd.json");
  writeFileSync(configFile, JSON.stringify({ socket: path, journal: "memory", audit: "off", ...configuration }));
  const program = startCommandLine(["serve", "--config", configFile, "--http", "127.0.0.1:0", ...argv]);
  const [ready = "{}"] = await program.stdoutLines(1);
  const { token_file: tokenFile, endpoints } = JSON.parse(ready);
  const lines: Served["lines"] = () =>
    program
      .stderr()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
  const reload: Served["reload"] = async (content, expected) => {
    const told = lines().length;
    writeFileSync(configFile, content);
    program.signal("SIGHUP");
    const added = () =>
      lines()
        .slice(told)
        .map((line) => JSON.stringify(line))
        .join("\n");
    await vi.waitFor(() => expect(added()).toContain(expected), LONG);
  };
  return { program, path, configFile, tokenFile, http: endpoints.http[0], reload, lines };
}

const sessionOf = (id: string) => [
  { type: "aaep:agent.session.started", session_id: id, summary_normal: "Begins.", producer: { agent_id: "tester" } },
];

describe.skipIf(process.platform === "win32")("R8b: SIGHUP and serve", () => {
  it("applies what can change, names what waits, and stops nothing: the subscription that is open goes on", async () => {
    const one = await served({ max_concurrent_subscriptions: 9, log_level: "warn" }, "--burst", "2");
    const listener = await subscribedInLines(one.path);
    const agent = await listenInLines(one.path);
    const token = readFileSync(one.tokenFile, "utf8").trim();
    const page = (shown: string): Promise<Response> =>
      fetch(`http://${one.http}/.well-known/aaep-manifest.json`, {
        headers: { authorization: `Bearer ${shown}`, connection: "close" },
      });
    expect((await page(token)).status).toBe(200);
    const elsewhere = { socket: `${one.path}.other`, journal: "memory", audit: "off" };
    const changed = { ...elsewhere, max_concurrent_subscriptions: 1, log_level: "debug", burst: 7 };
    await one.reload(JSON.stringify(changed), "takes effect at the next start");
    // The flag wins over the file: there is no change of that.
    expect(one.lines()).toMatchObject([
      {
        level: "info",
        msg: "the configuration was read again",
        applied: ["max_concurrent_subscriptions", "log_level"],
        new_token_in: one.tokenFile,
      },
      { level: "info", msg: "takes effect at the next start", options: ["socket"] },
    ]);
    const further = await listenInLines(one.path);
    further.say({ type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "further", capabilities: {} });
    expect(await further.line((line) => line.includes("subscription."))).toContain('"rate_limit"');
    await vi.waitFor(() => expect(one.lines().some(({ level }) => level === "debug")).toBe(true), LONG);
    const renewed = readFileSync(one.tokenFile, "utf8").trim();
    expect(renewed).not.toBe(token);
    expect([(await page(token)).status, (await page(renewed)).status]).toStrictEqual([401, 200]);
    await publishInLines(agent, sessionOf("sess_1"));
    await listener.line((line) => line.includes("sess_1"));
    one.program.signal("SIGTERM");
    expect((await one.program.ended).code).toBe(0);
    expect(JSON.parse(listener.lines.at(-1) ?? "{}")).toMatchObject({ reason_code: "producer_shutdown" });
  });

  it("changes nothing where one value of the file is out of its range: one error line says why", async () => {
    const one = await served({ max_concurrent_subscriptions: 2 });
    const listener = await subscribedInLines(one.path);
    const token = readFileSync(one.tokenFile, "utf8");
    await one.reload('{"max_concurrent_subscriptions": 1, "burst": 0}', "burst is 0");
    const [line, ...others] = one.lines();
    expect(line).toMatchObject({
      level: "error",
      msg: "the configuration could not be read again; nothing is changed",
    });
    expect(others).toStrictEqual([]);
    expect(readFileSync(one.tokenFile, "utf8")).toBe(token);
    await subscribedInLines(one.path);
    await publishInLines(await listenInLines(one.path), sessionOf("sess_1"));
    await listener.line((said) => said.includes("sess_1"));
    // Put right, it is read.
    await one.reload(readFileSync(one.configFile, "utf8").replace(/.*/s, "{}"), "the configuration was read again");
  });

  itInFull("goes on without its terminal: nobody reads what it logs", async () => {
    ensureBuilt();
    const path = join(temporaryDirectory(), "test.sock");
    const program = startProgram(["serve", "--socket", path, "--journal", "memory", "--producer-id", "tester"]);
    await program.stdoutLines(1);
    program.child.stderr.destroy();
    program.child.stdin.destroy();
    program.child.kill("SIGHUP");
    program.child.kill("SIGHUP");
    const listener = await subscribedInLines(path);
    await publishInLines(await listenInLines(path), sessionOf("sess_1"));
    await listener.line((line) => line.includes("sess_1"));
    program.child.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
  });
});
