// Attacks of an agent by its publications, and by its leaving.
import { CORE } from "../events.mjs";
import { createAsker, publishLine, sent, sessionStarted } from "./peers.mjs";
import { CHUNK_CHARACTERS, nested, repeated } from "./texts.mjs";

/** Characters of text of one publish (R34). */
const MOST_CHARACTERS = 65_536;
const LANGUAGES = ["en", "es", "fr", "de", "ja", "ar"];
const ORDINARY =
  "The daemon carries what the agent says to everybody who listens, each on the terms that were agreed. ";

/** Publishes as many events as fit into one, and the rest in further ones. */
function linesOf(events) {
  const publishes = [[]];
  let characters = 0;
  for (const event of events) {
    characters += event.chunk.length;
    if (characters > MOST_CHARACTERS) {
      publishes.push([]);
      characters = event.chunk.length;
    }
    publishes.at(-1).push(event);
  }
  return Buffer.concat(publishes.map(publishLine));
}

/** Chunks of the same text, several in one publish, repeatedly; `subscribers` are the terms of the listeners. */
function publishing(textsOf, { language, subscribers }) {
  return async (peers, sized) => {
    for (const capabilities of subscribers(sized)) await peers.subscriber(capabilities);
    const agent = await peers.agent();
    const started = sessionStarted();
    await agent.publish([started]);
    const line = linesOf(
      textsOf(sized).map((chunk) => ({
        type: `${CORE}output.streaming`,
        session_id: started.session_id,
        chunk,
        complete: false,
        ...(language === undefined ? {} : { language }),
      })),
    );
    return () => sent(agent.socket, line);
  };
}

/** `chunks` chunks of a repeated text to one subscriber. */
export function chunksOf(unit, { chunks = 1, language, capabilities = {} } = {}) {
  const textsOf = (sized) => Array.from({ length: sized(chunks) }, () => repeated(unit, sized(CHUNK_CHARACTERS)));
  return publishing(textsOf, { language, subscribers: () => [capabilities] });
}

/** One chunk of a repeated text to `count` subscribers with different terms. */
export function chunkToMany(unit, { count, language, boundaries }) {
  const subscribers = (sized) =>
    Array.from({ length: sized(count) }, (_, index) => ({
      ...(boundaries === undefined ? {} : { coalesce_boundaries: boundaries }),
      aaepd: { max_chars: 16_384 - index },
    }));
  return publishing((sized) => [repeated(unit, sized(CHUNK_CHARACTERS))], { language, subscribers });
}

export function nestedQuotes(depth, capabilities) {
  return publishing((sized) => [nested(sized(depth))], { subscribers: () => [capabilities] });
}

/** A text without a space, in the largest possible chunks, as many as one message holds. */
export function withoutSpace(chunks, capabilities) {
  return publishing((sized) => Array.from({ length: sized(chunks) }, () => "x".repeat(16_384)), {
    subscribers: () => [capabilities],
  });
}

/** Ordinary chunks, a few words each, to subscribers of which no two have the same terms. */
export function ordinaryToMany(count) {
  const words = ORDINARY.split(/(?<=,? )/);
  const subscribers = (sized) =>
    Array.from({ length: sized(count) }, (_, index) => ({
      max_events_per_second: 1 + (index % 20),
      languages: [LANGUAGES[index % LANGUAGES.length]],
      coalesce_boundaries: index % 2 === 0 ? ["sentence", "completion"] : ["word", "completion"],
      aaepd: { max_chars: 80 + index },
    }));
  return publishing(() => words, { subscribers });
}

/** Questions are asked, and the last subscription that could answer ends. */
export function questionsWithoutAudience(count) {
  return async (peers, sized) => {
    const agent = await peers.agent();
    const asked = sized(count);
    const askAll = await createAsker(agent, asked);
    const ask = async () => {
      const capable = await peers.subscriber({ supports_confirmation_reply: true, event_filters: { include: [] } });
      await askAll();
      return capable;
    };
    let capable = await ask();
    return async () => {
      capable.leave();
      await agent.outcomes(asked);
      capable = await ask();
    };
  };
}

/** An agent with many open sessions vanishes; the next one opens as many. */
export function vanishing(count) {
  return async (peers, sized) => {
    const begun = async () => {
      const agent = await peers.agent();
      await agent.publish(Array.from({ length: sized(count) }, sessionStarted));
      return agent;
    };
    let agent = await begun();
    return async () => {
      agent.leave();
      agent = await begun();
    };
  };
}
