// Publishing that is acknowledged once the disk has it (R29), beside LMDB by itself.
import { join } from "node:path";
import { atLeast, interleaved, ratioLine } from "../measuring.mjs";

const FLIGHTS = [64, 256];
const POLICIES = ["durable", "os"];

export const durable = {
  name: "durable",
  title: "Durable publishing, beside LMDB",
  remarks: `
Events a second, published one by one with 64 or 256 of them unacknowledged. The daemon acknowledges when its journal is as safe as the policy
makes it: with \`durable\` the disk has it, with \`os\` the operating system. "Local socket" is a daemon and a publisher; "engine alone" the
engine with its journal in one process, called directly. Beside it: LMDB by itself in a process of its own, ordered puts of the same bytes, 64 or
256 at a time, each batch flushed before the next (for \`os\` committed, with \`noSync\`). The disk is the same.
`,
  rows: durableRows,
};

async function servedBy(stage, policy) {
  const folder = join(stage.diskFolder("journal"), "journal");
  const [daemon, publisher] = await Promise.all([
    stage.daemon("--journal", folder, "--journal-policy", policy),
    stage.role("publisher"),
  ]);
  await publisher.call("open", { path: daemon.socket });
  return {
    publish: (count, flight) => () => publisher.call("publishInFlight", { count, flight }),
    stop: () => Promise.all([publisher.stop(), daemon.stop()]),
  };
}

async function durableRows(stage, { pairs, scale }) {
  const count = Math.ceil(20_000 * scale);
  const lines = [];
  for (const policy of POLICIES) {
    const served = await servedBy(stage, policy);
    const [engine, lmdb] = await Promise.all([stage.role("engine"), stage.role("lmdb")]);
    await engine.call("openJournal", { folder: join(stage.diskFolder("journal"), "journal"), policy });
    await lmdb.call("open", { folder: stage.diskFolder("lmdb"), policy });
    for (const flight of FLIGHTS) {
      const beside = () => lmdb.call("put", { count, batch: flight });
      const alone = () => engine.call("publishInFlight", { count, flight });
      for (const [what, ours] of [
        ["local socket", served.publish(count, flight)],
        ["engine alone", alone],
      ]) {
        const measured = await interleaved(pairs, ours, beside);
        const target = policy === "durable" ? atLeast(0.5) : undefined;
        lines.push(ratioLine(`${what}, \`${policy}\`, ${flight} in flight`, "events/s", measured, target));
      }
    }
    await Promise.all([served.stop(), engine.stop(), lmdb.stop()]);
  }
  return lines;
}
