// The names of Akashik in HTTP: an agent without a connection, which polls.
import { expect, it } from "vitest";
import { akashikAgent, unit } from "../../support/peers/akashik-peer.js";
import { type DaemonRig, startRig } from "../../support/rigs/daemon-rig.js";
import { rawHttp } from "../../support/services/raw-calls.js";

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(rig: DaemonRig, path: string, text: string, type = "application/json"): Promise<Answer> {
  const call = { headers: { "content-type": type }, body: Buffer.from(text) };
  const { status, body } = await rawHttp(rig.serviceAddress("http"), path, call);
  const isJson = body.toString().startsWith("{");
  return { status, body: isJson ? (JSON.parse(body.toString()) as Answer["body"]) : {} };
}

const envelope = (operation: string, agent: string, payload: unknown, epoch = 0): string =>
  JSON.stringify({
    protocol: "akashik",
    version: "0.1.0",
    id: "h1",
    operation,
    agent_id: agent,
    session_id: null,
    epoch,
    payload,
  });

const start = (): Promise<DaemonRig> => startRig({ services: { http: "unix" } });

it("an agent registers, records and polls, and is told nothing by itself", async () => {
  const rig = await start();
  const post = (operation: string, payload: unknown, epoch?: number) =>
    send(rig, `/v1/${operation.toLowerCase()}`, envelope(operation, "poller", payload, epoch));
  const registered = await post("REGISTER", { id: "poller", role: "r", interests: ["prices"] });
  expect(registered).toMatchObject({ status: 200, body: { id: "h1", payload: { status: "registered" } } });
  expect((await post("REGISTER", { id: "poller", role: "other" })).body.payload).toMatchObject({
    status: "registered",
  });
  expect((await post("RECORD", unit("Mine."))).body.payload).toMatchObject({ status: "recorded" });
  const { epoch } = (await post("ATTUNE", {})).body;
  const writer = await akashikAgent(await rig.connect("newline"), "writer");
  await writer.ask("RECORD", unit("The prices rose."));
  const { payload } = (await post("ATTUNE", { since_epoch: epoch })).body;
  expect(payload).toMatchObject({ record: [{ memory_unit: { content: "The prices rose." } }] });
  const subscribed = await post("SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.recorded"] } });
  expect(subscribed.status).toBe(200);
  expect((await post("DETECT", {})).body.payload).toEqual({ status: "ok", conflicts: [] });
  expect((await post("MERGE", { conflict_id: "none", strategy: "last_write_wins" })).body.payload).toMatchObject({
    error: { code: "CONFLICT_NOT_FOUND" },
  });
  expect((await post("DEREGISTER", {})).body.payload).toMatchObject({ status: "ok", cleanup: { subscriptions: 1 } });
});

it("an agent with a connection speaks over it alone", async () => {
  const rig = await start();
  await akashikAgent(await rig.connect("newline"), "there");
  const answer = (operation: string, payload: unknown) =>
    send(rig, `/v1/${operation.toLowerCase()}`, envelope(operation, "there", payload));
  expect(await answer("DETECT", {})).toMatchObject({
    status: 400,
    body: { payload: { error: { code: "AGENT_NOT_REGISTERED" } } },
  });
  expect((await answer("REGISTER", { id: "there", role: "r" })).body.payload).toMatchObject({
    error: { code: "AGENT_ID_TAKEN" },
  });
});

it("what is no message of the path is answered, with its status", async () => {
  const rig = await start();
  for (const [body, code] of [
    ["{", "INVALID_TYPE"],
    ['{"a":1,"a":2}', "INVALID_TYPE"],
    [envelope("RECORD", "x", {}), "INVALID_TYPE"],
    [envelope("DETECT", "nobody", {}), "AGENT_NOT_REGISTERED"],
  ] as const)
    expect(await send(rig, "/v1/detect", body)).toMatchObject({ status: 400, body: { payload: { error: { code } } } });
  const message = envelope("DETECT", "nobody", {});
  expect((await send(rig, "/v1/detect", message, "text/plain")).status).toBe(415);
  expect((await rawHttp(rig.serviceAddress("http"), "/v1/detect", {})).status).toBe(405);
  expect((await send(rig, "/v1/handoff", message)).status).toBe(404);
  expect((await send(rig, "/v1/detect", " ".repeat(5 * 1024 * 1024))).status).toBe(413);
});
