// One connection that asks for very much at once. Everybody else has their turn between.
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { allOf, rawSocket, textOf } from "../../support/peers/raw-socket.js";
import { startStage } from "./stage.js";

/** Two budgets: a turn as it is counted here can begin in the middle of one of the server's. */
const MOST_BETWEEN_TURNS = 64;

async function counted() {
  expectNothingLeftOpen();
  let answered = 0;
  let thisTurn = 0;
  let most = 0;
  const answer = () => {
    answered += 1;
    thisTurn += 1;
    most = Math.max(most, thisTurn);
    return { status: 200, contentType: "text/plain", body: `<${answered}>` };
  };
  const stage = await startStage({
    kind: "tcp",
    pages: [{ path: "/healthz", needsToken: false, answer }],
    admit: () => undefined,
  });
  let immediate = setImmediate(function next() {
    thisTurn = 0;
    immediate = setImmediate(next);
  });
  onTestFinished(() => clearImmediate(immediate));
  return { stage, counts: () => ({ answered, most }) };
}

const GET = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

describe("many requests in one read", () => {
  it("of HTTP/1.1 are answered in order, a few in each turn", async () => {
    const { stage, counts } = await counted();
    const socket = rawSocket(stage.baseUrl);
    socket.write(GET.repeat(250));
    const text = await textOf(socket, /<250>/);
    expect(text.match(/<\d+>/g)).toEqual(Array.from({ length: 250 }, (_, index) => `<${index + 1}>`));
    expect(counts().answered).toBe(250);
    expect(counts().most).toBeLessThanOrEqual(MOST_BETWEEN_TURNS);
  });

  it("of HTTP/1.1 that are no end of them end their connection, and no other", async () => {
    const { stage, counts } = await counted();
    const socket = rawSocket(stage.baseUrl);
    socket.write(GET.repeat(16_000));
    await allOf(socket);
    expect(counts().answered).toBeLessThan(2000);
    expect(counts().most).toBeLessThanOrEqual(MOST_BETWEEN_TURNS);
    expect((await stage.client("connect", "1.1").reply({})).accepted).toBe(true);
  });

  it("of HTTP/1.1 are all over when their connection is", async () => {
    const { stage } = await counted();
    const socket = rawSocket(stage.baseUrl);
    const call = `POST /aaep.v1.SubscriberService/Listen HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/connect+proto\r\nContent-Length: 5\r\n\r\n\0\0\0\0\0`;
    socket.write(call.repeat(5));
    const servers = await stage.listens.take(5);
    socket.destroy();
    const ends = await Promise.all(servers.map((server) => server.closed));
    expect(ends.map(({ kind }) => kind)).toEqual(["abrupt", "abrupt", "abrupt", "abrupt", "abrupt"]);
  });

  it("of HTTP/2 are answered, a few in each turn", async () => {
    const { stage, counts } = await counted();
    const session = connectHttp2(stage.baseUrl);
    session.setMaxListeners(0);
    onTestFinished(() => session.destroy());
    await once(session, "remoteSettings");
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const stream = session.request({ ":path": "/healthz" });
        const [head] = await once(stream, "response");
        stream.resume();
        return head[":status"];
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(counts().answered).toBe(500);
    expect(counts().most).toBeLessThanOrEqual(MOST_BETWEEN_TURNS);
  });

  it("of HTTP/2 that are taken back at once are not answered", async () => {
    const { stage, counts } = await counted();
    const session = connectHttp2(stage.baseUrl);
    session.on("error", () => {});
    onTestFinished(() => session.destroy());
    await once(session, "remoteSettings");
    for (let count = 0; count < 900; count++) {
      const stream = session.request({ ":path": "/healthz" });
      stream.on("error", () => {});
      stream.close(8);
    }
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    expect(counts().answered).toBeLessThanOrEqual(MOST_BETWEEN_TURNS);
    expect((await stage.client("connect", "2").reply({})).accepted).toBe(true);
  });
});
