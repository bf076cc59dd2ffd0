// Publishes to JetStream as an agent publishes to the daemon: single messages, each acknowledged.
import { connect } from "nats";
import { createEventTexts } from "../events.mjs";
import { inFlight } from "../flight.mjs";
import { serveRole } from "../role.mjs";

let stream;
let texts;
let next = 0;

serveRole({
  open: async ({ port }) => {
    const connection = await connect({ servers: `127.0.0.1:${port}` });
    const manager = await connection.jetstreamManager();
    await manager.streams.add({ name: "bench", subjects: ["bench"], storage: "file", num_replicas: 1 });
    stream = connection.jetstream();
    texts = createEventTexts();
  },
  /** Publishes `count` events with `flight` of them unacknowledged; returns events a second. */
  publish: async ({ count, flight }) => {
    texts.renew();
    const begin = performance.now();
    await inFlight({ count, flight }, (_, size, acknowledged, failed) => {
      for (let index = 0; index < size; index += 1) {
        stream.publish("bench", Buffer.from(texts.chunk(next))).then(acknowledged, failed);
        next += 1;
      }
    });
    return (count * 1000) / (performance.now() - begin);
  },
});
