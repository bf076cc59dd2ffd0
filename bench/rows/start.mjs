// From starting the program to the first accepted subscription.

import { spawn } from "node:child_process";
import { createConnection } from "node:net";
import { AAEPD, timeOf } from "../children.mjs";
import { framed, passThrough, subscriptionRequest } from "../events.mjs";
import { atMost, figureLine, interleaved, median } from "../measuring.mjs";

function startToAccepted(stage) {
  const path = stage.path("start");
  const begin = performance.now();
  const child = stage.own(
    spawn(process.execPath, [AAEPD, "serve", "--producer-id", "bench", "--socket", path, "--log-level", "error"], {
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

export async function startRows(stage, { quick }) {
  const measured = await interleaved(
    quick ? 2 : 15,
    () => startToAccepted(stage),
    () => timeOf(process.execPath, ["-e", "0"]),
  );
  return [
    figureLine(
      "start to first accepted subscription, above `node -e 0`",
      "ms",
      measured.map(([ours, bare]) => ours - bare),
      atMost(150),
      {
        note: `${median(measured.map(([ours]) => ours)).toFixed(0)} ms, node -e 0 ${median(measured.map(([, bare]) => bare)).toFixed(0)} ms`,
      },
    ),
  ];
}
