// Many subscribers in one process. They check the order of parsed events, or only skip over the frames.
import { connected } from "../connected.mjs";
import { CORE, createOrderCheck, cutFrames, EVENT_BYTES, framed, numberOf, subscriptionRequest } from "../events.mjs";
import { serveRole } from "../role.mjs";
import { createTally } from "../tally.mjs";

const tally = createTally();
let sockets = [];
let checks = [];
let arrivals;
let arrivedBytes = 0;
let parsing = true;
let ordered = true;

/** Subscribers also receive the states of sessions; unparsed frames are distinguished by their length. */
const isCounted = (bytes) => Math.abs(bytes - EVENT_BYTES) < 10;

/** Whether the frame is a counted event. */
function check(index, text) {
  const event = JSON.parse(text);
  if (event.type !== `${CORE}output.streaming`) return false;
  if (ordered) checks[index](numberOf(event));
  return true;
}

async function open(index, { path, capabilities }) {
  const socket = await connected(path);
  sockets[index] = socket;
  return new Promise((resolve, reject) => {
    let accepted = capabilities === undefined;
    let counted = 0;
    cutFrames(
      socket,
      (data, from, end) => {
        if (accepted) {
          const counts = parsing ? check(index, data.toString("utf8", from, end)) : isCounted(end - from);
          if (!counts) return;
          counted += 1;
          if (arrivals === undefined) return;
          arrivals[index].push(performance.now());
          arrivedBytes += end - from;
          return;
        }
        const answer = JSON.parse(data.toString("utf8", from, end));
        if (answer.type !== "subscription.accepted") reject(new Error(JSON.stringify(answer)));
        accepted = true;
        resolve();
      },
      () => {
        if (counted > 0) tally.took(index, counted);
        counted = 0;
      },
    );
    socket.on("error", reject);
    if (capabilities === undefined) return resolve();
    const request = subscriptionRequest(`bench-${process.pid}-${index}`, capabilities);
    socket.write(framed(JSON.stringify(request)));
  });
}

serveRole({
  ...tally.commands,
  /**
   * Opens `count` connections; with `capabilities` each shakes hands. `inOrder`: each published event comes by itself, so that its number can be
   * checked; merged events have ids of their own.
   */
  connect: async ({ path, count, parse = true, inOrder = true, capabilities, creditPath }) => {
    ordered = inOrder;
    for (const socket of sockets) {
      socket.removeAllListeners("error");
      socket.on("error", () => {});
      socket.destroy();
    }
    parsing = parse;
    sockets = Array.from({ length: count });
    checks = sockets.map(() => createOrderCheck());
    tally.begin({ count, creditPath });
    arrivals = undefined;
    for (let from = 0; from < count; from += 64) {
      const some = Array.from({ length: Math.min(64, count - from) }, (_, offset) => from + offset);
      await Promise.all(some.map((index) => open(index, { path, capabilities })));
    }
  },
  noteArrivals: () => {
    arrivals = sockets.map(() => []);
    arrivedBytes = 0;
  },
  /** Events of each connection, their bytes in all, and the most of them in any window of `windowMs`. */
  tellArrivals: ({ windowMs }) => {
    const all = arrivals;
    arrivals = undefined;
    let mostInWindow = 0;
    for (const times of all) {
      let from = 0;
      for (let to = 0; to < times.length; to += 1) {
        while (times[to] - times[from] >= windowMs) from += 1;
        mostInWindow = Math.max(mostInWindow, to - from + 1);
      }
    }
    const perConnection = all.map((times) => times.length);
    return {
      least: Math.min(...perConnection),
      most: Math.max(...perConnection),
      total: perConnection.reduce((sum, one) => sum + one, 0),
      mostInWindow,
      bytes: arrivedBytes,
    };
  },
});
