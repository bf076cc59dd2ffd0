// event-path-daemon.mjs MODULE ARGUMENT...
// Runs the command line of that module, and counts calls or samples the heap between two messages of its parent.
import { Session } from "node:inspector/promises";

/** Bytes between two samples of the heap. */
const SAMPLING_INTERVAL = 64;

const session = new Session();
session.connect();

const commands = {
  calls: {
    begin: async () => {
      await session.post("Profiler.enable");
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    },
    end: () => session.post("Profiler.takePreciseCoverage"),
  },
  heap: {
    begin: () =>
      session.post("HeapProfiler.startSampling", {
        samplingInterval: SAMPLING_INTERVAL,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      }),
    end: async () => (await session.post("HeapProfiler.stopSampling")).profile,
  },
};

process.on("message", async ({ kind, name }) => {
  const found = await commands[kind][name]();
  process.send(found ?? {});
});
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

const [module, ...args] = process.argv.slice(2);
const { main } = await import(module);
await main({ argv: args });
