// Loaded into the daemon's process before the daemon: reports its CPU time and memory, and does not keep the process running.
if (process.send !== undefined) {
  process.on("message", ({ id, name }) => {
    if (name === "memory") {
      globalThis.gc?.();
      globalThis.gc?.();
    }
    process.send({ id, value: name === "memory" ? process.memoryUsage() : process.cpuUsage() });
  });
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}
