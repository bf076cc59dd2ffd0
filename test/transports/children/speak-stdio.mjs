// Echoes every frame of its standard input, among the noise of code that believes standard output to be its own.
import { takeStdio } from "../../../dist/transports/stdio/take-stdio.js";

const stdio = takeStdio();
const { createStdioConnection } = await import("../../../dist/transports/stdio/stdio-connection.js");
const { watchParent } = await import("../../../dist/transports/stdio/watch-parent.js");
const connection = createStdioConnection(stdio);
const [, , mode] = process.argv;

// biome-ignore lint/suspicious/noConsole: the noise is what is tested
console.log("console.log of a dependency");
// biome-ignore lint/suspicious/noConsole: the noise is what is tested
console.table([{ noise: 1 }]);
process.stdout.write("a write of a dependency\n");
process.emitWarning("a warning");
// Something that would keep the process running.
const keepAlive = setInterval(() => {}, 1000);
const leave = (code) => {
  clearInterval(keepAlive);
  process.exitCode = code;
};
if (mode === "ignore-stdin") {
  watchParent({ onGone: () => process.exit(7), intervalMs: 20 });
  connection.send(Buffer.from(JSON.stringify({ pid: process.pid })));
} else {
  try {
    for await (const frames of connection.frames) {
      for (const frame of frames) {
        // biome-ignore lint/suspicious/noConsole: the noise is what is tested
        console.log("got", frame.length);
        if (!connection.send(frame)) await connection.writable();
        if (mode === "crash")
          setTimeout(() => {
            throw new Error("an uncaught error");
          });
      }
    }
  } catch (fault) {
    // The client is gone: nothing is wrong here.
    if (fault.code !== "peer_gone") throw fault;
  }
  const atEnd = process.cpuUsage();
  process.on("exit", () => {
    const millisOf = ({ user, system }) => (user + system) / 1000;
    const [before, after] = [millisOf(atEnd), millisOf(process.cpuUsage(atEnd))];
    process.stderr.write(`cpu before the end: ${before} ms, after: ${after} ms\n`);
  });
  connection.send(Buffer.from(JSON.stringify({ said: "after the end" })));
  await connection.close();
  leave(0);
}
