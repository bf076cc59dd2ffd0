// The rows of the table of options that limit publishes, so that no turn of the daemon is long (docs/publishing.md).
import { wholeNumber } from "./config-values.js";
import { option } from "./option-row.js";

export const PUBLISH_OPTIONS = {
  maxPublishedEvents: option({
    group: "Agents",
    type: wholeNumber("COUNT", 1, 512),
    unit: "events",
    fallback: 256,
    meaning: "The largest number of events of one publish.",
    atTheLimit: "The daemon refuses a larger array whole (message_too_large).",
    change: "at_once",
  }),
  maxPublishedCharacters: option({
    group: "Agents",
    type: wholeNumber("COUNT", 16_384, 1_048_576),
    unit: "characters",
    fallback: 65_536,
    meaning: "The longest text of all chunks of one publish.",
    atTheLimit: "The daemon refuses a larger array whole (message_too_large). A single chunk is always short enough.",
    change: "at_once",
  }),
  maxPublishedQuestions: option({
    group: "Agents",
    type: wholeNumber("COUNT", 1, 64),
    unit: "questions",
    fallback: 16,
    meaning: "The largest number of questions of one publish.",
    atTheLimit: "The daemon refuses a larger array whole (message_too_large).",
    change: "at_once",
  }),
  maxOpenSessions: option({
    group: "Agents",
    type: wholeNumber("COUNT", 1, 16_384),
    unit: "sessions",
    fallback: 1024,
    meaning:
      "The largest number of open sessions of one agent: of a connection, of a key of single calls, or of all hooks.",
    atTheLimit: "The daemon refuses a further session.started (rate_limit) until one of them ends.",
    change: "at_once",
  }),
};
