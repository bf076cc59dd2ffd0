// How much of what one connection says at once is handled in one turn of the event loop: others are served between turns.
import { describe, expect, it } from "vitest";
import type { Message } from "../support/oracles/wire-sniffer.js";
import type { PlainPeer, RpcPeer } from "../support/peers/peers.js";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";

const COUNT = 20;
const NUMBERS = Array.from({ length: COUNT }, (_, index) => index);
const SESSION = "sess_1";
const STARTED = { type: "aaep:agent.session.started", session_id: SESSION, summary_normal: "Begins." };

/** Answers what came in each turn in which something came, from `say` on until `COUNT` came. */
async function byTurn<Item>(say: () => void, rest: () => Item[]): Promise<readonly (readonly Item[])[]> {
  const batches: Item[][] = [];
  let count = 0;
  say();
  for (let turn = 0; turn < 100 * COUNT && count < COUNT; turn++) {
    await new Promise(setImmediate);
    const came = rest();
    if (came.length > 0) batches.push(came);
    count += came.length;
  }
  return batches;
}

/** The numbers of the calls that were answered in each turn, by a result or an error. */
function callsByTurn(peer: RpcPeer, method: string, params: unknown) {
  const answered: number[] = [];
  const call = (index: number): void => {
    const note = (): void => void answered.push(index);
    peer.request(method, params).then(note, note);
  };
  return byTurn(
    () => NUMBERS.forEach(call),
    () => answered.splice(0),
  );
}

/** How many answers came in each turn. */
async function answersByTurn(peer: PlainPeer, messageOf: (index: number) => Message): Promise<readonly number[]> {
  const texts = NUMBERS.map((index) => JSON.stringify(messageOf(index)));
  const batches = await byTurn(() => peer.sendText(...texts), peer.answers.rest);
  return batches.map(({ length }) => length);
}

describe("what one connection says at once is handled in order, for two milliseconds at a time", () => {
  it("JSON-RPC: publishes", async () => {
    const rig = await startRig();
    const peer = await rig.rpc("memory");
    await peer.publish(STARTED);
    const progress = { type: "aaep:agent.progress.updated", session_id: SESSION, progress: { percent: 1 } };
    const batches = await callsByTurn(peer, "aaep.publish", [progress]);
    expect(batches.flat()).toEqual(NUMBERS);
    // A turn ends after 2 ms, so a busy machine needs several.
    expect(batches.length).toBeLessThan(COUNT);
  });

  it("JSON-RPC: other calls", async () => {
    const rig = await startRig();
    const peer = await rig.rpc("memory");
    await peer.request("aaep.ping");
    const batches = await callsByTurn(peer, "aaep.ping", {});
    expect(batches.flat()).toEqual(NUMBERS);
    // A turn ends after 2 ms, so a busy machine needs several.
    expect(batches.length).toBeLessThan(COUNT);
  });

  it("plain messages", async () => {
    const rig = await startRig();
    const peer = await rig.plain("memory");
    await peer.subscribe(requestOf());
    const counts = await answersByTurn(peer, (index) => ({ type: `unknown ${index}` }));
    expect(counts.length).toBeLessThan(COUNT);
  });
});
