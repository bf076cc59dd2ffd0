// Ingest and coalescing without sockets: the engine's CPU beside that of parsing, validating and serialising the same events.

import { createRpcSession } from "../../dist/src/protocols/aaep/rpc-session.js";
import { isOutputStreamingEvent } from "../../gen/aaep/validators.js";
import { createEngineStage, PASS_THROUGH } from "../engine-stage.mjs";
import { createEventTexts } from "../events.mjs";
import { serveRole } from "../role.mjs";
import { streamTokens } from "../stream-tokens.mjs";

let kept = 0;

function message(texts, from, size) {
  const events = Array.from({ length: size }, (_, index) => texts.chunk(from + index));
  return `{"jsonrpc":"2.0","method":"aaep.publish","params":${size === 1 ? events[0] : `[${events.join()}]`}}`;
}

const stages = new Map();

/** An engine that goes on from run to run: its session, its journal and its compiled code stay. */
function stageFor(size) {
  const known = stages.get(size);
  if (known !== undefined) return known;
  const stage = createEngineStage();
  const notify = (_, error) => {
    throw new Error(JSON.stringify(error));
  };
  const session = createRpcSession(
    { engine: stage.engine, ids: stage.ids, agentIdentity: undefined },
    { notify, deliver: () => true, deliverLast: () => {}, writable: () => Promise.resolve() },
  );
  const texts = createEventTexts();
  const publish = (text) => {
    const { method, params } = JSON.parse(text);
    session.handlers.notification({ method, params, text });
  };
  publish(`{"method":"aaep.publish","params":${texts.started()}}`);
  stage.subscribe(PASS_THROUGH, (frames) => {
    for (const frame of frames) kept += frame.length;
  });
  const made = { stage, texts, publish, next: 0 };
  stages.set(size, made);
  return made;
}

/** CPU microseconds for each of `count`. What was made for the work beforehand is no part of it, and so neither is its way into old memory. */
function microsPer(count, work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

serveRole({
  /** Lengths added up, so that no work can be left out as unused. */
  kept: () => kept,
  /** JSON.parse, the generated Ajv validator and JSON.stringify of each event: CPU microseconds an event. */
  bare: ({ count }) => {
    const source = createEventTexts();
    const texts = Array.from({ length: count }, (_, index) => source.chunk(index));
    return microsPer(count, () => {
      for (const text of texts) {
        const event = JSON.parse(text);
        if (!isOutputStreamingEvent(event)) throw new Error("The event is invalid.");
        kept += JSON.stringify(event).length;
      }
    });
  },
  /** The same events published through the engine, journaled and encoded for one subscriber. */
  ingest: ({ count, size }) => {
    const one = stageFor(size);
    const messages = [];
    for (let from = 0; from < count; from += size) messages.push(message(one.texts, one.next + from, size));
    one.next += messages.length * size;
    return microsPer(messages.length * size, () => {
      let inTurn = 0;
      for (const text of messages) {
        one.publish(text);
        inTurn += size;
        // A read of 64 KiB brings about so many.
        if (inTurn >= 128) {
          one.stage.clock.settle();
          inTurn = 0;
        }
      }
      one.stage.clock.settle();
    });
  },
  /** Tokens of 4 characters to one pass-through subscription and `sets` shaped ones. */
  shaped: streamTokens,
});
