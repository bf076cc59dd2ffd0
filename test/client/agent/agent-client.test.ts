// How an agent's client comes back, with a daemon that says exactly what a test tells it to, and a clock that stands still.
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { AgentClient, type AgentClientOptions, type AgentClientState } from "../../../src/client/agent/agent-client.js";
import { childRpcConnector } from "../../../src/client/node.js";
import type { RpcConnection, RpcHandlers } from "../../../src/contracts/rpc.js";
import type { CloseInfo } from "../../../src/contracts/transport.js";
import { createVirtualClock, settle } from "../../support/rigs/virtual-clock.js";

interface Request {
  readonly method: string;
  readonly params: unknown;
  readonly answer: (result: unknown) => void;
  /** Answers a publish as taken. */
  readonly accept: () => void;
  readonly refuse: (fault: Fault) => void;
}

interface FakeDaemon {
  readonly handlers: RpcHandlers;
  readonly requests: Request[];
  readonly methods: () => readonly string[];
  readonly sever: () => Promise<void>;
  isClosed: boolean;
}

const EVENT = { type: "aaep:agent.output.streaming", session_id: "sess_1", chunk: "x" };
const STARTED = { type: "aaep:agent.session.started", session_id: "sess_1" };

/** What a daemon answers that takes a publish. */
const receiptsOf = (params: unknown) => ({
  events: [params].flat().map((event) => ({ event_id: (event as { event_id: string }).event_id, epoch: 1 })),
});

function gone(): Fault {
  return new Fault("peer_gone", "The daemon has ended the connection.");
}

/** A client, and the daemons that it has come to, one for each connection. */
async function stage(options: AgentClientOptions = {}) {
  const timers = createVirtualClock();
  const daemons: FakeDaemon[] = [];
  const states: AgentClientState[] = [];
  let refusal: Fault | undefined;
  const connect = async (handlers: RpcHandlers): Promise<RpcConnection> => {
    if (refusal !== undefined) throw refusal;
    let tellClosed: (info: CloseInfo) => void = () => {};
    const closed = new Promise<CloseInfo>((resolve) => {
      tellClosed = resolve;
    });
    const requests: Request[] = [];
    const end = (info: CloseInfo): void => {
      daemon.isClosed = true;
      for (const { refuse } of requests) refuse(gone());
      tellClosed(info);
    };
    const daemon: FakeDaemon = {
      handlers,
      requests,
      methods: () => requests.map(({ method }) => method),
      sever: async () => {
        end({ kind: "abrupt", fault: gone() });
        await settle();
      },
      isClosed: false,
    };
    daemons.push(daemon);
    const request: RpcConnection["request"] = (method, params) =>
      new Promise((resolve, reject) => {
        if (daemon.isClosed) reject(gone());
        else
          requests.push({ method, params, answer: resolve, accept: () => resolve(receiptsOf(params)), refuse: reject });
      });
    const close = async (): Promise<void> => end({ kind: "local" });
    const writable = (): Promise<void> => Promise.resolve();
    return { request, closed, close, writable } as unknown as RpcConnection;
  };
  const client = await AgentClient.open(connect, {
    timers,
    chance: () => 0,
    onState: (state) => states.push(state),
    ...options,
  });
  onTestFinished(() => client.close());
  /** The newest connection is lost, and there is another. */
  const comeBack = async (): Promise<void> => {
    await daemons.at(-1)?.sever();
    await timers.advanceSettled(1000);
  };
  return {
    client,
    timers,
    daemons,
    states,
    comeBack,
    refuseWith: (fault: Fault | undefined) => {
      refusal = fault;
    },
  };
}

/** A session that is open. */
async function begin(client: AgentClient, daemons: readonly FakeDaemon[]): Promise<void> {
  const start = client.publish(STARTED);
  await settle();
  daemons[0]?.requests.at(-1)?.accept();
  await start;
}

test("R3: what was not answered goes over the next connection in its order, with the ids that it had, before what follows", async () => {
  const { client, daemons, timers } = await stage();
  const first = client.publish(EVENT);
  const second = client.publish([EVENT, { ...EVENT, event_id: "evt_own" }]);
  await settle();
  const [before] = daemons;
  const sent = before?.requests.map(({ params }) => params);
  expect(sent).toMatchObject([
    { ...EVENT, event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) },
    [{ event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) }, { event_id: "evt_own" }],
  ]);
  await before?.sever();
  await settle();
  const third = client.publish({ ...EVENT, event_id: "evt_third" });
  await timers.advanceSettled(1000);
  const [, after] = daemons;
  expect(after?.requests.map(({ params }) => params)).toEqual([...(sent ?? []), { ...EVENT, event_id: "evt_third" }]);
  for (const { accept } of after?.requests ?? []) accept();
  expect(await Promise.all([first, second, third])).toEqual(after?.requests.map(({ params }) => receiptsOf(params)));
});

test("R8: a session's start takes a token along, which takes it over before anything is repeated, though its answer was lost", async () => {
  const { client, daemons, states, comeBack } = await stage();
  const start = client.publish({ ...STARTED, extensions: { other: 1 } });
  await settle();
  const sent = daemons[0]?.requests[0]?.params as { extensions: { aaepd: { resume_token: string } } };
  const { resume_token } = sent.extensions.aaepd;
  expect(resume_token).toMatch(/^[0-9a-f]{32}$/);
  expect(sent).toMatchObject({ extensions: { other: 1 } });
  await comeBack();
  const [, next] = daemons;
  expect(next?.requests).toMatchObject([
    { method: "aaep.resume_session", params: { session_id: "sess_1", resume_token } },
  ]);
  // The daemon never had it: it is no loss.
  next?.requests[0]?.refuse(new Fault("session_not_started", "Start it."));
  await settle();
  expect(next?.requests[1]).toMatchObject({ method: "aaep.publish", params: sent });
  next?.requests[1]?.accept();
  await start;
  expect(states.at(-1)).toEqual({ kind: "active", isResumed: true, lostSessions: [] });
});

test.each([
  { name: "of its own choosing", own: { extensions: { aaepd: { resume_token: "0123456789abcdef0123456789abcdef" } } } },
  { name: "that was there before", own: {} },
])(
  "R8: sessions that are open are taken over, those that ended or were refused are not: a token $name",
  async ({ own }) => {
    const { client, daemons, comeBack } = await stage();
    const start = client.publish({ ...STARTED, ...own });
    const over = client.publish({ ...STARTED, session_id: "sess_over" });
    const refused = client.publish({ ...STARTED, session_id: "sess_refused" }).catch((fault: Fault) => fault.code);
    const end = client.publish({ type: "aaep:agent.session.cancelled", session_id: "sess_over" });
    await settle();
    const requests = daemons[0]?.requests ?? [];
    for (const index of [0, 1, 3]) requests[index]?.accept();
    requests[2]?.refuse(new Fault("invalid_event", "No."));
    await Promise.all([start, over, end]);
    expect(await refused).toBe("invalid_event");
    await comeBack();
    const claims = daemons[1]?.requests ?? [];
    const sent = requests[0]?.params as { extensions: { aaepd: { resume_token: string } } };
    expect(claims.map(({ method, params }) => [method, params])).toEqual([
      ["aaep.resume_session", { session_id: "sess_1", resume_token: sent.extensions.aaepd.resume_token }],
    ]);
    if ("extensions" in own) expect(sent).toMatchObject(own);
  },
);

test("R2: its manifest is declared first; a session that cannot be taken over is named, and not asked for again", async () => {
  const { client, daemons, states, comeBack } = await stage();
  const declared = client.setManifest({ agent_id: "planner" });
  const start = client.publish(STARTED);
  await settle();
  for (const { accept } of daemons[0]?.requests ?? []) accept();
  await Promise.all([declared, start]);
  await comeBack();
  expect(daemons[1]?.methods()).toEqual(["aaep.set_manifest"]);
  daemons[1]?.requests[0]?.answer({});
  await settle();
  expect(daemons[1]?.methods()).toEqual(["aaep.set_manifest", "aaep.resume_session"]);
  daemons[1]?.requests[1]?.refuse(new Fault("session_ended", "Begin another."));
  await settle();
  expect(states.at(-1)).toEqual({ kind: "active", isResumed: true, lostSessions: ["sess_1"] });
  await comeBack();
  expect(daemons[2]?.methods()).toEqual(["aaep.set_manifest"]);
});

test.each(["storage_unavailable", "shutting_down"] as const)(
  "R8: a daemon that cannot hand sessions over now (%s) is tried again",
  async (code) => {
    const { client, daemons, timers, states, comeBack } = await stage();
    await begin(client, daemons);
    await comeBack();
    daemons[1]?.requests[0]?.refuse(new Fault(code, "Not now."));
    await settle();
    expect(daemons[1]?.isClosed).toBe(true);
    expect(states.at(-1)).toMatchObject({ kind: "waiting", because: { code } });
    await timers.advanceSettled(1000);
    daemons[2]?.requests[0]?.answer({});
    await settle();
    expect(states.at(-1)).toMatchObject({ kind: "active", lostSessions: [] });
  },
);

test("R8b: what a daemon that stops does not take waits for the next one", async () => {
  const { client, daemons, comeBack } = await stage();
  const late = client.publish(EVENT);
  await settle();
  daemons[0]?.requests[0]?.refuse(new Fault("shutting_down", "It stops."));
  await settle();
  await comeBack();
  daemons[1]?.requests[0]?.accept();
  expect(await late).toEqual(receiptsOf(daemons[1]?.requests[0]?.params));
});

test("a daemon that takes the connection and does not answer is left after ten seconds", async () => {
  const { client, daemons, timers, states, comeBack } = await stage();
  await begin(client, daemons);
  await comeBack();
  expect(daemons).toHaveLength(2);
  await timers.advanceSettled(10_000);
  expect(daemons[1]?.isClosed).toBe(true);
  expect(daemons.length).toBeGreaterThan(2);
  expect(states.at(-1)?.kind).toBe("waiting");
});

test("no more than 4,096 calls wait for a daemon that is away", async () => {
  const { client, daemons, refuseWith } = await stage();
  refuseWith(new Fault("not_found", "Nobody listens."));
  await daemons[0]?.sever();
  await settle();
  const waiting = Array.from({ length: 4096 }, () => client.request("aaep.ping", {}));
  for (const one of waiting) one.catch(() => {});
  await expect(client.request("aaep.ping", {})).rejects.toMatchObject({ code: "rate_limit", origin: "local" });
  await client.close();
  await expect(waiting[0]).rejects.toMatchObject({ code: "peer_gone", origin: "local" });
});

test("the wait doubles to its longest while nobody is there, and begins anew after a connection that lasted", async () => {
  const { daemons, timers, states, refuseWith } = await stage();
  const waits = (): readonly number[] => states.flatMap((state) => (state.kind === "waiting" ? [state.retryInMs] : []));
  refuseWith(new Fault("not_found", "Nobody listens."));
  await daemons[0]?.sever();
  await timers.advanceSettled(3000);
  expect(waits().slice(0, 6)).toEqual([50, 100, 200, 400, 500, 500]);
  refuseWith(undefined);
  await timers.advanceSettled(1000);
  await timers.advanceSettled(10_000);
  await daemons[1]?.sever();
  await settle();
  expect(waits().at(-1)).toBe(50);
});

test.each(["address_invalid", "permission_denied"] as const)(
  "an address that will never do ends it: %s",
  async (code) => {
    const { client, timers, states, refuseWith, comeBack } = await stage();
    const lost = client.publish(EVENT).catch((fault: Fault) => fault.code);
    await settle();
    refuseWith(new Fault(code, "No."));
    await comeBack();
    expect(await lost).toBe(code);
    expect(states.at(-1)).toMatchObject({ kind: "ended", because: { code } });
    // How its last connection ended.
    expect(await client.closed).toMatchObject({ kind: "abrupt", fault: { code: "peer_gone" } });
    expect(timers.pending()).toBe(0);
  },
);

test("an agent that does not come back has ended with its connection", async () => {
  const { client, daemons, timers, states } = await stage({ reconnect: "never" });
  const lost = client.publish(EVENT).catch((fault: Fault) => fault.code);
  await settle();
  await daemons[0]?.sever();
  expect(await lost).toBe("peer_gone");
  await client.closed;
  await expect(client.request("aaep.ping", {})).rejects.toMatchObject({ code: "peer_gone" });
  expect(states.map(({ kind }) => kind)).toEqual(["active", "ended"]);
  expect(timers.pending()).toBe(0);
});

test.each(["active", "waiting", "connecting"])("closing while it is %s leaves nothing behind", async (when) => {
  const { client, daemons, timers, states } = await stage();
  await begin(client, daemons);
  const lost = client.request("aaep.ping", {}).catch((fault: Fault) => fault.code);
  await settle();
  if (when !== "active") await daemons[0]?.sever();
  if (when === "connecting") await timers.advanceSettled(1000);
  await settle();
  await client.close();
  expect(await lost).toBe("peer_gone");
  expect(states.at(-1)).toEqual({ kind: "ended", because: undefined });
  expect(daemons.every(({ isClosed }) => isClosed)).toBe(true);
  expect(timers.pending()).toBe(0);
});

test("R8a: the streams of a child are one connection; there is no second", async () => {
  const connect = childRpcConnector({ stdin: new PassThrough(), stdout: new PassThrough() });
  const handlers: RpcHandlers = { request: () => ({}), notification: () => {} };
  await (await connect(handlers)).close();
  await expect(connect(handlers)).rejects.toMatchObject({ code: "address_invalid", origin: "local" });
});

test.each(["after", "before"])(
  "R8: a session whose end was on its way, sent %s its start was answered, is not lost where it has ended by then",
  async (when) => {
    const { client, daemons, states, comeBack } = await stage();
    const start = client.publish(STARTED);
    await settle();
    const answered = async (): Promise<void> => {
      daemons[0]?.requests[0]?.accept();
      await start;
    };
    if (when === "after") await answered();
    const end = client.publish({ type: "aaep:agent.session.completed", session_id: "sess_1" });
    if (when === "before") await answered();
    await comeBack();
    daemons[1]?.requests[0]?.refuse(new Fault("session_ended", "It has ended."));
    await settle();
    expect(states.at(-1)).toEqual({ kind: "active", isResumed: true, lostSessions: [] });
    daemons[1]?.requests[1]?.accept();
    await end;
  },
);

test("R8: an end that was refused leaves the session to be taken over", async () => {
  const { client, daemons, comeBack } = await stage();
  await begin(client, daemons);
  const end = client.publish({ type: "aaep:agent.session.completed", session_id: "sess_1" }).catch(() => {});
  await settle();
  daemons[0]?.requests.at(-1)?.refuse(new Fault("session_incomplete", "Close your tools."));
  await end;
  await comeBack();
  daemons[1]?.requests[0]?.refuse(new Fault("session_ended", "It has ended."));
  await settle();
  await comeBack();
  expect(daemons[2]?.methods()).toEqual([]);
});

test("R8: a loss that was found by an attempt that failed is told by the next", async () => {
  const { client, daemons, timers, states, comeBack } = await stage();
  await begin(client, daemons);
  const second = client.publish({ ...STARTED, session_id: "sess_2" });
  await settle();
  daemons[0]?.requests.at(-1)?.accept();
  await second;
  await comeBack();
  expect(daemons[1]?.requests.map(({ params }) => (params as { session_id: string }).session_id)).toEqual([
    "sess_1",
    "sess_2",
  ]);
  daemons[1]?.requests[0]?.refuse(new Fault("session_ended", "It has ended."));
  daemons[1]?.requests[1]?.refuse(new Fault("storage_unavailable", "Not now."));
  await settle();
  await timers.advanceSettled(1000);
  daemons[2]?.requests[0]?.answer({});
  await settle();
  expect(states.at(-1)).toEqual({ kind: "active", isResumed: true, lostSessions: ["sess_1"] });
});

test("R8: a start that is refused takes nothing from the one that is accepted", async () => {
  const { client, daemons, comeBack } = await stage();
  const bad = client.publish({ ...STARTED, urgency: "no" }).catch((fault: Fault) => fault.code);
  const good = client.publish(STARTED);
  await settle();
  daemons[0]?.requests[0]?.refuse(new Fault("invalid_event", "No."));
  await settle();
  daemons[0]?.requests[1]?.accept();
  await good;
  expect(await bad).toBe("invalid_event");
  await comeBack();
  expect(daemons[1]?.methods()).toEqual(["aaep.resume_session"]);
});

test("R3: an outcome is waited for over two breaks, and the question is asked again as it was", async () => {
  const { client, daemons, timers, comeBack } = await stage();
  const asked = client.confirm({ session_id: "sess_1", action: "Delete it.", consequence: "It is gone." });
  await settle();
  for (let count = 0; count < 2; count += 1) {
    await comeBack();
    await timers.advanceSettled(60_000);
  }
  const [request] = daemons[2]?.requests ?? [];
  expect(request?.params).toEqual(daemons[0]?.requests[0]?.params);
  const { reply_token, event_id } = (request?.params ?? {}) as { reply_token?: string; event_id?: string };
  request?.answer({ resolved_by: "timeout", decision: "reject", reply_token, event_id });
  expect(await asked).toMatchObject({ resolved_by: "timeout" });
});

test("no more than 1,024 calls are on their way, and all are answered in the end", async () => {
  const { client, daemons } = await stage();
  const calls = Promise.all(Array.from({ length: 5000 }, () => client.request("aaep.ping", {})));
  await settle();
  const requests = daemons[0]?.requests ?? [];
  for (let turn = 0; turn < 2000 && requests.length < 1024; turn += 1) await settle();
  expect(requests).toHaveLength(1024);
  for (let index = 0; index < 5000; index += 1) {
    for (let turn = 0; turn < 100 && requests[index] === undefined; turn += 1) await settle();
    requests[index]?.answer({});
  }
  expect(await calls).toHaveLength(5000);
});

test("what was answered, and what was refused, is not made again", async () => {
  const { client, daemons, comeBack } = await stage();
  const answered = client.publish(EVENT);
  const refused = client.publish(EVENT).catch((fault: Fault) => fault.code);
  await settle();
  daemons[0]?.requests[0]?.accept();
  daemons[0]?.requests[1]?.refuse(new Fault("invalid_event", "No."));
  await answered;
  expect(await refused).toBe("invalid_event");
  await comeBack();
  expect(daemons[1]?.requests).toEqual([]);
});

test("the wait goes on growing while a daemon closes each connection at once", async () => {
  const { states, comeBack } = await stage();
  for (let count = 0; count < 4; count += 1) {
    await comeBack();
  }
  expect(states.flatMap((state) => (state.kind === "waiting" ? [state.retryInMs] : []))).toEqual([50, 100, 200, 400]);
});

test("R20: a refusal names no event that the daemon does not name", async () => {
  const { client, daemons } = await stage();
  const refused = client.publish([EVENT, EVENT]).catch((fault: Fault) => fault);
  await settle();
  daemons[0]?.requests[0]?.refuse(new Fault("invalid_event", "No.", { pointer: "/1" }));
  expect(await refused).toMatchObject({ code: "invalid_event", pointer: "/1", eventId: undefined });
});
