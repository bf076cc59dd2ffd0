// The banking agents of examples/, each with a person who answers in `aaepd tail --interactive`: accept, reject, and no answer (AAEP §4.6).
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { isWhole, itInFull } from "../support/extent.js";
import { createHeldNpx } from "../support/peers/held-npx.js";
import { cleanEnvironment, type Program, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface BankingAgent {
  readonly name: string;
  readonly command: readonly string[];
  /** Whether it publishes to the daemon that serves this user. The other starts its own by npx. */
  readonly isServed: boolean;
  readonly before: readonly string[];
  readonly accepted: { readonly out: string; readonly seen: readonly string[] };
  /** Printed when the transfer is not made, for this reason. */
  readonly notTransferred: (why: string) => string;
  readonly completed: (why: string) => string;
}

const STARTED = ["started: Transfers 500 dollars to Ada Obi.", "state: thinking"];
const BALANCE = [
  "tool: fetch_balance: Reading your balance.",
  "tool: fetch_balance success: Your balance is 12,500 dollars.",
];
const TRANSFER = [
  "tool: transfer_funds: Transferring 500 dollars.",
  "tool: transfer_funds success: The transfer is done.",
];
const AGENTS: readonly BankingAgent[] = [
  {
    name: "TypeScript",
    command: [process.execPath, "dist/examples/typescript/banking-agent.js"],
    isServed: true,
    before: [...STARTED, "state: calling tool", ...BALANCE, "state: thinking"],
    accepted: {
      out: "Somebody is being asked.\nTransferred 500 dollars.\n",
      seen: [
        "state: calling tool",
        ...TRANSFER,
        "state: thinking",
        "state: writing output",
        "text: Transferred 500 dollars.",
        "text: Your balance is 12,000 dollars.",
        "completed: Transferred 500 dollars.",
      ],
    },
    notTransferred: (why) => `${why} Nothing was transferred.`,
    completed: (why) => `${why} Nothing was transferred.`,
  },
  {
    name: "Python",
    command: ["python3", "examples/python/banking_agent.py"],
    isServed: false,
    before: [...STARTED, ...BALANCE, "state: deciding", "state: thinking"],
    accepted: {
      out: "Somebody is being asked.\nAccepted: transferring.\n",
      seen: [
        ...TRANSFER,
        "state: writing output",
        "text: Transferred 500 dollars to Ada Obi.",
        "text: Your new balance is 12,000 dollars.",
        "completed: Transferred 500 dollars.",
      ],
    },
    notTransferred: (why) => `Not transferred: ${why}`,
    completed: () => "Nothing was transferred.",
  },
];

const SERVE = ["serve", "--producer-id", "banking-agent", "--confirmation-grace-seconds", "20"];

beforeAll(ensureBuilt, 120_000);

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function runAgent(command: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ended> {
  const [program = "", ...argv] = command;
  const child = spawn(program, argv, { cwd: ROOT, env: environment });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}

/** The banking session with a person whose lines these are. Answers what the person saw, without times. */
async function session(
  { command, isServed }: BankingAgent,
  lines: readonly string[],
  whenAsked: (person: Program) => void = () => {},
  argv: readonly string[] = [],
): Promise<{
  readonly agent: Ended;
  readonly seen: readonly string[];
  readonly asked: string;
  readonly audit: string;
}> {
  const directory = temporaryDirectory();
  const npx = createHeldNpx(directory);
  const environment = { ...cleanEnvironment(directory), XDG_STATE_HOME: directory };
  const served = isServed ? startProgram(SERVE, { environment }) : undefined;
  const endpoints = served === undefined ? undefined : JSON.parse((await served.stdoutLines(1))[0] ?? "").endpoints;
  const person: Program = startProgram(["tail", "--interactive"], { environment });
  person.child.stdin.write(lines.map((line) => `${line}\n`).join(""));
  const connected = (): Promise<void> =>
    eventually(() => expect(hasEnded || person.stderr().includes("banking-agent: Connected")).toBe(true));
  let hasEnded = false;
  if (isServed) await connected();
  const running = runAgent([...command, ...argv], {
    ...environment,
    PATH: npx.path,
    ...(endpoints === undefined ? {} : { AAEPD_SOCKET: endpoints.ipc }),
  });
  void running.then(() => {
    hasEnded = true;
  });
  // An agent that has failed before tells why, further down.
  await connected();
  if (!hasEnded && !isServed) await npx.letGo();
  await eventually(() => expect(hasEnded || person.stderr().includes("Question 1")).toBe(true));
  whenAsked(person);
  const agent = await running;
  expect(agent).toMatchObject({ code: 0 });
  await eventually(() => expect(person.stdout()).toContain("completed"));
  person.child.kill("SIGINT");
  expect(await person.ended).toEqual({ code: 0, signal: null });
  const seen = person
    .stdout()
    .trimEnd()
    .split("\n")
    .map((line) =>
      line
        .slice("00:00:00 ".length)
        .replace(/^banking-agent: /, "")
        .replace(/ after [\d.]+ s:/, ":"),
    );
  const audit = readFileSync(join(directory, "aaepd", "audit", "banking-agent.ndjson"), "utf8");
  return { agent, seen, asked: person.stderr(), audit };
}

function outcomeIn(audit: string): unknown {
  const entries = audit
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return entries.find(({ kind }) => kind === "outcome")?.outcome;
}

describe.each(isWhole ? AGENTS : AGENTS.slice(0, 1))("the banking agent in $name", (banking) => {
  it("R5: transfers when a person accepts, who may hear the question again before", async () => {
    const { agent, seen, asked, audit } = await session(banking, ["", "r", "t", "perhaps", "accept"]);
    expect(agent).toEqual({ code: 0, out: banking.accepted.out, err: expect.anything() });
    expect(asked.match(/Question 1 of banking-agent: Transfer 500 dollars to Ada Obi\./g)).toHaveLength(2);
    expect(asked).toContain("Risk: high. It cannot be undone.");
    expect(asked).toContain("Nothing was sent. r repeats the question.");
    expect(asked).toContain("Not sent. Type accept or reject, then Enter.");
    expect(asked).toContain("Sent: accept.\nQuestion 1 has ended: Accepted.");
    const { before, accepted } = banking;
    expect(seen.slice(0, before.length)).toEqual(before);
    expect(seen.at(-accepted.seen.length - 1)).toMatch(/^state: awaiting input/);
    expect(seen.slice(-accepted.seen.length)).toEqual(accepted.seen);
    expect(outcomeIn(audit)).toMatchObject({ decision: "accept", resolved_by: "reply" });
  });

  itInFull("§4.5.3: does not transfer when a person rejects, and says so", async () => {
    const { agent, seen, asked, audit } = await session(banking, ["reject"]);
    expect(agent).toMatchObject({
      code: 0,
      out: `Somebody is being asked.\n${banking.notTransferred("You declined it.")}\n`,
    });
    expect(asked).toContain("Sent: reject.\nQuestion 1 has ended: Rejected.");
    expect(seen.join("\n")).not.toContain("transfer_funds");
    expect(seen.at(-1)).toBe(`completed: ${banking.completed("You declined it.")}`);
    expect(outcomeIn(audit)).toMatchObject({ decision: "reject", resolved_by: "reply" });
  });

  itInFull("H8: does not transfer when nobody answers, and calls it nobody's decision", async () => {
    const { agent, seen, asked, audit } = await session(banking, [], () => {}, ["--timeout", "5"]);
    expect(agent).toMatchObject({
      code: 0,
      out: `Somebody is being asked.\n${banking.notTransferred("Nobody answered in time.")}\n`,
    });
    expect(asked).toMatch(/\d seconds? left to answer; then it is rejected\./);
    expect(asked).toMatch(/Question 1 has ended without your answer: .*Nobody answered in time/);
    expect(seen.join("\n")).not.toContain("transfer_funds");
    expect(seen.at(-1)).toBe(`completed: ${banking.completed("Nobody answered in time.")}`);
    expect(outcomeIn(audit)).toMatchObject({ decision: "reject", resolved_by: "timeout" });
    expect(audit).not.toContain('"kind":"reply"');
  });

  itInFull("R7: does not transfer when whoever was asked has gone, and says that", async () => {
    const { agent, asked, audit } = await session(banking, [], (person) => person.child.stdin.end());
    expect(agent).toMatchObject({
      code: 0,
      out: `Somebody is being asked.\n${banking.notTransferred("Whoever could have answered has gone.")}\n`,
    });
    expect(asked).toContain("questions cannot be answered here any more");
    expect(outcomeIn(audit)).toMatchObject({ decision: "reject", resolved_by: "subscription_ended" });
  });
});
