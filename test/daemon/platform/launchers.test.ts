// Who stands behind a launcher.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import {
  agentBehind,
  behindLaunchers,
  hostProcess,
  type ProcessTable,
} from "../../../src/daemon/platform/process-lineage.js";

const [INIT, TERMINAL, SHELL, AGENT, NPM, LAUNCHED, DAEMON] = [1, 50, 60, 100, 101, 102, 103];

/** The names of processes from the first to the last, and the group of each. */
const table =
  (...chain: readonly (readonly [pid: number, name: string, group: number])[]): ProcessTable =>
  (processId) => {
    const at = chain.findIndex(([pid]) => pid === processId);
    const [, name, group] = chain[at] ?? [];
    return name === undefined || group === undefined ? undefined : { parent: chain[at - 1]?.[0] ?? 0, group, name };
  };

const behind = (...rest: readonly (readonly [number, string, number])[]): number => {
  const chain = [[INIT, "init", INIT], [TERMINAL, "terminal", TERMINAL], [SHELL, "bash", SHELL], ...rest] as const;
  return agentBehind(chain.at(-2)?.[0] ?? 0, DAEMON, table(...chain));
};

test("R5d: an agent that starts aaepd stdio by sh -c or npx stands behind the launcher, in a group of its own or not", () => {
  const agent = [AGENT, "node", AGENT] as const;
  expect(behind(agent, [DAEMON, "node", AGENT])).toBe(AGENT);
  expect(behind(agent, [LAUNCHED, "sh", AGENT], [DAEMON, "node", AGENT])).toBe(AGENT);
  expect(behind(agent, [NPM, "npm exec aaepd ", AGENT], [LAUNCHED, "sh", AGENT], [DAEMON, "node", AGENT])).toBe(AGENT);
  expect(behind(agent, [NPM, "npm exec aaepd ", NPM], [LAUNCHED, "sh", NPM], [DAEMON, "node", NPM])).toBe(AGENT);
  // A name that only begins so is an agent's.
  expect(behind(agent, [LAUNCHED, "bundler", AGENT], [DAEMON, "node", AGENT])).toBe(LAUNCHED);
});

test("R5d: the shell of a terminal counts itself, and what has started it does not", () => {
  expect(behind([DAEMON, "node", DAEMON])).toBe(SHELL);
  expect(behind([LAUNCHED, "sh", LAUNCHED], [DAEMON, "node", LAUNCHED])).toBe(SHELL);
});

test("R5d: where the system does not tell, the parent counts, and without a parent nobody", () => {
  expect(agentBehind(AGENT, DAEMON, () => undefined)).toBe(AGENT);
  const stdio: { readonly parentId?: number } = {};
  expect(behindLaunchers(stdio)).toBe(stdio);
});

test.runIf(process.platform !== "win32")("R5d: so it is with real processes", async () => {
  const script = "console.log(process.pid, process.ppid); process.stdin.resume();";
  const child = spawn("sh", ["-c", `"${process.execPath}" -e '${script}'; :`], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const [own = 0, parent = 0] = String(line).split(" ").map(Number);
  expect(parent).toBe(child.pid);
  expect(agentBehind(parent, own)).toBe(process.pid);
  expect(hostProcess(parent)).toBe(process.pid);
  child.stdin.end();
  await once(child, "exit");
});

test("R8c: a hook whose host is the first process of all names nobody", () => {
  expect(hostProcess(LAUNCHED, table([INIT, "init", INIT], [LAUNCHED, "sh", INIT]))).toBeUndefined();
  expect(hostProcess(LAUNCHED, table([INIT, "init", INIT], [AGENT, "claude", AGENT], [LAUNCHED, "sh", AGENT]))).toBe(
    AGENT,
  );
});
