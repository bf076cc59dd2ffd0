// Asks one daemon one thing.
import { Fault } from "../../base/errors.js";
import { within } from "../../base/time-limit.js";
import { ipcRpcConnector } from "../../client/node.js";
import type { Timers } from "../../client/timers.js";
import { type ChosenSocket, connectingTo } from "./find-socket.js";

/** Longest wait for one daemon, ms. A daemon that does not answer is reported, and does not hold up the others. */
const ANSWER_MS = 5000;

/** Rejects with a Fault if no daemon answers there, within 5 s. */
export async function askDaemon(socket: ChosenSocket, method: string, timers: Timers): Promise<unknown> {
  const connect = connectingTo(socket, ipcRpcConnector(socket.path));
  const connection = await connect({ request: () => ({}), notification: () => {} });
  try {
    const result = connection.request(method, {}).then((answer) => ({ answer }));
    const told = await within(timers.now() + ANSWER_MS, result, timers);
    if (told !== undefined) return told.answer;
    const sentence = `The daemon at ${socket.path} did not answer within ${ANSWER_MS / 1000} seconds. Try again, or restart it.`;
    throw new Fault("timed_out", sentence, { origin: "local" });
  } finally {
    await connection.close();
  }
}
