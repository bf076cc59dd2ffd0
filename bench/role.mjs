// A process of the benchmark: it does what its parent asks for, one command after the other.
/** Answers commands from the parent until it goes away. */
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
