// An agent that publishes over the standard input of a daemon that it has started, beside alternatives.
import { join } from "node:path";
import { AAEPD, BENCH, stdioArguments } from "../children.mjs";
import { atLeast, interleaved, median, ratioLine } from "../measuring.mjs";

export const stdio = {
  name: "stdio",
  title: "An agent over stdio, and its peers",
  remarks: `
Events a second from an agent to its child: to \`aaepd stdio\`, which checks and journals them and says when it has taken all. Beside it:

- a bare pair of \`vscode-jsonrpc\`, one message a line, with our own plain reader and writer; the receiver parses;
- the TypeScript SDK of the Model Context Protocol: its client sends the same events as notifications to its server.

Receivers check the order of all events. Senders wait in groups of 64 for what their writer or transport promises.
`,
  rows: stdioRows,
};

async function stdioRows(stage, { pairs, scale, profile }) {
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const [toDaemon, toBare, toMcp] = await Promise.all([
    stage.role("rpc-sender"),
    stage.role("rpc-sender"),
    stage.role("mcp-sender"),
  ]);
  await Promise.all([
    toDaemon.call("start", { args: [...profiling, AAEPD, ...stdioArguments("off")] }),
    toBare.call("start", { args: [join(BENCH, "roles/rpc-receiver.mjs")] }),
    toMcp.call("start", { args: [join(BENCH, "roles/mcp-receiver.mjs")] }),
  ]);
  const count = Math.ceil(60_000 * scale);
  const few = Math.ceil(count / 4);
  const peers = {
    bare: () => toBare.call("send", { count, size: 1 }),
    mcp: () => toMcp.call("send", { count: few }),
  };
  const line = async (what, size, peer, target) => {
    const measured = await interleaved(pairs, () => toDaemon.call("send", { count, size }), peers[peer]);
    const micros = (of) => median(measured.map((pair) => of(pair).cpuMicrosPerEvent)).toFixed(1);
    return ratioLine(
      what,
      "events/s",
      measured.map(([ours, theirs]) => [ours.perSecond, theirs.perSecond]),
      target,
      {
        note: `receiver's CPU an event: daemon ${micros(([ours]) => ours)} µs, beside it ${micros(([, theirs]) => theirs)} µs`,
      },
    );
  };
  const lines = [
    await line("one by one, beside a bare pair of `vscode-jsonrpc`", 1, "bare", atLeast(0.5)),
    await line("one by one, beside the MCP SDK", 1, "mcp", atLeast(3)),
    await line("arrays of 64, beside the MCP SDK", 64, "mcp", atLeast(5)),
  ];
  await Promise.all([toDaemon, toBare, toMcp].map((one) => one.call("stop")));
  return lines;
}
