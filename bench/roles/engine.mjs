// Ingest and coalescing without sockets: the engine's CPU beside that of parsing, validating and serialising the same events.
import { readJsonDocument } from "../../dist/src/base/json-document.js";
import { createClock } from "../../dist/src/daemon/platform/clock.js";
import { createJournalRing } from "../../dist/src/engine/journal/journal-ring.js";
import { createRpcProtocol } from "../../dist/src/protocols/aaep/sessions/rpc-session.js";
import { createSpokenLanguages } from "../../dist/src/protocols/aaep/subscriber/spoken-languages.js";
import { openDiskJournal } from "../../dist/src/storage/open-disk-journal.js";
import { isOutputStreamingEvent } from "../../gen/aaep/validators.js";
import { createEngineStage, PASS_THROUGH } from "../engine-stage.mjs";
import { createEventTexts } from "../events.mjs";
import { inFlight } from "../flight.mjs";
import { serveRole } from "../role.mjs";
import { streamTokens } from "../stream-tokens.mjs";

let kept = 0;
let onDisk;

function message(texts, from, size) {
  const events = Array.from({ length: size }, (_, index) => texts.chunk(from + index));
  return `{"jsonrpc":"2.0","method":"aaep.publish","params":${size === 1 ? events[0] : `[${events.join()}]`}}`;
}

const stages = new Map();

/** An engine that lasts from one measurement to the next: its session, its journal and its compiled code stay. */
function stageFor(size) {
  const known = stages.get(size);
  if (known !== undefined) return known;
  const stage = createEngineStage();
  const session = sessionOf(stage);
  const texts = createEventTexts();
  const publish = (text) => session.notification(callOf(text));
  publish(`{"method":"aaep.publish","params":${texts.started()}}`);
  stage.subscribe(PASS_THROUGH, (frames) => {
    for (const frame of frames) kept += frame.length;
  });
  const made = { stage, texts, publish, next: 0 };
  stages.set(size, made);
  return made;
}

/** A message as the transport reads it. */
function callOf(text) {
  const { value, outline } = readJsonDocument(text);
  return { method: value.method, params: value.params, text, outline };
}

/** An agent's session without a connection. */
function sessionOf(stage) {
  const notify = (_, error) => {
    throw new Error(JSON.stringify(error));
  };
  const access = { of: () => ({ may: () => true }) };
  const languages = createSpokenLanguages("en-US");
  const protocol = createRpcProtocol({
    engine: stage.engine,
    ids: stage.ids,
    agentIdentity: undefined,
    languages,
    access,
  });
  return protocol.open({ label: "agent", trust: "parent" }, { notify });
}

/** CPU microseconds for each of `count`. Objects prepared for the work, and their move into old memory, do not count. */
function microsPer(count, work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

serveRole({
  /** Lengths are added up, so that the compiler cannot omit unused work. */
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
        // A read of 64 KiB brings about that many.
        if (inTurn >= 128) {
          one.stage.clock.settle();
          inTurn = 0;
        }
      }
      one.stage.clock.settle();
    });
  },
  /** An engine with its journal in `folder`, and a new session. */
  openJournal: async ({ folder, policy }) => {
    const clock = createClock();
    const silent = () => {};
    const opened = await openDiskJournal({
      directory: folder,
      policy,
      retention: { ageMs: 24 * 3600 * 1000, bytes: 2 ** 30 },
      createWindow: createJournalRing,
      window: {},
      clock,
      log: { debug: silent, info: silent, warn: console.error, error: console.error },
    });
    const session = sessionOf(createEngineStage({ clock, createJournal: opened.create }));
    const texts = createEventTexts();
    const publish = async (event) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":"aaep.publish","params":${event}}`;
      return session.request(callOf(text));
    };
    await publish(texts.started());
    onDisk = { texts, publish, next: 0 };
  },
  /** Publishes `count` events one by one with `flight` of them not yet durable; returns events a second. */
  publishInFlight: async ({ count, flight }) => {
    const { texts, publish } = onDisk;
    texts.renew();
    const begin = performance.now();
    await inFlight({ count, flight }, (_, size, acknowledged, failed) => {
      for (let index = 0; index < size; index += 1) {
        publish(texts.chunk(onDisk.next)).then(acknowledged, failed);
        onDisk.next += 1;
      }
    });
    return (count * 1000) / (performance.now() - begin);
  },
  /** Tokens of 4 characters to one pass-through subscription and `sets` shaped ones. */
  shaped: streamTokens,
});
