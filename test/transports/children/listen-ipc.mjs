// Listens at the given path, says how it went, and stays until its standard input ends.
import { createIpcTransport } from "../../../dist/transports/ipc/listen.js";

async function readToTheEnd(connection) {
  for await (const _ of connection.frames);
  await connection.close();
}

const [, , path] = process.argv;
try {
  const listener = await createIpcTransport({ path }).listen((connection) => void readToTheEnd(connection));
  process.stdin.on("end", () => void listener.stop()).resume();
  process.stdout.write(`listening ${process.pid}\n`);
} catch (fault) {
  process.stdout.write(`${fault.code} ${fault.sentence}\n`);
  process.exitCode = 3;
}
