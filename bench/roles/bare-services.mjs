// The limits of services: servers that write prepared messages to every stream, one event each, and do nothing else. Their methods have the daemon's
// names, so that the same clients call both.
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import grpc from "@grpc/grpc-js";
import { serveRole } from "../role.mjs";
import { BytesService, eventMessages, eventsIn } from "../service-messages.mjs";

/** Messages handed to each stream before the slowest one is awaited. */
const BATCH = 64;
/** Calls, streams and messages of the last preparation. */
let grpcCalls = new Set();
let connectStreams = new Set();
let messages = [];
let yielded = [];
let tellSent = () => {};
let start = () => {};
let started = Promise.resolve();

function keepUntilClosed(call) {
  const own = grpcCalls;
  own.add(call);
  const forget = () => own.delete(call);
  call.on("cancelled", forget);
  call.on("error", forget);
  call.on("close", forget);
}

function grpcService(path) {
  const identity = (bytes) => bytes;
  return {
    stream: {
      path,
      requestStream: false,
      responseStream: true,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    },
  };
}

/** One stream of Connect: its messages as they are pulled. It stays open until its client has gone. */
async function* yieldAll(_, { signal }) {
  const own = connectStreams;
  const stream = {};
  own.add(stream);
  const gone = new Promise((resolve) => signal.addEventListener("abort", resolve));
  void gone.then(() => own.delete(stream));
  await Promise.race([started, gone]);
  yield* yielded;
  tellSent();
  await gone;
}

serveRole({
  listen: async ({ grpcPath, http2Path, http1Path }) => {
    const server = new grpc.Server();
    const implementation = { stream: keepUntilClosed };
    server.addService(grpcService("/aaep.v1.SubscriberService/Subscribe"), implementation);
    server.addService(grpcService("/aaep.v1.AaepService/Subscribe"), implementation);
    await new Promise((resolve, reject) => {
      server.bindAsync(`unix:${grpcPath}`, grpc.ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    const routes = (router) => router.service(BytesService, { listen: yieldAll });
    const handler = connectNodeAdapter({ routes, acceptCompression: [] });
    await new Promise((resolve) => createHttp2Server(handler).listen(http2Path, resolve));
    await new Promise((resolve) => createServer(handler).listen(http1Path, resolve));
  },
  /** Encodes `count` messages, in JSON or typed, for streams opened from now on. */
  prepare: ({ count, json }) => {
    grpcCalls = new Set();
    connectStreams = new Set();
    messages = eventMessages(count, { json });
    yielded = messages.map((message) => ({ events: eventsIn(message) }));
    started = new Promise((resolve) => {
      start = resolve;
    });
  },
  /** Waits until that many streams are open; a client knows of its own stream before this process does. */
  accepted: async ({ count, overGrpc }) => {
    const streams = overGrpc ? grpcCalls : connectStreams;
    while (streams.size !== count) await new Promise((resolve) => setImmediate(resolve));
  },
  /** Resolves when everything has been handed over. */
  send: async ({ overGrpc }) => {
    if (overGrpc) {
      const calls = [...grpcCalls];
      for (let from = 0; from < messages.length; from += BATCH) {
        const batch = messages.slice(from, from + BATCH);
        for (const call of calls) for (const message of batch) call.write(message);
        const slow = calls.filter((call) => call.writableNeedDrain);
        await Promise.all(slow.map((call) => new Promise((resolve) => call.once("drain", resolve))));
      }
      return;
    }
    let left = connectStreams.size;
    await new Promise((resolve) => {
      tellSent = () => {
        left -= 1;
        if (left === 0) resolve();
      };
      start();
    });
  },
});
