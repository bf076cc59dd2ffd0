// The cost of `s.text(token)` to the program of an agent, whatever becomes of the daemon.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { AAEPD, serveArguments } from "../children.mjs";
import { aimedLine, atMost, interleaved, ratioLine } from "../measuring.mjs";

/** Tokens of a model's stream between two turns of the event loop. */
const TURN_EVERY = 8;
/** Bytes of the longest file of a daemon whose disk is full: writes beyond them fail. */
const FULL_BYTES = 8 * 1024 * 1024;

export const agentTokens = {
  name: "agent-tokens",
  title: "A token of an agent",
  remarks: `
CPU of an agent's program for each token that its loop hands to \`s.text\` (\`openAgent\`, local socket), beside the same loop with nothing in
it. The loop reads an async iterator that lets the event loop turn every ${TURN_EVERY} tokens, so that publishing happens meanwhile. With the daemon there, the
figure includes everything until it has taken all text. A stopped daemon (SIGSTOP) answers nothing, a killed one is looked for, and one with a full
disk refuses: text then waits up to the queue's limit, and further text is dropped and counted. "Without a turn": the loop never waits, as with a model
that has all tokens already. The last row has a model's pace, at which a few tokens share a publish; it has no target, because nobody waits for it.
`,
  rows: agentTokensRows,
};

const above = { unit: "µs above", of: ([ours, beside]) => ours - beside };

async function agentTokensRows(stage, { pairs, scale }) {
  const count = Math.ceil(200_000 * scale);
  const agent = await stage.role("agent");
  const line = async (what, options, isAimed = true, tokens = count) => {
    const drops = [];
    const say = async () => {
      const { micros, dropped } = await agent.call("say", { count: tokens, ...options });
      drops.push(dropped);
      return micros;
    };
    const skip = async () => (await agent.call("skip", { count: tokens, ...options })).micros;
    const measured = await interleaved(pairs, say, skip);
    const note = `${Math.round(Math.max(...drops) * 100)} % of the text was dropped at most`;
    return isAimed
      ? aimedLine(what, "µs CPU a token", measured, above, atMost(5), { note })
      : ratioLine(what, "µs CPU a token", measured, undefined, { note });
  };
  const opened = async (socket, expected) => {
    const status = await agent.call("open", { socket });
    if (status !== expected) throw new Error(`The agent is ${status}, not ${expected}.`);
  };

  const lines = [];
  const daemon = await stage.daemon();
  await opened(daemon.socket, "connected");
  lines.push(await line("the daemon takes it", { turnEvery: TURN_EVERY, isTaken: true }));
  lines.push(await line("the daemon takes it, without a turn", {}));
  lines.push(
    await line(
      "the daemon takes it, 200 tokens a second",
      { perSecond: 200, isTaken: true },
      false,
      Math.ceil(1000 * scale),
    ),
  );
  process.kill(daemon.pid, "SIGSTOP");
  lines.push(await line("the daemon is stopped", { turnEvery: TURN_EVERY }));
  process.kill(daemon.pid, "SIGKILL");
  await untilStatus(agent, "away");
  lines.push(await line("the daemon is gone", { turnEvery: TURN_EVERY }));
  await opened(undefined, "silent");
  lines.push(await line("there never was a daemon", { turnEvery: TURN_EVERY }));
  await opened(await fullDaemon(stage), "connected");
  lines.push(await line("the daemon's disk is full", { turnEvery: TURN_EVERY }));
  return lines;
}

async function untilStatus(agent, wanted) {
  while ((await agent.call("status")) !== wanted) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The socket of a daemon whose journal takes nothing more. A limit on the length of files fails a write as a full disk does. */
async function fullDaemon(stage) {
  const socket = stage.path("full");
  const journal = join(stage.diskFolder("full"), "journal");
  const limited = `trap '' XFSZ; ulimit -S -f ${FULL_BYTES / 512}; exec "$@"`;
  const command = [process.execPath, AAEPD, ...serveArguments(socket, ["--journal", journal, "--log-level", "off"])];
  const child = stage.own(
    // Its database tells the failures of the disk by itself.
    spawn("sh", ["-c", limited, "sh", ...command], { env: stage.env, stdio: ["ignore", "pipe", "ignore"] }),
  );
  await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The daemon ended with ${code} before it listened.`)));
    child.stdout.once("data", resolve);
  });
  const publisher = await stage.role("publisher");
  await publisher.call("open", { path: socket });
  const filled = await publisher.call("publishAcknowledged", { count: 1_000_000, size: 64, flight: 1 }).then(
    () => "nothing",
    (error) => error.message,
  );
  await publisher.stop();
  if (!filled.includes("storage_unavailable")) throw new Error(`The disk did not become full: ${filled}`);
  return socket;
}
