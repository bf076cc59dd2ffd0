// The banking agents in TypeScript and Python, each with a person who answers in `aaepd tail --interactive`: accept, reject, and no answer (AAEP §4.6).
// Those in other languages are in test/tools.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { isWhole, itInFull } from "../support/extent.js";
import { cleanEnvironment, type Program, startCommand, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type Command = readonly string[];

const TYPESCRIPT = [process.execPath, "dist/examples/typescript/banking-agent.js"];

const AGENTS: readonly { readonly name: string; readonly command: Command }[] = [
  { name: "TypeScript", command: TYPESCRIPT },
  { name: "Python", command: ["python3", "examples/python/banking_agent.py"] },
];

const BEFORE = [
  "started: Transfers 500 dollars to Ada Obi.",
  "tool: fetch_balance: Reading your balance.",
  "tool: fetch_balance success: Your balance is 12,500 dollars.",
];
const ACCEPTED = [
  "tool: transfer_funds: Transferring 500 dollars.",
  "tool: transfer_funds success: The transfer is done.",
  "text: Transferred 500 dollars.",
  "text: Your balance is 12,000 dollars.",
  "completed: Transferred 500 dollars.",
];

const SERVE = ["serve", "--producer-id", "banking-agent", "--confirmation-grace-seconds", "20"];

beforeAll(ensureBuilt, 120_000);

interface Stage {
  /** Lines that the person types. */
  readonly lines: readonly string[];
  readonly whenAsked?: (person: Program) => void;
  readonly argv?: readonly string[];
  /** Whether a daemon serves this user. Otherwise the agent starts its own. */
  readonly isServed?: boolean;
}

/** The banking session with a person. Returns what the person saw, without times and without the states that only the packages tell. */
async function session(command: Command, { lines, whenAsked, argv = [], isServed = true }: Stage) {
  const directory = temporaryDirectory();
  const environment = { ...cleanEnvironment(directory), XDG_STATE_HOME: directory };
  const served = isServed ? startProgram(SERVE, { environment }) : undefined;
  const endpoints = served === undefined ? undefined : JSON.parse((await served.stdoutLines(1))[0] ?? "").endpoints;
  const person = startProgram(["tail", "--interactive"], { environment });
  person.child.stdin.write(lines.map((line) => `${line}\n`).join(""));
  if (isServed) await eventually(() => expect(person.stderr()).toContain("banking-agent: Connected"));
  const socket = endpoints === undefined ? {} : { AAEPD_SOCKET: endpoints.ipc };
  let hasEnded = false;
  const agent = startCommand([...command, ...argv], { cwd: ROOT, environment: { ...environment, ...socket } });
  const ended = agent.ended.finally(() => {
    hasEnded = true;
  });
  // An agent that has failed before tells why, further down.
  await eventually(() => expect(hasEnded || person.stderr().includes("Question 1")).toBe(true));
  whenAsked?.(person);
  expect([(await ended).code, agent.stderr()]).toEqual([0, ""]);
  await eventually(() => expect(person.stdout()).toContain("completed"));
  person.child.kill("SIGINT");
  expect(await person.ended).toEqual({ code: 0, signal: null });
  const seen = person
    .stdout()
    .trimEnd()
    .split("\n")
    .map((line) =>
      line
        .replace(/^· /, "")
        .slice("00:00:00 ".length)
        .replace(/^banking-agent: /, "")
        .replace(/ after [\d.]+ s:/, ":"),
    )
    .filter((line) => !/^state: (?:thinking|calling tool|writing output)$/.test(line));
  const audit = readFileSync(join(directory, "aaepd", "audit", "banking-agent.ndjson"), "utf8");
  return { told: agent.stdout(), seen, asked: person.stderr(), audit };
}

function outcomeIn(audit: string): unknown {
  const entries = audit
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return entries.find(({ kind }) => kind === "outcome")?.outcome;
}

itInFull(
  "R5: the banking agent of a package asks a person in a daemon of its own, where none serves this user",
  async () => {
    const { told, seen, audit } = await session(TYPESCRIPT, { lines: ["accept"], isServed: false });
    expect(told).toBe("Transferred 500 dollars.\n");
    expect(seen.slice(-ACCEPTED.length)).toEqual(ACCEPTED);
    expect(outcomeIn(audit)).toMatchObject({ decision: "accept", resolved_by: "reply" });
  },
);

describe.each(isWhole ? AGENTS : AGENTS.slice(0, 1))("the banking agent in $name", ({ command }) => {
  it("R5: transfers when a person accepts, who may hear the question again before", async () => {
    const { told, seen, asked, audit } = await session(command, { lines: ["", "r", "t", "perhaps", "accept"] });
    expect(told).toBe("Transferred 500 dollars.\n");
    expect(asked.match(/Question 1 of banking-agent: Transfer 500 dollars to Ada Obi\./g)).toHaveLength(2);
    expect(asked).toContain("Risk: high. It cannot be undone.");
    expect(asked).toContain("Nothing was sent. r repeats the question.");
    expect(asked).toContain("Not sent. Type yes or no, then Enter.");
    expect(asked).toContain("Sent: yes.\n· Question 1 has ended: Accepted.");
    expect(seen.slice(0, BEFORE.length)).toEqual(BEFORE);
    expect(seen.at(-ACCEPTED.length - 1)).toMatch(/^state: awaiting input/);
    expect(seen.slice(-ACCEPTED.length)).toEqual(ACCEPTED);
    expect(outcomeIn(audit)).toMatchObject({ decision: "accept", resolved_by: "reply" });
  });

  itInFull("§4.5.3: does not transfer when a person rejects, and says so", async () => {
    const { told, seen, asked, audit } = await session(command, { lines: ["reject"] });
    expect(told).toBe("You declined it. Nothing was transferred.\n");
    expect(asked).toContain("Sent: no.\n· Question 1 has ended: Rejected.");
    expect(seen.join("\n")).not.toContain("transfer_funds");
    expect(seen.at(-1)).toBe("completed: You declined it. Nothing was transferred.");
    expect(outcomeIn(audit)).toMatchObject({ decision: "reject", resolved_by: "reply" });
  });

  itInFull("does not transfer when nobody answers, and calls it nobody's decision", async () => {
    const { told, seen, asked, audit } = await session(command, { lines: [], argv: ["--timeout", "5"] });
    expect(told).toBe("Nobody answered in time. Nothing was transferred.\n");
    expect(asked).toMatch(/\d seconds? left to answer; then it is rejected\./);
    expect(asked).toMatch(/Question 1 has ended without your answer: .*Nobody answered in time/);
    expect(seen.join("\n")).not.toContain("transfer_funds");
    expect(seen.at(-1)).toBe("completed: Nobody answered in time. Nothing was transferred.");
    expect(outcomeIn(audit)).toMatchObject({ decision: "reject", resolved_by: "timeout" });
    expect(audit).not.toContain('"kind":"reply"');
  });

  itInFull("R7: does not transfer when whoever was asked has gone, and says that", async () => {
    const { told, asked, audit } = await session(command, {
      lines: [],
      whenAsked: (person) => person.child.stdin.end(),
    });
    expect(told).toBe("Nobody who could answer was left. Nothing was transferred.\n");
    expect(asked).toContain("questions cannot be answered here any more");
    expect(outcomeIn(audit)).toMatchObject({ decision: "reject", resolved_by: "subscription_ended" });
  });
});
