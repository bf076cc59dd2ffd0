// An agent that publishes over the standard input of a daemon it has started.
import { join } from "node:path";
import { AAEPD, BENCH } from "../children.mjs";
import { atLeast, interleaved, ratioLine } from "../measuring.mjs";

export async function stdioRows(stage, { pairs, scale, profile }) {
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const [toDaemon, toBare, toMcp] = await Promise.all([
    stage.role("rpc-sender"),
    stage.role("rpc-sender"),
    stage.role("mcp-sender"),
  ]);
  await Promise.all([
    toDaemon.call("start", {
      args: [...profiling, AAEPD, "stdio", "--producer-id", "bench", "--socket", "off", "--log-level", "error"],
    }),
    toBare.call("start", { args: [join(BENCH, "roles/rpc-receiver.mjs")] }),
    toMcp.call("start", { args: [join(BENCH, "roles/mcp-receiver.mjs")] }),
  ]);
  const count = Math.ceil(150_000 * scale);
  const daemon = (size) => () => toDaemon.call("send", { count, size });
  const bare = () => toBare.call("send", { count, size: 1 });
  const mcp = () => toMcp.call("send", { count: Math.ceil(count / 4) });
  const perSecond = (measured) => measured.map(([one, other]) => [one.perSecond, other.perSecond]);
  const cpu = (measured) => ({
    note: `CPU an event: daemon ${mean(measured.map(([one]) => one.cpuMicrosPerEvent)).toFixed(1)} µs`,
  });

  const one = await interleaved(pairs, daemon(1), bare);
  const oneMcp = await interleaved(pairs, daemon(1), mcp);
  const arrays = await interleaved(pairs, daemon(64), mcp);
  await Promise.all([toDaemon.call("stop"), toBare.call("stop"), toMcp.call("stop")]);
  return [
    ratioLine(
      "stdio, one by one, beside a bare vscode-jsonrpc pair",
      "events/s",
      perSecond(one),
      atLeast(0.5),
      cpu(one),
    ),
    ratioLine("stdio, one by one, beside the MCP SDK", "events/s", perSecond(oneMcp), atLeast(3)),
    ratioLine("stdio, arrays of 64, beside the MCP SDK", "events/s", perSecond(arrays), atLeast(5), cpu(arrays)),
  ];
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
