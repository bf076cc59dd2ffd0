// Counts encodings in the engine with its real codecs.
import { createUtf8 } from "../dist/src/daemon/platform/utf8.js";
import { createJsonCodec } from "../dist/src/protocols/aaep/json/json-codec.js";
import { createAaepMessageCodec } from "../dist/src/protocols/aaep/services/codec-aaep-message.js";
import { createListenCodec, createSubscribeCodec } from "../dist/src/protocols/aaep/services/codec-protobuf.js";
import { createEngineStage } from "./engine-stage.mjs";

/** The formats of the local socket, of Subscribe, of Listen and of AaepService; Subscribe and Listen must share one. */
function wireFormats() {
  const utf8 = createUtf8();
  const codecs = [createJsonCodec(utf8), createSubscribeCodec(), createListenCodec(), createAaepMessageCodec(utf8)];
  return codecs.map(({ format }) => format);
}

/**
 * Publishes `events` events to `subscribers` subscriptions, spread over two shapes and every wire format, with summaries of different length so that
 * the shapes differ. Returns the number of encodings made, and the number needed.
 */
export function countEncodings({ events, subscribers }) {
  const stage = createEngineStage();
  const agent = stage.engine.openAgent({ agent_id: "bench-agent" });
  let made = 0;
  const counting = new Map();
  const formats = wireFormats().map((format) => {
    const encode = (event, source) => {
      made += 1;
      return format.encode(event, source);
    };
    if (!counting.has(format)) counting.set(format, { encode });
    return counting.get(format);
  });
  const verbosities = ["terse", "detailed"];
  const combinations = new Set();
  let delivered = 0;
  for (let index = 0; index < subscribers; index += 1) {
    const verbosity = verbosities[index % 2];
    const format = formats[(index >> 1) % formats.length];
    combinations.add(`${verbosity} ${formats.indexOf(format)}`);
    stage.subscribe(
      {
        preferredVerbosity: verbosity,
        eventFilters: { include: ["aaep:agent.state.changed"], exclude: [] },
        // Some request more than their neighbours, which must not cost an encoding.
        coalesceBoundaries: index % 3 === 0 ? ["none"] : ["sentence", "completion"],
      },
      (frames) => {
        delivered += frames.length;
      },
      format,
    );
  }
  const session_id = "sess_encodings";
  agent.publish([{ fields: { type: "aaep:agent.session.started", session_id, summary_normal: "Begins." } }], false);
  let state = "idle";
  for (let event = 0; event < events; event += 1) {
    const to = state === "thinking" ? "writing" : "thinking";
    agent.publish(
      [
        {
          fields: {
            type: "aaep:agent.state.changed",
            session_id,
            from_state: state,
            to_state: to,
            summary_terse: "Short.",
            summary_normal: "Of middle length.",
            summary_detailed: "Rather longer than the others.",
          },
        },
      ],
      false,
    );
    state = to;
    if (event % 7 === 6) stage.clock.settle();
  }
  stage.clock.settle();
  return { made, expected: events * combinations.size, delivered, expectedDeliveries: events * subscribers };
}
