// The commands that ask a daemon, and the variable that daemons are told their socket by: AAEPD_SOCKET.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shared } from "../../support/lifetime.js";
import { runtimeEnvironment, startCommandLine } from "../command-stage.js";

const OF_SESSION = { session_id: "sess_1", producer: { agent_id: "tester" } };
/** A whole session: of one whose agent has gone, the daemon would tell the end when its grace is over. */
const EVENTS = [
  { type: "aaep:agent.session.started", ...OF_SESSION, summary_normal: "Hello." },
  { type: "aaep:agent.session.completed", ...OF_SESSION, summary_normal: "Done." },
];

/** A user whose two daemons, `one` and `two`, run; neither stands where a daemon is looked for where `isHidden`. */
async function userOfTwo(isHidden = false) {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const place = isHidden ? XDG_RUNTIME_DIR : directory;
  const socketOf = (name: string) => join(place, `${name}.sock`);
  const file = join(XDG_RUNTIME_DIR, "events.ndjson");
  writeFileSync(file, EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const base = { XDG_RUNTIME_DIR, AAEPD_JOURNAL: "memory" };
  for (const name of ["one", "two"]) {
    const argv = ["serve", "--producer-id", name, "--socket", socketOf(name)];
    await startCommandLine(argv, { environment: base }).stdoutLines(1);
  }
  const start = (variable: string | undefined, ...argv: readonly string[]) =>
    startCommandLine(argv, { environment: { ...base, ...(variable === undefined ? {} : { AAEPD_SOCKET: variable }) } });
  return { socketOf, file, start, missing: join(place, "none.sock") };
}

/** Of all tests whose daemons stand where they are looked for. */
const ofTwo = shared(() => userOfTwo());

/** What each command shows of the daemon it asked, its name. */
const COMMANDS = ["status", "manifest", "publish", "tail"] as const;

type User = Awaited<ReturnType<typeof userOfTwo>>;

/** Whom a command asks: the name of the daemon. */
async function askedBy(
  user: User,
  command: (typeof COMMANDS)[number],
  variable: string | undefined,
  ...options: readonly string[]
) {
  switch (command) {
    case "status": {
      const program = user.start(variable, "status", "--json", ...options);
      await program.ended;
      return (JSON.parse(program.stdout()) as { readonly producer_id: string }).producer_id;
    }
    case "manifest": {
      const program = user.start(variable, "manifest", ...options);
      await program.ended;
      return (JSON.parse(program.stdout()) as { readonly agent_id: string }).agent_id;
    }
    case "publish": {
      const before = await publishedBy(user);
      const program = user.start(variable, "publish", user.file, ...options);
      await program.ended;
      const after = await publishedBy(user);
      return ["one", "two"].filter((name) => after.get(name) !== before.get(name)).join();
    }
    case "tail": {
      const program = user.start(variable, "tail", "--json", "--count", "1", ...options);
      await expect.poll(program.stderr, { timeout: 60_000 }).toContain("Connected");
      // Where it follows one daemon alone, its lines have no name in front.
      const chosen = /^Connected/m.test(program.stderr()) ? await subscribedAt(user) : "all";
      program.signal("SIGINT");
      await program.ended;
      return chosen;
    }
  }
}

async function statusAt({ start, socketOf }: User, name: string) {
  const program = start(undefined, "status", "--json", "--socket", socketOf(name));
  await program.ended;
  return JSON.parse(program.stdout()) as {
    readonly totals: { readonly published: number };
    readonly subscription_count: number;
  };
}

async function publishedBy(user: User): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const name of ["one", "two"]) counts.set(name, (await statusAt(user, name)).totals.published);
  return counts;
}

async function subscribedAt(user: User): Promise<string> {
  const names: string[] = [];
  for (const name of ["one", "two"]) if ((await statusAt(user, name)).subscription_count > 0) names.push(name);
  return names.join();
}

describe.each(COMMANDS)("U9: aaepd %s and AAEPD_SOCKET", (command) => {
  it("asks the daemon that the variable names, and the one that --socket names before that", async () => {
    const user = await ofTwo();
    expect(await askedBy(user, command, user.socketOf("two"))).toBe("two");
    expect(await askedBy(user, command, user.socketOf("two"), "--socket", user.socketOf("one"))).toBe("one");
  });

  it("finds by it a daemon where none would be looked for", async () => {
    const user = await userOfTwo(true);
    expect(await askedBy(user, command, user.socketOf("one"))).toBe("one");
  });

  it("says, where nobody listens there, that the variable names that socket", async () => {
    const { start, missing, file, socketOf } = await ofTwo();
    const rest = command === "publish" ? [file] : [];
    const program = start(missing, command, ...rest);
    expect((await program.ended).code).toBe(69);
    expect(program.stderr()).toContain(missing);
    expect(program.stderr()).toContain(
      "The variable AAEPD_SOCKET names that socket. Change it, unset it, or give --socket.",
    );
    const named = start(socketOf("one"), command, ...rest, "--socket", missing);
    expect((await named.ended).code).toBe(69);
    expect(named.stderr()).not.toContain("AAEPD_SOCKET");
  });

  it.each(["off", ""])("refuses a variable of %j, which names no daemon", async (value) => {
    const { start, file } = await ofTwo();
    const program = start(value, command, ...(command === "publish" ? [file] : []));
    expect((await program.ended).code).toBe(2);
    expect(program.stderr()).toContain("AAEPD_SOCKET");
  });
});

it("U9: auto stands for looking for daemons, as it does for serve", async () => {
  const { start } = await ofTwo();
  const program = start("auto", "status");
  expect((await program.ended).code).toBe(0);
  expect(program.stdout().match(/^Daemon \w+/gm)).toEqual(["Daemon one", "Daemon two"]);
});
