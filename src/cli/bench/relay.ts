// The bare relay that the daemon is measured beside, a program of its own: whatever one peer sends goes to all others, unread.
import { createServer, type Socket } from "node:net";

const [, , path] = process.argv;
const sockets = new Set<Socket>();

createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
  socket.on("data", (bytes) => {
    for (const other of sockets) if (other !== socket) other.write(bytes);
  });
}).listen(path, () => process.stdout.write("listening\n"));
