// Many subscribers of the services in one process, each with a connection of its own. They check the order of events without decoding them.
import { Agent } from "node:http";
import { createConnection } from "node:net";
import { fromBinary } from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import grpc from "@grpc/grpc-js";
import { createOrderCheck } from "../events.mjs";
import { serveRole } from "../role.mjs";
import { BytesService, createNumberReader, eventsIn, firstMessage } from "../service-messages.mjs";
import { createTally } from "../tally.mjs";

const PATHS = { "grpc-json": "/aaep.v1.AaepService/Subscribe", "grpc-typed": "/aaep.v1.SubscriberService/Subscribe" };
const tally = createTally();
let calls = [];

/** Passes the events of each message to `take`. */
function grpcCall(path, rpc, first, take) {
  const options = { "grpc.use_local_subchannel_pool": 1, "grpc.max_receive_message_length": -1 };
  const client = new grpc.Client(`unix:${path}`, grpc.credentials.createInsecure(), options);
  const identity = (bytes) => bytes;
  const call = client.makeBidiStreamRequest(PATHS[rpc], identity, identity);
  call.write(Buffer.from(first));
  call.end();
  call.on("data", (bytes) => {
    take(eventsIn(bytes));
  });
  return {
    failed: new Promise((_, reject) => call.on("error", reject)),
    close: () => {
      call.cancel();
      client.close();
    },
  };
}

function connectCall(path, rpc, first, take) {
  const isHttp1 = rpc === "connect-http1";
  const agent = new Agent({ keepAlive: true });
  const abort = new AbortController();
  const transport = createConnectTransport({
    baseUrl: "http://localhost",
    acceptCompression: [],
    ...(isHttp1
      ? { httpVersion: "1.1", nodeOptions: { socketPath: path, agent } }
      : { httpVersion: "2", nodeOptions: { createConnection: () => createConnection(path) } }),
  });
  const { listen } = BytesService.method;
  async function* request() {
    yield fromBinary(listen.input, first);
  }
  const read = async () => {
    const response = await transport.stream(listen, abort.signal, undefined, undefined, request());
    for await (const { events } of response.message) {
      take(events);
    }
    throw new Error("A stream has ended.");
  };
  return {
    failed: read(),
    close: () => {
      abort.abort();
      agent.destroy();
    },
  };
}

function open(index, { path, rpc, capabilities }) {
  const subscriberId = `bench-${process.pid}-${index}`;
  const first = firstMessage(subscriberId, capabilities ?? {}, { json: rpc === "grpc-json" });
  const numberIn = createNumberReader();
  const check = createOrderCheck();
  return new Promise((resolve, reject) => {
    const take = (events) => {
      resolve();
      let count = 0;
      for (const event of events) {
        const number = numberIn(event);
        if (number === undefined) continue;
        check(number);
        count += 1;
      }
      if (count > 0) tally.took(index, count);
    };
    let isClosed = false;
    const call = PATHS[rpc] === undefined ? connectCall(path, rpc, first, take) : grpcCall(path, rpc, first, take);
    call.failed.catch((error) => {
      if (isClosed) return;
      reject(error);
      // A caller that awaits its events would wait for ever.
      throw error;
    });
    calls.push({
      close: () => {
        isClosed = true;
        call.close();
      },
    });
    // A bare server sends no answer before its command.
    if (capabilities === undefined) resolve();
  });
}

serveRole({
  ...tally.commands,
  /** Opens `count` streams; with `capabilities` each waits for its acceptance. */
  connect: async ({ path, rpc, count, capabilities, creditPath }) => {
    for (const { close } of calls) close();
    calls = [];
    tally.begin({ count, creditPath });
    const indexes = Array.from({ length: count }, (_, index) => index);
    await Promise.all(indexes.map((index) => open(index, { path, rpc, capabilities })));
  },
});
