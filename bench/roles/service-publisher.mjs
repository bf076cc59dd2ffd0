// An agent that publishes over AgentService.Publish, as fast as it is acknowledged.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import grpc from "@grpc/grpc-js";
import { createEventTexts } from "../events.mjs";
import { serveRole } from "../role.mjs";
import { eventBytes } from "../service-messages.mjs";

/** `PublishRequest.publish`, `EventBatch.events` and `PublishResponse.receipt`. */
const PUBLISH = 2;
const EVENTS = 1;
const RECEIPT = 2;
let call;
let texts;
let next = 0;
let acknowledged = () => {};

function request(events) {
  const writer = new BinaryWriter().tag(PUBLISH, WireType.LengthDelimited).fork();
  for (const text of events) writer.tag(EVENTS, WireType.LengthDelimited).bytes(eventBytes(text));
  return Buffer.from(writer.join().finish());
}

/** Hands one request over, once fewer than `flight` wait for their receipts. */
function createSender(flight) {
  let waiting = 0;
  let go = () => {};
  acknowledged = () => {
    waiting -= 1;
    go();
  };
  const until = (most) =>
    new Promise((resolve) => {
      go = () => {
        if (waiting <= most) resolve();
      };
      go();
    });
  return {
    send: async (bytes) => {
      await until(flight - 1);
      waiting += 1;
      call.write(bytes);
    },
    done: () => until(0),
  };
}

serveRole({
  open: async ({ path }) => {
    const client = new grpc.Client(`unix:${path}`, grpc.credentials.createInsecure());
    const identity = (bytes) => bytes;
    call = client.makeBidiStreamRequest("/aaep.v1.AgentService/Publish", identity, identity);
    call.on("data", (bytes) => {
      if (bytes[0] >> 3 !== RECEIPT) throw new Error(`A batch was not taken: ${bytes}`);
      acknowledged();
    });
    texts = createEventTexts();
    const { send, done } = createSender(1);
    await send(request([texts.started()]));
    await done();
  },
  /** Publishes `count` events, `size` a message, with at most `flight` unacknowledged messages. */
  publishAcknowledged: async ({ count, size, flight }) => {
    texts.renew();
    const { send, done } = createSender(flight);
    for (const end = next + count; next < end; ) {
      const events = Array.from({ length: Math.min(size, end - next) }, (_, index) => texts.chunk(next + index));
      next += events.length;
      await send(request(events));
    }
    await done();
  },
});
