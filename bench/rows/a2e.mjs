// A2E through the daemon, beside a relay that only parses and serializes.
import { atMost, interleaved, median, percentile, ratioLine } from "../measuring.mjs";
import { cpuMicrosOf } from "../process-cpu.mjs";

export const a2e = {
  name: "a2e",
  title: "Calls of an A2E agent",
  remarks: `
A call of an A2E agent to a provider and back, through the daemon's socket with nobody listening. The daemon checks and forwards each message, and
journals two events for each call, in memory: \`tool.invoked\` and \`tool.completed\`. Beside it: a relay that parses and serializes each line and does
nothing else. Agent and provider are one process.
`,
  rows: a2eRows,
};

async function a2eRows(stage, { pairs, quick, scale }) {
  const [daemon, relay, ours, theirs] = await Promise.all([
    stage.daemon(),
    stage.role("a2e-relay"),
    stage.role("a2e-peers"),
    stage.role("a2e-peers"),
  ]);
  const paths = { agentPath: stage.path("a2e-agent"), providerPath: stage.path("a2e-provider") };
  await relay.call("listen", paths);
  await ours.call("open", { agentPath: daemon.socket, providerPath: daemon.socket });
  await theirs.call("open", paths);

  const count = quick ? 20 : 300;
  const rounds = await interleaved(
    pairs,
    () => ours.call("calls", { count, everyMs: 3 }),
    () => theirs.call("calls", { count, everyMs: 3 }),
  );
  const share = (what, of, target) =>
    ratioLine(
      what,
      "µs",
      rounds.map(([one, other]) => [percentile(one, of), percentile(other, of)]),
      target,
    );

  const many = Math.ceil(20_000 * scale);
  const relayUsage = async () => {
    const { user, system } = await relay.call("usage");
    return user + system;
  };
  const cost = async (peers, usage) => {
    const before = await usage();
    await peers.call("flood", { count: many });
    return ((await usage()) - before) / many;
  };
  await ours.call("flood", { count: many });
  await theirs.call("flood", { count: many });
  const costs = await interleaved(
    pairs,
    () => cost(ours, async () => cpuMicrosOf(daemon.pid)),
    () => cost(theirs, relayUsage),
  );
  const more = median(costs.map(([one, other]) => one - other)).toFixed(1);
  return [
    share("idle, p50", 0.5, atMost(2.5)),
    share("idle, p99", 0.99),
    ratioLine("four calls at a time", "µs CPU a call", costs, undefined, {
      note: `beyond the relay: ${more} µs for each call with its two events`,
    }),
  ];
}
