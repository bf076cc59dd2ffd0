// Several connections that publish into one session (R8, R3a), in the long form of aaep.publish.
import { describe, expect, it, vi } from "vitest";
import type { Message } from "../support/oracles/wire-sniffer.js";
import { requestOf, startRig, turns } from "../support/rigs/daemon-rig.js";

const STARTED = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." };
const DONE = { type: "aaep:agent.session.completed", session_id: "sess_1", summary_normal: "Done." };
const chunk = (text: string, others: Message = {}): Message => ({
  type: "aaep:agent.output.streaming",
  session_id: "sess_1",
  chunk: text,
  complete: false,
  ...others,
});

it("R8: another connection publishes with the token, and the session stays with whoever began it", async () => {
  const rig = await startRig();
  const listener = await rig.plain();
  await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }));
  const owner = await rig.rpc();
  const { resume_token: token } = await owner.publish(STARTED);
  const other = await rig.rpc();
  expect(await other.refusal("aaep.publish", { events: [chunk("one ")] })).toMatchObject({ code: "session_not_yours" });
  expect(await other.refusal("aaep.publish", { events: [chunk("one ")], resume_token: "rst_guessed" })).toMatchObject({
    code: "session_not_yours",
  });
  const receipt = await other.request("aaep.publish", { events: [chunk("one ")], resume_token: token });
  expect(receipt.events).toHaveLength(1);
  await owner.publish(chunk("two ", { language: "en" }));
  // Its end is not the end of a session that is another's.
  await other.close();
  await rig.expectOthersServed();
  await owner.publish(chunk("three", { complete: true }), DONE);
  const heard = (await listener.events.take(7)).filter(({ session_id: id }) => id === "sess_1");
  expect(heard.map(({ type, chunk: text }) => text ?? type)).toEqual([
    STARTED.type,
    "one ",
    "two ",
    "three",
    DONE.type,
  ]);
});

it("R8: with the token another connection goes on with a session whose own has gone", async () => {
  const rig = await startRig({ clock: "hands" });
  const owner = await rig.rpc();
  const { resume_token: token } = await owner.publish(STARTED);
  await owner.close();
  const other = await rig.rpc();
  await other.request("aaep.publish", { resume_token: token, events: [chunk("one ")] });
  await rig.advance(10_000);
  expect((await other.publish(chunk("two", { complete: true }), DONE)).events).toHaveLength(2);
});

it("R2: in the long form an event goes out byte for byte too, whatever stands around it", async () => {
  const rig = await startRig();
  const listener = await rig.plain();
  await listener.subscribe(requestOf({ preferred_verbosity: "normal", languages: ["en-US"] }));
  const agent = await rig.rpc();
  const { resume_token: token } = await agent.publish(STARTED);
  const text = JSON.stringify(chunk("1.0", { complete: true, position: 0 })).replace('"position":0', '"position": 0e1');
  const receipt = await agent.requestText("aaep.publish", `{ "resume_token": "${token}", "events" : [ ${text} ] }`);
  expect(receipt.events).toHaveLength(1);
  expect(
    await agent
      .requestText("aaep.publish", `{"events":[${text.replace("{", '{"chunk":"twice",')}]}`)
      .catch((error: unknown) => String(error)),
  ).toMatch(/invalid_message/);
  expect(await agent.refusal("aaep.publish", { events: [], resume_token: 5 })).toMatchObject({
    code: "invalid_params",
    pointer: "/resume_token",
  });
});

it("R26: in JSON-RPC skip has both names", async () => {
  const rig = await startRig();
  const peer = await rig.rpc();
  const subscription = peer.subscription();
  await subscription.subscribe(requestOf());
  expect(await peer.request("aaep.skip", {})).toEqual({});
  expect(await peer.request("aaepd.skip", {})).toEqual({});
});

describe("several subscriptions on one JSON-RPC connection (AAEP app. B)", () => {
  it("as soon as there is a second one, every event says whose it is, also those of the first", async () => {
    const rig = await startRig();
    const sniffed = vi.spyOn(rig.sniffer, "rpc");
    const agent = await rig.rpc();
    const peer = await rig.rpc();
    const eventsSoFar = (): readonly Message[] =>
      sniffed.mock.results.map(({ value }) => value as Message).filter(({ method }) => method === "aaep.event");
    const subscribe = async (id: string): Promise<string> => {
      const answer = await peer.request(
        "aaep.subscribe",
        requestOf({ coalesce_boundaries: ["none"] }, { subscriber_id: id }),
      );
      return String(answer.subscription_id);
    };
    /** Whose events came between this call and the answer to a ping behind them. */
    const namesOf = async (...events: readonly Message[]): Promise<readonly unknown[]> => {
      const before = eventsSoFar().length;
      await agent.publish(...events);
      await turns();
      await peer.request("aaep.ping");
      return eventsSoFar()
        .slice(before)
        .map(({ subscription_id: whose }) => whose);
    };
    const first = await subscribe("first");
    expect(await namesOf(STARTED)).toEqual([undefined]);
    const second = await subscribe("second");
    expect((await namesOf(chunk("one "))).filter((whose) => whose !== second)).toEqual([first]);
    const third = await subscribe("third");
    expect(new Set(await namesOf(chunk("two ")))).toEqual(new Set([first, second, third]));
    for (const subscription_id of [second, third])
      await peer.request("aaep.close", { type: "subscription.close", subscription_id });
    // One that had a name keeps it.
    expect(await namesOf(chunk("three", { complete: true }))).toEqual([first]);
    await peer.request("aaep.close", { type: "subscription.close", subscription_id: first });
    await subscribe("alone again");
    expect(new Set(await namesOf(DONE))).toEqual(new Set([undefined]));
  });
});
