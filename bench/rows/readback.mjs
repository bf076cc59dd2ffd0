// Reading back from the disk: a subscriber resumes before everything published.
import { join } from "node:path";
import { passThrough } from "../events.mjs";
import { interleaved, ratioLine } from "../measuring.mjs";

const EVENTS = 100_000;
/** Events that the daemon holds in memory; the rest comes from the disk. */
const IN_FRONT = 1024;

export const readback = {
  name: "readback",
  title: "Reading back from the disk",
  remarks: `
A subscriber resumes over ${EVENTS.toLocaleString("en")} events, of which the daemon holds the last ${IN_FRONT.toLocaleString("en")} in memory
and the rest on the disk; it parses each and checks the order. Events a second, from connecting to the last event. Beside it: LMDB by itself, a
range read of as many entries with the same bytes, in a process of its own, which parses nothing. For information: there is no target.
`,
  rows: readbackRows,
};

async function readbackRows(stage, { pairs, scale }) {
  const count = Math.ceil(EVENTS * scale);
  const folder = join(stage.diskFolder("journal"), "journal");
  const [daemon, publisher, receivers, lmdb] = await Promise.all([
    stage.daemon("--journal", folder, "--journal-policy", "os", "--journal-max-events", String(IN_FRONT)),
    stage.role("publisher"),
    stage.role("receivers"),
    stage.role("lmdb"),
  ]);
  const capabilities = passThrough();
  // The place before all events that follow: an acceptance names it if no open session has to be summarised (R17).
  const resumeAfter = await receivers.call("connect", { path: daemon.socket, count: 1, capabilities });
  await publisher.call("open", { path: daemon.socket });
  await publisher.call("publishAcknowledged", { count, size: 64, flight: 16 });
  await lmdb.call("open", { folder: stage.diskFolder("lmdb"), policy: "os" });
  await lmdb.call("put", { count, batch: 1000 });

  const lines = [];
  for (const subscribers of [1, 10]) {
    const resume = async () => {
      const begin = performance.now();
      const connecting = { path: daemon.socket, count: subscribers, capabilities, resumeAfter, goal: count };
      await receivers.call("connect", connecting);
      await receivers.call("reached");
      return (count * subscribers * 1000) / (performance.now() - begin);
    };
    const measured = await interleaved(pairs, resume, () => lmdb.call("read"));
    lines.push(ratioLine(`${subscribers} resume${subscribers === 1 ? "s" : ""} at once`, "events/s", measured));
  }
  return lines;
}
