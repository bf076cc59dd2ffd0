// A process of the benchmark: it runs its parent's commands, one after the other.
/** Answers commands of the parent until the parent goes away. */
export function serveRole(commands) {
  const all = {
    usage: () => process.cpuUsage(),
    memory: () => {
      globalThis.gc?.();
      globalThis.gc?.();
      return process.memoryUsage();
    },
    ...commands,
  };
  process.on("message", ({ id, name, args }) => {
    Promise.resolve()
      .then(() => all[name](args))
      .then(
        (value) => process.send({ id, value }),
        (error) => process.send({ id, error: String(error?.stack ?? error) }),
      );
  });
  process.on("disconnect", () => process.exit(0));
  process.on("SIGTERM", () => process.exit(0));
  process.send({ ready: true });
}
