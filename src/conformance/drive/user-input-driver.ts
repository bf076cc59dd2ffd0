// The suite as the user of a producer that is an agent itself: the scenario's sentence is said to it, as the published suite says its prompts.
import type { Millis } from "../../contracts/clock.js";
import { type Conversation, converse, type Message } from "../wire/conversation.js";
import type { Links } from "../wire/link.js";
import { type Driver, SCENARIOS, type ScenarioName } from "./driver.js";

/** How long a scenario may last, ms. The longest asks two questions of 30 s. */
const LONGEST_MS = 90_000;
const REQUEST = {
  type: "subscription.request",
  aaep_version: "1.0.0",
  subscriber_id: "conformance-user",
  capabilities: {},
};
const ENDINGS = /agent\.session\.(?:completed|errored|cancelled)$/;

/**
 * Sends `{"kind":"user_input","text":"NAME: SENTENCE"}` on a connection of its own, and listens there for the session that begins. The text has the
 * scenario's name, for a producer that does not read English. `beginningMs`: how long a producer has until the session begins.
 */
export function userInputDriver(links: Links, beginningMs: Millis): Driver {
  const open = new Set<Conversation>();
  const lacking = new Map<ScenarioName, string>();
  const perform = async (scenario: ScenarioName): Promise<void> => {
    const user = converse(await links.open(), beginningMs);
    open.add(user);
    try {
      user.say(REQUEST);
      user.say({ kind: "user_input", text: `${scenario}: ${SCENARIOS[scenario]}` });
      const begun = await user.seek(({ type }) => isEvent(type, /agent\.session\.started$/));
      if (begun === undefined) {
        lacking.set(scenario, `No session began after the user_input of the scenario "${scenario}".`);
        throw new Error("No session began after the user_input.");
      }
      const sessionId = begun.message?.session_id;
      const isOver = ({ type, session_id: id }: Message): boolean => id === sessionId && isEvent(type, ENDINGS);
      const over = await user.seek(isOver, { withinMs: LONGEST_MS, from: begun.place });
      if (over === undefined) throw new Error("The session after the user_input did not end.");
    } finally {
      open.delete(user);
      await user.close();
    }
  };
  return {
    lacks: (scenario) => lacking.get(scenario),
    perform: async (scenario) => {
      const done = perform(scenario);
      done.catch(() => {});
      return { sessionId: undefined, done, giveUp: () => {} };
    },
    stop: async () => {
      await Promise.all([...open].map((one) => one.vanish()));
    },
  };
}

function isEvent(type: unknown, form: RegExp): boolean {
  return typeof type === "string" && form.test(type);
}
