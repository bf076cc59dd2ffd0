// Loaded into a child before its program: reports the processor time of the whole process, in microseconds, for each message of the parent.
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
// A child outlives no measurement, and this listener keeps no child alive.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
