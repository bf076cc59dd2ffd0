// The suite against slow subscribers, and against one that leaves.
import { join } from "node:path";
import { expect, it } from "vitest";
import { itInFull } from "../support/extent.js";
import { judgeSubscriber, socketFolder, toldOf } from "./mutants/judge-mutant.js";
import { patchedCommand } from "./mutants/patched-subscribers.js";

async function judged(start: string, ...cases: readonly string[]): Promise<readonly string[]> {
  return toldOf(await judgeSubscriber(join(socketFolder(), "suite.sock"), { start, accept: "yes" }, cases));
}

const ANNOUNCES = '            self.announce(kind.rpartition("agent.")[2], message)\n';
const SLOW_VOICE = `            asyncio.get_running_loop().call_later(1.5, self.announce, kind.rpartition("agent.")[2], message)\n`;
const WRITES = '        self.writer.write(struct.pack(">I", len(text)) + text)\n';
const SLOW_REPLIES = `        write = lambda: self.writer.write(struct.pack(">I", len(text)) + text)
        asyncio.get_running_loop().call_later(1.5 if "reply_token" in message else 0, write)\n`;
const FORGETS = `            # Every question of the session dies with it.
            self.questions = [one for one in self.questions if one["session_id"] != event["session_id"]]\n`;

itInFull("a slow voice: the user's line waits until the cancellation is announced", async () => {
  const start = patchedCommand([ANNOUNCES, SLOW_VOICE]);
  expect(await judged(start, "S2-cancelled")).toEqual(["S2-cancelled passed"]);
});

itInFull("slow replies: a reply that must not come is listened for longer than one takes", async () => {
  const start = patchedCommand([WRITES, SLOW_REPLIES], [FORGETS, ""]);
  expect(await judged(start, "S2-cancelled")).toEqual(["S2-cancelled failed: A reply came."]);
});

itInFull("a message that is no reply is told with the reply that is missing", async () => {
  const start = patchedCommand(['"type": "confirmation.reply"', '"type": "subscription.reply"']);
  const told = "No reply came, but a message that is none.";
  expect(await judged(start, "S2-reply-form")).toEqual([`S2-reply-form failed: ${told}`]);
});

it("a subscriber that leaves before the time is over has not shown that it stays silent", async () => {
  const leaves = '            self.say(f"Question: {summary}")\n';
  const start = patchedCommand([leaves, `${leaves}            self.writer.close()\n`]);
  expect(await judged(start, "S2-no-auto-reply", "S2-cancelled")).toEqual([
    "S2-no-auto-reply skipped: The connection ended before the time was over in which a reply could come.",
    "S2-cancelled skipped: No user's answer came as a reply to an open question, so silence after a cancellation shows nothing.",
  ]);
});
