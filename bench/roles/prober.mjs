// Measures the time of a critical event: agent and subscriber are in one process, so that one clock measures both ends.
import { once } from "node:events";
import { setTimeout as after } from "node:timers/promises";
import { connected } from "../connected.mjs";
import { createEventTexts, cutFrames, framed, subscriptionRequest } from "../events.mjs";
import { serveRole } from "../role.mjs";

let agent;
let subscriber;
let texts;
let number = 0;
let onFrame = () => {};

async function times(count, everyMs, send) {
  const micros = [];
  for (let index = 0; index < count; index += 1) {
    const arrived = new Promise((resolve) => {
      onFrame = () => resolve(performance.now());
    });
    const begin = performance.now();
    send();
    micros.push(((await arrived) - begin) * 1000);
    await after(everyMs * (0.5 + ((index * 7) % 10) / 10));
  }
  return micros;
}

serveRole({
  open: async ({ path, capabilities }) => {
    texts = createEventTexts();
    agent = await connected(path);
    agent.write(`{"jsonrpc":"2.0","id":1,"method":"aaep.publish","params":${texts.started()}}\n`);
    await once(agent, "data");
    subscriber = await connected(path);
    let accepted = () => {};
    const done = new Promise((resolve) => {
      accepted = resolve;
    });
    const marker = Buffer.from("bench.example/types/alarm");
    cutFrames(subscriber, (data, from, end) => {
      const frame = data.subarray(from, end);
      // Only a short frame can be the alarm: the frames of the flood are skipped, not searched.
      if (end - from < 450 && frame.includes(marker)) onFrame();
      else if (end - from !== 471 && frame.includes("subscription.accepted")) accepted();
    });
    subscriber.write(framed(JSON.stringify(subscriptionRequest("bench-prober", capabilities))));
    await done;
  },
  alarms: ({ count, everyMs }) =>
    times(count, everyMs, () => {
      number += 1;
      agent.write(`{"jsonrpc":"2.0","method":"aaep.publish","params":${texts.alarm(number)}}\n`);
    }),
  /** The bare comparison: the same bytes to a peer that sends them back. */
  roundTrips: async ({ path, count, everyMs }) => {
    const socket = await connected(path);
    cutFrames(socket, () => onFrame());
    const frame = framed(createEventTexts().alarm(1));
    const measured = await times(count, everyMs, () => socket.write(frame));
    socket.destroy();
    return measured;
  },
});
