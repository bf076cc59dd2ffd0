// The rows of the table of options that concern A2E (docs/a2e.md).
import { namesChoice, providersChoice, tokenChoice } from "./a2e-choices.js";
import { count, seconds } from "./config-values.js";
import { option } from "./option-row.js";

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

export const A2E_OPTIONS = {
  a2eProviders: option({
    type: providersChoice,
    fallback: [],
    meaning: "The A2E hosts that the daemon runs as children, and whose capabilities A2E agents can use.",
    atTheLimit:
      "A list of objects: command, a list of texts, and if wanted name, priority, capabilities and auth_token. In the file also as providers in a2e. The daemon starts a host again that ends.",
    change: "next_start",
  }),
  /** Undefined accepts any token. */
  a2eAuthToken: option({
    type: tokenChoice,
    fallback: undefined,
    meaning: "The token that A2E agents and registering providers have to show.",
    atTheLimit:
      "any accepts every token: local sockets and standard input belong to this user. Over TCP the token of the service counts. Prefer the file or the variable to the command line, which other users can see.",
    changeIsFor: "new handshakes",
  }),
  a2eMaxParallel: option({
    // The engine allows 128 open tools in a session.
    type: count("requests", 1, 128),
    fallback: 4,
    meaning: "How many requests of one A2E session may be under way.",
    atTheLimit: "Further requests wait, at most 256 of a session. The daemon answers one more by runtime_error.",
    changeIsFor: "new sessions",
  }),
  a2eStartSeconds: option({
    type: seconds(1, HOUR_SECONDS),
    fallback: 30,
    meaning: "How long a host of a2e_providers may take from its start to the end of its handshake.",
    atTheLimit:
      "The daemon then ends the host, and starts it again. Handshakes of agents wait as long after the start of the daemon, over a socket at most handshake_timeout_seconds. Raise it for a host that is downloaded first or loads a model.",
    changeIsFor: "hosts that start from then on",
  }),
  a2eRequestTimeoutSeconds: option({
    type: seconds(1, DAY_SECONDS),
    fallback: 300,
    meaning: "How long a provider may take for a request that names no timeout.",
    atTheLimit: "The daemon then answers by timeout. A tool call without a timeout has 30 seconds.",
    changeIsFor: "requests that are forwarded from then on",
  }),
  a2eIrreversibleTools: option({
    type: namesChoice,
    fallback: [],
    meaning:
      "The A2E tools whose calls a person has to confirm first. Case, width, accents, blanks, punctuation and invisible characters of a name make no difference.",
    atTheLimit: "Without a person who can answer, the daemon refuses the call (confirmation_rejected).",
    changeIsFor: "calls from then on",
  }),
  a2eConfirmationSeconds: option({
    type: seconds(1, DAY_SECONDS),
    fallback: 120,
    meaning: "How long a person has to confirm a call of an A2E tool.",
    atTheLimit: "The daemon then refuses the call.",
    changeIsFor: "new sessions",
  }),
  a2eShownArguments: option({
    type: namesChoice,
    fallback: [],
    meaning: "The arguments of A2E tool calls whose values listeners hear.",
    atTheLimit: "The values of all other arguments stay out of every event.",
    changeIsFor: "new sessions",
  }),
};
