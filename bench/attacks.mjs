// Every attack of the row "attack". A new attack is an entry here: `prepare(peers, sized)` returns the function that is repeated during the
// measurement; `sized` reduces a number in a quick run. `mayBeRefused`: a refusal is no mistake of the attack. `options` are the daemon's; `over`: a service that it offers besides. `everyMs`:
// interval of the bystander's critical events; default 5.
import { headerLine, newcomers, slashesAsked } from "./attacks/connecting.mjs";
import {
  absentAgents,
  flatMembers,
  HELD_OPTIONS,
  heldCallsBreakOff,
  jsonBodies,
  listedQuestions,
  structs,
} from "./attacks/protocols.mjs";
import {
  chunksOf,
  chunkToMany,
  nestedQuotes,
  ordinaryToMany,
  questionsWithoutAudience,
  vanishing,
  withoutSpace,
} from "./attacks/publishing.mjs";
import { TEXTS } from "./attacks/texts.mjs";

const WORDS = ["word", "completion"];
const SENTENCES_AND_WORDS = { coalesce_boundaries: ["sentence", "word", "completion"] };
const TURN_MS = 5;

/** No attack: a process that is as busy as an attacker, without contact to the daemon. */
const BUSY = {
  name: "busy",
  what: "no attack, a busy process",
  isControl: true,
  prepare: async () => async () => {
    for (const end = performance.now() + TURN_MS; performance.now() < end; );
    await new Promise((resolve) => setImmediate(resolve));
  },
};

const khmer = TEXTS.find(({ name }) => name === "khmer");
const burmese = TEXTS.find(({ name }) => name === "burmese");

export const ATTACKS = [
  BUSY,
  { name: "header-line", what: "a header line of 4,000 spaces", prepare: headerLine(4000), mayBeRefused: true },
  { name: "go-on", what: "20 chunks of `Go on. `", prepare: chunksOf("Go on. ", { chunks: 20 }) },
  { name: "stops", what: "20 chunks of `. `", prepare: chunksOf(". ", { chunks: 20 }) },
  {
    name: "slashes",
    what: "20 URIs of 16,000 slashes, subscribing",
    prepare: slashesAsked(20, 16_000),
    mayBeRefused: true,
  },
  { name: "many-stops", what: "a chunk of `. ` to 32 of different terms", prepare: chunkToMany(". ", { count: 32 }) },
  {
    name: "many-khmer",
    what: "a chunk of Khmer to 32 of different terms, by words",
    prepare: chunkToMany(khmer.unit, { count: 32, language: "km", boundaries: WORDS }),
  },
  {
    name: "many-burmese",
    what: "a chunk of Burmese to 32 of different terms, by words",
    prepare: chunkToMany(burmese.unit, { count: 32, language: "my", boundaries: WORDS }),
  },
  {
    name: "many-arabic",
    what: "a chunk of Arabic question marks to 32 of different terms",
    prepare: chunkToMany("؟ ", { count: 32, language: "ar" }),
  },
  {
    name: "questions",
    what: "256 open questions whose last capable subscriber leaves",
    prepare: questionsWithoutAudience(256),
  },
  {
    name: "vanishing",
    what: "an agent with 1,024 open sessions vanishes",
    prepare: vanishing(1024),
    options: ["--agent-grace-seconds", "0"],
  },
  {
    name: "held-calls",
    what: "16 A2E agents with 16 held calls each break off",
    prepare: heldCallsBreakOff(16, 16),
    options: [...HELD_OPTIONS, "--agent-grace-seconds", "0"],
  },
  ...TEXTS.map(({ name, what, unit, language, boundaries }) => ({
    name,
    what,
    prepare: chunksOf(unit, { language, capabilities: { coalesce_boundaries: boundaries } }),
  })),
  { name: "quotes", what: "8,000 nested quotes", prepare: nestedQuotes(8000, SENTENCES_AND_WORDS) },
  { name: "one-word", what: "1 MiB without a space", prepare: withoutSpace(64, SENTENCES_AND_WORDS) },
  {
    name: "many-terms",
    what: "ordinary chunks to 500 of different terms",
    prepare: ordinaryToMany(500),
    options: ["--max-concurrent-subscriptions", "1024"],
    // Each critical event goes to the 500 as well: one each 5 ms would be 100,000 deliveries a second, and hide the attack.
    everyMs: 50,
  },
  {
    name: "newcomers",
    what: "newcomers who subscribe and leave, beside 4,000 open sessions",
    prepare: newcomers(8, 4000),
  },
  ...[15_000, 480_000].map((count) => ({
    name: `json-${count}`,
    what: `a body of JSON with ${count.toLocaleString("en")} numbers, Connect`,
    prepare: jsonBodies(count),
    mayBeRefused: true,
    over: "http",
  })),
  ...[
    { name: "flat-rpc", what: "JSON-RPC", head: '"jsonrpc":"2.0","id":1,"method":"aaep.reply"' },
    { name: "flat-plain", what: "a plain connection", head: '"type":"subscription.request"' },
  ].map(({ name, what, head }) => ({
    name,
    what: `messages of 95,000 members, ${what}`,
    prepare: flatMembers(head, 95_000),
    mayBeRefused: true,
  })),
  ...[15_000, 50_000].map((count) => ({
    name: `struct-${count}`,
    what: `a Struct with ${count.toLocaleString("en")} numbers, gRPC`,
    prepare: structs(count),
    mayBeRefused: true,
    over: "grpc",
  })),
  { name: "listed", what: "240 open questions of 6 KB, listed again and again", prepare: listedQuestions(240) },
  {
    name: "absent",
    what: "Akashik units for 330 agents that are away, with 64 subscriptions each",
    prepare: absentAgents(330, 64),
    // The Field takes only so many units, and none is forgotten.
    mayBeRefused: true,
  },
];
