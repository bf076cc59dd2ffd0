// R34: a text that is costly to scan holds up its own connection only.
import { expect, it } from "vitest";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";

const UNIT = "今日は図書館で本を読んでお茶を飲みました";
const TEXT = UNIT.repeat(500);
const WORDS = requestOf({ coalesce_boundaries: ["word", "completion"] });
const started = (session_id: string) => ({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
const chunk = (text: string, complete = false) => ({
  type: "aaep:agent.output.streaming",
  session_id: "sess_1",
  output_id: "out_1",
  language: "ja",
  chunk: text,
  complete,
});

const epochOf = (answer: unknown): number =>
  (answer as { readonly events: readonly { readonly epoch: number }[] }).events[0]?.epoch ?? 0;

it.each(["newline", "memory"] as const)(
  "what an agent says next waits behind it, and others do not: %s",
  async (way) => {
    const rig = await startRig();
    const listener = await rig.rpc(way);
    await listener.subscription().subscribe(WORDS);
    const [hostile, other] = [await rig.rpc(way), await rig.rpc(way)];
    await hostile.publish(started("sess_1"));
    await other.publish(started("sess_2"));
    // More than what one overrun of a turn, which a busy machine causes, takes from the others.
    const long = Array.from({ length: 3 }, () =>
      hostile.request(
        "aaep.publish",
        [TEXT, TEXT, TEXT].map((text) => chunk(text.slice(0, 8000))),
      ),
    );
    const next = hostile.request("aaep.publish", chunk("終", true));
    const beside = other.request("aaep.publish", started("sess_3"));
    const epochs = await Promise.all([beside, ...long.slice(-1), next].map(async (answer) => epochOf(await answer)));
    expect(epochs).toEqual(epochs.toSorted((one, other) => one - other));
    await expect(hostile.request("aaep.publish", [chunk(TEXT.slice(0, 8000)), chunk("さらに")])).rejects.toMatchObject({
      error: { data: { code: "output_already_complete" } },
    });
  },
);

it("an agent that hangs up behind it has said it all the same", async () => {
  const rig = await startRig();
  const listener = await rig.rpc();
  const events = listener.subscription();
  await events.subscribe(WORDS);
  const { socket, all } = await rig.raw();
  const messages = [started("sess_1"), chunk(TEXT.slice(0, 8000)), chunk("終", true)];
  const lines = messages.map(
    (params, id) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "aaep.publish", params })}\n`,
  );
  socket.end(lines.join(""));
  const answers = (await all).toString().trim().split("\n");
  expect(answers.map((line) => Object.keys(JSON.parse(line)).includes("result"))).toEqual([true, true, true]);
});
