// The contract of links, over each transport on which the suite both listens and connects.
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { converse } from "../../../src/conformance/wire/conversation.js";
import { endpointText, readEndpoint } from "../../../src/conformance/wire/endpoint.js";
import type { Link } from "../../../src/conformance/wire/link.js";
import { listeningAt, openLinks } from "../../../src/conformance/wire/open-links.js";
import { freePort } from "../../support/free-port.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const WAYS = [
  "unix:FOLDER/a.sock",
  "unix:FOLDER/a.sock in lines",
  "grpc://unix:FOLDER/g.sock",
  "http://unix:FOLDER/h.sock",
  "ws://127.0.0.1:PORT/any/path",
];

async function joined(named: string) {
  const [way = "", inLines] = named.split(" in ");
  const endpoint = readEndpoint(way.replace("FOLDER", temporaryDirectory()).replace("PORT", String(await freePort())));
  let accept: (link: Link) => void = () => {};
  const accepted = new Promise<Link>((resolve) => {
    accept = resolve;
  });
  const listen = await listeningAt(endpoint);
  const listener = await listen(accept);
  const links = await openLinks(endpoint, inLines === undefined ? {} : { framing: "newline" });
  onTestFinished(async () => {
    await links.stop();
    await listener.stop();
  });
  const near = converse(await links.open(), 8000);
  near.say({ type: "first" });
  const far = converse(await accepted, 8000);
  return { near, far };
}

describe.each(WAYS)("%s", (way) => {
  it("carries texts as they are, both ways, in order", async () => {
    const { near, far } = await joined(way);
    expect((await far.seek(() => true, { withinMs: 5000 }))?.text).toBe('{"type":"first"}');
    for (const text of ['{"a":1,"a":2}', '{"b":"ünïcødé 📷"}']) near.sayText(text);
    far.sayText('{"c":3}');
    expect(await far.seek(({ b }) => b !== undefined, { withinMs: 5000 })).toBeDefined();
    expect((await near.seek(({ c }) => c === 3, { withinMs: 5000 }))?.text).toBe('{"c":3}');
    expect(far.record.filter(({ way: direction }) => direction === "received").map(({ text }) => text)).toEqual([
      '{"type":"first"}',
      '{"a":1,"a":2}',
      '{"b":"ünïcødé 📷"}',
    ]);
  });

  it("a connection that vanishes ends the other side, and nothing is found in it", async () => {
    const { near, far } = await joined(way);
    await near.vanish();
    expect(await far.seek(({ never }) => never !== undefined, { withinMs: 10_000 })).toBeUndefined();
    expect(far.isOver()).toBe(true);
  });

  it("waits no longer than it may for what does not come", async () => {
    const { near } = await joined(way);
    expect(await near.seek(({ never }) => never !== undefined, { withinMs: 20 })).toBeUndefined();
    expect(near.isOver()).toBe(false);
  });
});

it("a socket's messages are lines where lines are asked for", async () => {
  const path = join(temporaryDirectory(), "l.sock");
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const links = await openLinks(readEndpoint(`unix:${path}`), { framing: "newline" });
  const connecting = once(server, "connection") as Promise<[Socket]>;
  const near = converse(await links.open(), 8000);
  near.sayText('{"type":"first"}');
  const [socket] = await connecting;
  const [bytes] = (await once(socket, "data")) as [Buffer];
  expect(bytes.toString()).toBe('{"type":"first"}\n');
  await near.vanish();
});

it.each([
  "unix:/run/a.sock",
  "stdio:agent --loud",
  "grpcs://host:1",
  "grpc://unix:/g",
  "https://host:1",
  "http://unix:/h",
  "wss://host:1/any/path",
  "sse:https://host:1",
])("%s is read and told alike", (text) => {
  expect(endpointText(readEndpoint(text))).toBe(text);
});

it("a named pipe is an endpoint of Windows alone", () => {
  expect(endpointText(readEndpoint("pipe:a", "win32"))).toBe("pipe:\\\\.\\pipe\\a");
  expect(() => readEndpoint("pipe:a", "linux")).toThrow(
    '"pipe:a" is a named pipe of Windows. Give a Unix socket here: unix:/path.',
  );
});

it("a WebSocket without a path has the path of AAEP, and no other address is one", () => {
  expect(readEndpoint("ws://host:1")).toEqual({ kind: "websocket", url: "ws://host:1/aaep/v1/ws" });
  expect(() => readEndpoint("ws://")).toThrow("is no endpoint");
  expect(() => readEndpoint("sse:unix:/a")).toThrow("is no endpoint");
});

it("Server-Sent Events that are not there, or want a token, are told as such", async () => {
  const links = await openLinks(readEndpoint(`sse:http://127.0.0.1:${await freePort()}`));
  const near = converse(await links.open(), 8000);
  near.say({ type: "subscription.request" });
  expect(await near.seek(() => true, { withinMs: 5000 })).toBeUndefined();
  expect(near.isOver()).toBe(true);
  await expect(listeningAt(readEndpoint("sse:http://127.0.0.1:1"))).rejects.toThrow("Give another endpoint.");
});

it("nobody listens over stdio", async () => {
  await expect(listeningAt(readEndpoint("stdio:agent"))).rejects.toThrow("Give another endpoint.");
});
