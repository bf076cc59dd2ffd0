// How often an agent without a daemon looks for one: never so often that its program pays for it.
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { AgentConnector } from "../../../src/client/agent/agent-options.js";
import { openAgent } from "../../../src/client/agent/open-agent.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import type { CloseInfo } from "../../../src/contracts/transport.js";
import { eventually, runtimeEnvironment, serve } from "../../cli/command-stage.js";
import { createVirtualClock, settle } from "../../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { openedAt } from "./agent-stage.js";

async function opened(connect: AgentConnector["connect"]) {
  const timers = createVirtualClock();
  let searches = 0;
  const counted: AgentConnector = {
    isLasting: false,
    connect: (handlers) => {
      searches += 1;
      return connect(handlers);
    },
  };
  const opening = await openedAt(undefined, { connectors: [counted], timers });
  return { ...opening, timers, searches: () => searches };
}

test("a silent agent looks for a daemon with a new session, after twice as long each time, and at least every five minutes", async () => {
  const { agent, timers, searches } = await opened(ipcRpcConnector(join(temporaryDirectory(), "nobody.sock")));
  expect(agent.status.kind).toBe("silent");
  for (const [index, seconds] of [5, 10, 20, 40, 80, 160, 300, 300].entries()) {
    await timers.advanceSettled(seconds * 1000 - 1);
    agent.session("Too early.").complete();
    expect(agent.status.kind).toBe("silent");
    expect(searches()).toBe(index + 1);
    await timers.advanceSettled(1);
    agent.session("In time.").complete();
    await eventually(() => expect(searches()).toBe(index + 2));
    await eventually(() => expect(agent.status.kind).toBe("silent"));
  }
});

test("a daemon that refuses the agent is told, and the agent is silent", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const { agent, troubles } = await openedAt(socketPath, { manifest: { languages_supported: "es" as never } });
  expect(agent.status).toMatchObject({ kind: "silent", because: { code: "invalid_message" } });
  expect(troubles.map(({ fault }) => fault.code)).toEqual(["invalid_message"]);
});

test("a daemon that loses each session as soon as it begins is asked again after a pause", async () => {
  let startCount = 0;
  const connect: AgentConnector["connect"] = async () => {
    let end: (info: CloseInfo) => void = () => {};
    const closed = new Promise<CloseInfo>((resolve) => {
      end = resolve;
    });
    return {
      peer: { label: "forgetful", trust: "same-user" },
      request: async (_, params) => {
        const events: readonly { readonly type?: string; readonly event_id?: string }[] = [params].flat();
        const types = events.map(({ type }) => String(type));
        if (types.some((type) => type.endsWith("streaming"))) throw new Fault("session_ended", "It is over.");
        if (types.some((type) => type.endsWith("started"))) startCount += 1;
        return { events: events.map(({ event_id }) => ({ event_id, epoch: 1 })) };
      },
      notify: () => true,
      writable: async () => {},
      ended: closed.then(() => {}),
      takeNoMore: () => {},
      close: async () => end({ kind: "local" }),
      closed,
    };
  };
  const timers = createVirtualClock();
  const { agent, troubles } = await openedAt(undefined, { connectors: [{ connect }], timers, chance: () => 0 });
  agent.session("Writes.").text("Nobody takes this.");
  await timers.advanceSettled(20);
  expect(startCount).toBe(1);
  for (let count = 1; count < 5; count += 1) {
    await timers.advanceSettled(9);
    expect(startCount).toBe(count);
    await timers.advanceSettled(1);
    expect(startCount).toBe(count + 1);
  }
  void agent.close(0);
  await timers.advanceSettled(0);
  // The daemon is there, and has taken nothing by the close.
  expect(troubles.at(-1)).toMatchObject({ fault: { code: "timed_out" }, droppedCharacters: 18 });
});

/** A socket at which something else than a daemon listens. */
async function strangerAt(serve: (socket: Socket) => void): Promise<{ path: string; connected: Promise<unknown> }> {
  const path = join(temporaryDirectory(), "stranger.sock");
  const server = createServer(serve).listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { path, connected: once(server, "connection") };
}

test.each([
  { what: "closes at once", serve: (socket: Socket) => void socket.destroy() },
  { what: "speaks another protocol", serve: (socket: Socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n") },
])("a peer that $what is no daemon, and is not waited for", async ({ serve }) => {
  const { path } = await strangerAt(serve);
  // Nobody sets these timers forward.
  const timers = createVirtualClock();
  const { agent } = await openedAt(path, { timers });
  expect(agent.status.kind).toBe("silent");
});

test("an agent whose process is held up in the middle of its search hears the daemon all the same", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const timers = createVirtualClock();
  const connect: AgentConnector["connect"] = async (handlers) => {
    await settle();
    timers.pass(10_000);
    await timers.advanceSettled(0);
    return ipcRpcConnector(socketPath)(handlers);
  };
  const { agent } = await openedAt(undefined, { connectors: [{ connect }], timers });
  expect(agent.status.kind).toBe("connected");
});

test("a peer that says nothing is waited for two seconds", async () => {
  const { path, connected } = await strangerAt((socket) => socket.resume());
  const timers = createVirtualClock();
  const statuses: string[] = [];
  const connectors = [{ connect: ipcRpcConnector(path) }];
  const opening = openAgent({ id: "waiter", connectors, timers, onStatus: ({ kind }) => statuses.push(kind) });
  await connected;
  await timers.advanceSettled(1999);
  expect(statuses).toEqual([]);
  await timers.advanceSettled(1);
  const agent = await opening;
  expect(agent.status).toMatchObject({ kind: "silent", because: { code: "timed_out" } });
  await agent.close(0);
});

test("daemons that are lost at once are given up, and looked for as rarely", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const connect = ipcRpcConnector(socketPath);
  let openCount = 0;
  const found = async (handlers: Parameters<typeof connect>[0]) => {
    openCount += 1;
    const connection = await connect(handlers);
    void connection.closed.then(() => {
      openCount -= 1;
    });
    // It takes the manifest, and is gone.
    const { request } = connection;
    return {
      ...connection,
      request: (method: string, params: object) => request(method, params).finally(() => void connection.close()),
    };
  };
  const { agent, timers, searches, statuses } = await opened(found);
  const untilSilent = (): Promise<void> =>
    eventually(() => {
      // No time passes for a connection: it was lost at once, however slow the machine is.
      if (openCount === 0) void timers.advanceSettled(1000);
      expect(agent.status.kind).toBe("silent");
    });
  await untilSilent();
  expect(searches()).toBe(6);
  expect(statuses.filter(({ kind }) => kind === "connected")).toHaveLength(6);
  const before = searches();
  agent.session("Too early.").complete();
  expect(searches()).toBe(before);
  // A search that was under way when the agent fell silent may put the next one off by a moment.
  for (let minute = 0; minute < 6 && searches() === before; minute += 1) {
    await timers.advanceSettled(60_000);
    agent.session("In time.").complete();
  }
  await eventually(() => expect(searches()).toBeGreaterThan(before));
  await untilSilent();
  await agent.close(0);
});
