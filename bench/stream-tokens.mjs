// A model's answer, token by token, to subscriptions that request sentences at three a second.
import { createEngineStage, PASS_THROUGH } from "./engine-stage.mjs";

const TEXT = [
  "The plan has three parts. First you put aside a tenth of what you earn; then, e.g. in May, you look at it again. ",
  "Dr. Roe's figures say 3.14 percent at most. Nobody had expected that! Would you have? Perhaps; perhaps not. ",
  "- **Fast.** It costs next to nothing (see below).\n- It is calm: nobody hears half a word.\n\n",
  "Then she said that was all. It was late, and the room was quiet. They went home by the river.\n\n",
].join("");

const TOKENS_PER_OUTPUT = 500;
/** 50 tokens a second. */
const TOKEN_MS = 20;

/**
 * Publishes tokens of 4 characters to one pass-through subscription and `sets` shaped ones, each with terms of its own. Returns the CPU, the
 * deliveries to the shaped ones, and the calls of the segmenter. With `speakable`, words come beside each text (R37).
 */
export async function streamTokens({ tokens, sets, speakable }) {
  // The engine would wait for it.
  await import("../dist/src/speakable/index.js");
  const stage = createEngineStage();
  const agent = stage.engine.openAgent({ agent_id: "bench-agent" });
  const session_id = "sess_shaped";
  agent.publish([{ fields: { type: "aaep:agent.session.started", session_id, summary_normal: "Begins." } }], false);
  stage.subscribe(PASS_THROUGH, () => {});
  let delivered = 0;
  for (let set = 0; set < sets; set += 1) {
    stage.subscribe(
      { maxEventsPerSecond: 3, coalesceBoundaries: ["sentence", "completion"], maxChars: 2000 + set, speakable },
      (_, run) => {
        delivered += run.deliveries.filter(({ event }) => event.type === "aaep:agent.output.streaming").length;
      },
    );
  }
  await new Promise(setImmediate);
  const text = TEXT.repeat(Math.ceil((tokens * 4) / TEXT.length));
  const before = process.cpuUsage();
  for (let token = 0; token < tokens; token += 1) {
    const fields = {
      type: "aaep:agent.output.streaming",
      session_id,
      output_id: `out_${Math.floor(token / TOKENS_PER_OUTPUT)}`,
      chunk: text.slice(token * 4, token * 4 + 4),
      complete: token % TOKENS_PER_OUTPUT === TOKENS_PER_OUTPUT - 1,
    };
    agent.publish([{ fields }], false);
    stage.clock.advance(TOKEN_MS);
  }
  stage.clock.advance(5000);
  const { user, system } = process.cpuUsage(before);
  return { microsPerToken: (user + system) / tokens, delivered, calls: stage.segmenterCalls() };
}
