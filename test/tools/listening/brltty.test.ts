// `aaepd speak --braille` on a real BRLTTY, whose virtual display tells each line that fingers would feel. A client stands in for a screen reader.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BrlapiConnection } from "../../../src/braille/brlapi-connection.js";
import { brlttyOf } from "../../../src/braille/brltty.js";
import { openAgent } from "../../../src/client/agent/open-agent.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { createClock } from "../../../src/daemon/platform/clock.js";
import { eventually, runCommandLine, serve, startCommandLine } from "../../cli/command-stage.js";
import { freePort } from "../../support/free-port.js";
import { isMissing } from "../../support/missing-tool.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** Where BRLTTY's server listens, whatever it is told: only root may write there. */
const SOCKETS = "/var/lib/BrlAPI";
/** At the virtual terminal of a desktop. */
const PLACE = { WINDOWPATH: "7" };

interface Display {
  /** The line that fingers feel. */
  readonly felt: () => string;
  readonly press: (key: string) => void;
  readonly unplug: () => void;
}

/** BRLTTY with no settings of the user's. It waits for its display. */
async function brltty() {
  const [folder, port] = [temporaryDirectory(), await freePort()];
  const host = `:${port}`;
  mkdirSync(SOCKETS, { recursive: true });
  const files = ["-f", "/dev/null", "-F", join(folder, "prefs"), "-P", join(folder, "pid"), "-U", folder, "-W", folder];
  const parts = ["-b", "vr", "-d", `server:127.0.0.1:${port}`, "-s", "no", "-x", "no", "-A", `auth=none,host=${host}`];
  const child = spawn("brltty", ["-n", "-e", "-q", "-l", "warning", ...files, ...parts], { stdio: "ignore" });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // It does not end by SIGTERM while its display is gone.
    child.kill("SIGKILL");
    await ended;
    for (const name of [`${port}`, `.${port}`]) rmSync(join(SOCKETS, name), { force: true });
  });
  return { environment: { ...PLACE, BRLAPI_HOST: host }, plug: (cells: number) => plugged(port, cells) };
}

async function plugged(port: number, cells: number): Promise<Display> {
  const socket = await vi.waitFor(
    () =>
      new Promise<Socket>((resolve, reject) => {
        const one = connect(port, "127.0.0.1", () => resolve(one));
        one.once("error", reject);
      }),
    60_000,
  );
  let heard = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    heard += chunk;
  });
  socket.write(`cells ${cells} 1\n`);
  onTestFinished(() => void socket.destroy());
  const felt = (): string => [...heard.matchAll(/^Visual "(.*)"\r?$/gm)].at(-1)?.[1] ?? "";
  // BRLTTY shows that it is there.
  await eventually(() => expect(felt()).not.toBe(""));
  return {
    felt,
    press: (key) => void socket.write(`${key}\n`),
    unplug: () => socket.destroy(),
  };
}

/** A client as Orca is one: at the terminal of the desktop, at BrlAPI's own priority. */
async function screenReader(environment: Readonly<Record<string, string>>) {
  const { connect: open, key, path } = brlttyOf(environment);
  const keys: number[] = [];
  const reader = new BrlapiConnection(open(), {
    clock: createClock(),
    onKey: (code) => void keys.push(code),
    onChange: () => {},
  });
  onTestFinished(() => reader.close());
  await reader.open(key);
  await reader.enter(path);
  await reader.setKeys("ignored", [0n, 2n ** 64n - 1n]);
  await reader.setKeys("accepted", [0x2000_0001n, 0x2000_0001n]);
  return { keys, write: (text: string) => reader.write(text.padEnd(40)) };
}

describe.skipIf(isMissing("brltty"))("BRLTTY", () => {
  it("shows what was told while a person has taken it, beside a screen reader; a question is read and answered", async () => {
    const { environment: place, plug } = await brltty();
    const display = await plug(40);
    const feels = (words: string) => eventually(() => expect(display.felt().trim()).toBe(words));
    const reader = await screenReader(place);
    reader.write("Mail: 3 new");
    await feels("Mail: 3 new");
    const daemon = await serve(temporaryDirectory());
    const environment = { ...daemon.environment, ...place };
    const speaker = startCommandLine(["speak", "--braille", "--no-speech"], { environment });
    await eventually(() => expect(speaker.stderr()).toContain("Braille: Virtual, 40 cells."));
    await eventually(() => expect(speaker.stderr()).toContain("Connected"));
    const agent = await openAgent({
      id: "sorter",
      name: "Sorter",
      connectors: [{ connect: ipcRpcConnector(daemon.socketPath) }],
    });
    onTestFinished(() => agent.close(0));
    const session = agent.session("Sort the books.");
    const ask = { action: "Throw 40 books away", consequence: "They are gone.", timeout_seconds: 600 } as const;
    const asked = session.confirm(ask);
    await eventually(async () =>
      expect((await runCommandLine(["where"], environment)).stdout).toContain("1 open question."),
    );
    // The reader's key is the reader's, and its line stays until the person takes the display.
    display.press("LNUP");
    await eventually(() => expect(reader.keys).toEqual([0x2000_0001]));
    await feels("Mail: 3 new");
    display.press("NXPROMPT");
    await feels("⡇aaepd begins here.                   !1");
    const early = await runCommandLine(["answer", "reject"], environment);
    expect(early.stdout).toBe("No question was said to its end yet. Nothing was sent.\n");
    await feels("⡇No question was said to its end yet. !1");
    reader.write("Mail: 4 new");
    display.press("NXPROMPT");
    await eventually(() => expect(display.felt()).toContain("Sorter asks."));
    const rows = [display.felt()];
    while (!display.felt().includes("to answer.")) {
      display.press("FWINRT");
      await eventually(() => expect(display.felt()).not.toBe(rows.at(-1)));
      rows.push(display.felt());
    }
    expect(rows.join(" ")).toContain("Throw 40 books away");
    await eventually(async () =>
      expect(await runCommandLine(["answer", "reject"], environment)).toMatchObject({ code: 0 }),
    );
    expect(await asked).toMatchObject({ decision: "reject" });
    display.press("HOME");
    await feels("Mail: 4 new");
    expect((await runCommandLine(["braille"], environment)).stdout).toBe("The braille display shows aaepd.\n");
    expect((await runCommandLine(["braille", "release"], environment)).code).toBe(0);
    await feels("Mail: 4 new");
  });

  it("a display that is unplugged, and plugged in with other cells, goes on in the text that was read", async () => {
    const { environment: place, plug } = await brltty();
    const first = await plug(80);
    const daemon = await serve(temporaryDirectory());
    const environment = { ...daemon.environment, ...place };
    const speaker = startCommandLine(["speak", "--braille", "--no-speech"], { environment });
    await eventually(() => expect(speaker.stderr()).toContain("Braille: Virtual, 80 cells."));
    await eventually(async () => expect((await runCommandLine(["braille", "take"], environment)).code).toBe(0));
    await eventually(() => expect(first.felt()).toContain("⡇aaepd begins here."));
    first.unplug();
    // BRLTTY says so, or hangs until its display is back.
    await eventually(() => expect(speaker.stderr()).toMatch(/There is no braille display\.|BRLTTY does not answer\./));
    expect((await runCommandLine(["braille", "take"], environment)).stdout).toBe(
      "There is no braille display at the moment.\n",
    );
    const second = await plug(12);
    await eventually(() => expect(speaker.stderr()).toContain("Braille: Virtual, 12 cells."));
    await eventually(() => expect(second.felt()).toBe("⡇aaepd      "));
  });
});
