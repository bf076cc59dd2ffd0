// An agent's program whose model streams tokens: with `s.text` in its loop, and with nothing in it.
import { ipcRpcConnector, openAgent } from "../../dist/src/client/node.js";
import { serveRole } from "../role.mjs";

const TOKEN = " word";
let agent;

/** `turnEvery`: tokens between two turns of the event loop; undefined: the model never waits. */
async function* tokens(count, turnEvery, perSecond) {
  const begin = performance.now();
  for (let index = 0; index < count; index += 1) {
    if (perSecond !== undefined) {
      const waitMs = begin + (index * 1000) / perSecond - performance.now();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    } else if (turnEvery !== undefined && index % turnEvery === 0) await new Promise(setImmediate);
    yield TOKEN;
  }
}

/** CPU microseconds for each token, all threads of this process, and the share of characters that were dropped. */
async function measured(count, work) {
  const before = process.cpuUsage();
  const dropped = await work();
  const { user, system } = process.cpuUsage(before);
  return { micros: (user + system) / count, dropped: dropped / (count * TOKEN.length) };
}

serveRole({
  /** Without a socket there is no daemon. */
  open: async ({ socket }) => {
    await agent?.close(0);
    const connectors = socket === undefined ? [] : [{ connect: ipcRpcConnector(socket) }];
    agent = await openAgent({ id: "bench", connectors });
    return agent.status.kind;
  },
  status: () => agent.status.kind,
  /** `isTaken`: until the daemon has taken everything. */
  say: ({ count, turnEvery, perSecond, isTaken = false }) => {
    const session = agent.session("Writes.");
    return measured(count, async () => {
      for await (const token of tokens(count, turnEvery, perSecond)) session.text(token);
      // A question has its outcome, that nobody can be asked, behind everything before it.
      if (isTaken) await session.confirm({ action: "Go on.", consequence: "It goes on." });
      session.complete();
      return session.dropped;
    });
  },
  skip: ({ count, turnEvery, perSecond }) =>
    measured(count, async () => {
      for await (const _ of tokens(count, turnEvery, perSecond));
      return 0;
    }),
});
