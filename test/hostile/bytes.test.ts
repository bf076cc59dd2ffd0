// What no message is. Each case ends in a typed answer or a closed connection, and nobody else notices.
import { describe, expect, it } from "vitest";
import { join } from "../../transports/framing/framings.js";
import { requestOf, startRig, turns } from "../support/rigs/daemon-rig.js";

const REQUEST = Buffer.from(JSON.stringify(requestOf()));

/** Messages of a reply that is length-prefixed. */
function prefixed(bytes: Buffer): unknown[] {
  const messages: unknown[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    messages.push(JSON.parse(bytes.subarray(at + 4, at + 4 + length).toString()));
    at += 4 + length;
  }
  return messages;
}

function lines(bytes: Buffer): unknown[] {
  return bytes
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("frames that are none", () => {
  it("R23: half a frame and then the end is answered, and only that connection closes", async () => {
    const rig = await startRig();
    const { socket, all } = await rig.raw();
    socket.end(join("length-prefixed", [REQUEST]).subarray(0, 20));
    expect(prefixed(await all)).toMatchObject([{ type: "aaepd.error", code: "framing_lost" }]);
    await rig.expectOthersServed();
  });

  it("R22: half a frame and then silence is closed when the time for a handshake is over", async () => {
    const rig = await startRig({ clock: "hands" });
    const { socket, all } = await rig.raw();
    socket.write(join("length-prefixed", [REQUEST]).subarray(0, 20));
    await rig.advance(59_000);
    await rig.expectOthersServed();
    expect(socket.readableEnded).toBe(false);
    await rig.advance(1000);
    expect(prefixed(await all)).toMatchObject([{ type: "aaepd.error", code: "timed_out" }]);
  });

  it("R22: a sender that drips a byte at a time has no more time than others", async () => {
    const rig = await startRig({ clock: "hands" });
    const { socket, all } = await rig.raw();
    let closed = false;
    void all.then(() => {
      closed = true;
    });
    for (let index = 0; index < 60 && !closed; index++) {
      socket.write(REQUEST.subarray(index, index + 1));
      await rig.advance(1000);
    }
    expect(lines(await all)).toMatchObject([{ type: "aaepd.error", code: "timed_out" }]);
    await rig.expectOthersServed();
  });

  it("invalid UTF-8 is refused, and the connection goes on", async () => {
    const rig = await startRig();
    const peer = await rig.plain();
    for (const bad of [[0xc3, 0x28], [0xff], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]]) {
      peer.sendBytes(Buffer.concat([Buffer.from('{"type":"'), Uint8Array.from(bad), Buffer.from('"}')]));
      expect(await peer.answers.next()).toMatchObject({ type: "aaepd.error", code: "invalid_json" });
    }
    expect((await peer.subscribe(requestOf())).type).toBe("subscription.accepted");
    await rig.expectOthersServed();
  });
});

describe("peers that end in the middle", () => {
  it.each(["nothing", "an error", "a subscription", "a call"])(
    "AAEP §8.2.5: a peer that ends its side after %s is let go",
    async (state) => {
      const rig = await startRig();
      const { socket, all } = await rig.raw();
      const said = {
        nothing: "",
        "an error": "{}\n",
        "a subscription": `${REQUEST.toString()}\n`,
        "a call": '{"jsonrpc":"2.0","id":1,"method":"aaep.ping"}\n',
      }[state];
      if (said !== "") socket.write(said ?? "");
      await turns();
      socket.end();
      const answers = lines(await all);
      expect(answers).toHaveLength(state === "nothing" ? 0 : 1);
      await rig.expectOthersServed();
    },
  );

  it("a subscriber whose connection is reset while events go to it costs nobody anything", async () => {
    const rig = await startRig();
    const { socket } = await rig.raw();
    socket.pause();
    socket.write(`${JSON.stringify(requestOf({ coalesce_boundaries: ["none"] }))}\n`);
    const agent = await rig.rpc();
    await agent.publish({ type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." });
    const chunk = "x".repeat(10_000);
    for (let index = 0; index < 200; index++) {
      if (index === 100) socket.destroy();
      await agent.publish({ type: "aaep:agent.output.streaming", session_id: "sess_1", chunk, complete: false });
    }
    await rig.expectOthersServed();
    expect(rig.log.filter(({ level }) => level === "warn")).toEqual([]);
  });

  it("R8: an agent whose connection is reset in mid-publish leaves a session that is ended for it", async () => {
    const rig = await startRig({ configuration: { agentGraceSeconds: 0 } });
    const listener = await rig.plain();
    await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }));
    const { socket } = await rig.raw();
    const params = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." };
    socket.write(
      `${JSON.stringify({ jsonrpc: "2.0", method: "aaep.publish", params })}\n{"jsonrpc":"2.0","method":"aa`,
    );
    expect(await listener.events.next()).toMatchObject({ type: "aaep:agent.session.started" });
    socket.destroy();
    expect(await listener.events.next()).toMatchObject({
      type: "aaep:agent.session.errored",
      error_code: "AGENT_DISCONNECTED",
    });
    await rig.expectOthersServed();
  });
});
