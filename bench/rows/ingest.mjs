// The cost of taking an event in, beside parsing, validating and serialising it.
import { passThrough } from "../events.mjs";
import { atMost, interleaved, ratioLine } from "../measuring.mjs";

export const ingest = {
  name: "ingest",
  title: "Taking an event in",
  remarks: `
CPU to take in, check, journal (memory) and encode one event, beside \`JSON.parse\`, the generated Ajv validator and \`JSON.stringify\` of the
same event. "In one process" is the engine with its protocol and without sockets, encoding for one subscriber; "by the daemon" is the daemon's
process, with a publisher and one subscriber on the local socket.
`,
  rows: ingestRows,
};

async function ingestRows(stage, { pairs, scale }) {
  const count = Math.ceil(60_000 * scale);
  const engine = await stage.role("engine");
  const bare = () => engine.call("bare", { count });
  const lines = [];
  for (const size of [1, 64]) {
    const measured = await interleaved(pairs, () => engine.call("ingest", { count, size }), bare);
    const what = size === 1 ? "one event a message" : `arrays of ${size}`;
    lines.push(ratioLine(`in one process, ${what}`, "µs CPU an event", measured, atMost(2)));
  }

  const [daemon, publisher, receivers] = await Promise.all([
    stage.daemon(),
    stage.role("publisher"),
    stage.role("receivers"),
  ]);
  for (const size of [1, 64]) {
    const through = async () => {
      const creditPath = stage.path("credit");
      await publisher.call("open", { path: daemon.socket, creditPath });
      const capabilities = passThrough();
      await receivers.call("connect", { path: daemon.socket, count: 1, parse: false, capabilities, creditPath });
      await receivers.call("expect", { count });
      const { cpuMicros } = await daemon.during(() =>
        Promise.all([publisher.call("publish", { count, size, window: 1024 }), receivers.call("reached")]),
      );
      return cpuMicros / count;
    };
    const measured = await interleaved(pairs, through, bare);
    const what = size === 1 ? "one event a message" : `arrays of ${size}`;
    lines.push(
      ratioLine(`by the daemon, socket in and one socket out, ${what}`, "µs CPU an event", measured, atMost(2)),
    );
  }
  return lines;
}
