// The time from starting the program to the first accepted subscription, and of the smallest command.
import { spawn } from "node:child_process";
import { createConnection } from "node:net";
import { join } from "node:path";
import { AAEPD, serveArguments, timeOf } from "../children.mjs";
import { framed, passThrough, subscriptionRequest } from "../events.mjs";
import { aimedLine, atMost, interleaved, ratioLine } from "../measuring.mjs";

const KEPT = 100_000;

export const start = {
  name: "start",
  title: "Start",
  remarks: `
From starting \`aaepd serve\`, without services, to the first accepted subscription, beside \`node -e 0\`. The target is about what comes on top.
With the journal in memory, with one on the disk in an empty folder, and with one that has ${KEPT.toLocaleString("en")} events of a run before.
\`aaepd --version\` stands beside the same \`node -e 0\`: the time that a program of this package cannot be without.
`,
  rows: startRows,
};

function startToAccepted(stage, options) {
  const path = stage.path("start");
  const begin = performance.now();
  const child = stage.own(
    spawn(process.execPath, [AAEPD, ...serveArguments(path, options)], {
      env: stage.env,
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.stdout.once("data", () => {
      const socket = createConnection(path);
      socket.once("error", reject);
      socket.write(framed(JSON.stringify(subscriptionRequest("bench-start", passThrough()))));
      socket.once("data", (bytes) => {
        const ms = performance.now() - begin;
        if (!bytes.includes("subscription.accepted")) reject(new Error(bytes.toString()));
        child.once("exit", () => resolve(ms));
        socket.destroy();
        child.kill("SIGTERM");
      });
    });
  });
}

/** A folder with the journal of a daemon that has ended in order. */
async function filledJournal(stage, count) {
  const folder = join(stage.diskFolder("kept"), "journal");
  const daemon = await stage.daemon("--journal", folder);
  const publisher = await stage.role("publisher");
  await publisher.call("open", { path: daemon.socket });
  await publisher.call("publish", { count, size: 64 });
  await Promise.all([publisher.stop(), daemon.stop()]);
  return folder;
}

async function versionLine(pairs) {
  const measured = await interleaved(
    pairs,
    () => timeOf(process.execPath, [AAEPD, "--version"]),
    () => timeOf(process.execPath, ["-e", "0"]),
  );
  return ratioLine("aaepd --version", "ms", measured, atMost(1.3));
}

async function startRows(stage, { pairs, quick, scale }) {
  const kept = await filledJournal(stage, Math.ceil(KEPT * scale));
  const journals = [
    ["journal in memory", () => []],
    ["journal on the disk, empty", () => ["--journal", join(stage.diskFolder("start"), "journal")]],
    [`journal on the disk, ${KEPT.toLocaleString("en")} events`, () => ["--journal", kept]],
  ];
  const lines = [await versionLine(quick ? 1 : pairs * 6)];
  for (const [what, options] of journals) {
    const measured = await interleaved(
      quick ? 1 : pairs * 2,
      () => startToAccepted(stage, options()),
      () => timeOf(process.execPath, ["-e", "0"]),
    );
    const above = { unit: "ms above", of: ([ours, beside]) => ours - beside };
    lines.push(aimedLine(what, "ms", measured, above, atMost(150)));
  }
  return lines;
}
