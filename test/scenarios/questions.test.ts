// How questions are put, answered and ended, as AAEP chapter 6 has it.
import {
  ACCEPTED,
  clarification,
  completed,
  confirmation,
  inExtension,
  invoked,
  progress,
  returned,
  started,
  state,
} from "./events.js";
import { tellOverLanes } from "./over-lanes.js";
import type { Part, Step } from "./scenario.js";

/** Never the connection of a subscriber, as a spawned daemon's parent is: no agent answers itself (R5). */
const BANKER = "banker";
const ASKED = { event_filters: { include: ["aaep:agent.awaiting.*"] } };
const BOTH = { ...ASKED, supports_confirmation_reply: true, supports_clarification_reply: true };

const listens = (who: string, capabilities: Part = BOTH): Step => ({
  do: "subscribe",
  who,
  request: { capabilities },
  answer: ACCEPTED,
});
const begins: Step = { do: "publish", agent: BANKER, events: [started()], save: { token: "resume_token" } };
const publishes = (...events: readonly Part[]): Step => ({ do: "publish", agent: BANKER, events });
const isRefused = (event: Part, error: Part): Step => ({ do: "is refused", agent: BANKER, events: [event], error });
const answers = (who: string, kind: "confirmation" | "clarification", message: Part): Step => ({
  do: "reply",
  who,
  message: { type: `${kind}.reply`, timestamp: "$asked", ...message },
});
const inVain = (step: Step): Step => ({ ...step, counts: false }) as Step;
const decides = (who: string, reply_token: string, decision: string, more: Part = {}): Step =>
  answers(who, "confirmation", { reply_token, decision, ...more });
const responds = (who: string, reply_token: string, response: unknown, more: Part = {}): Step =>
  answers(who, "clarification", { reply_token, response, ...more });
const outcome = (reply_token: string, answer: Part): Step => ({
  do: "call",
  agent: BANKER,
  method: "aaep.outcome_of",
  params: { reply_token, resume_token: "$token" },
  answer,
});
/** The questions that it can answer now. Whatever it sent before has been taken then. */
const open = (who: string, ...tokens: readonly string[]): Step => ({
  do: "list pending",
  who,
  questions: tokens.map((reply_token) => ({ reply_token })),
  ...(tokens.length === 0 ? {} : { save: { asked: "0.timestamp" } }),
});
const irreversible = invoked("delete", { irreversible: true });
/** Sooner than an agent without a connection is forgotten. */
const SOON: Part = { timeout_seconds: 30 };
const unconfirmed: Part = { code: "confirmation_required" };

tellOverLanes([
  {
    name: "AAEP §5.8.2, R7: a question stays open while another subscription can answer it, and then its default applies",
    steps: [
      listens("first"),
      listens("second"),
      begins,
      publishes(confirmation("rpl_1")),
      open("first", "rpl_1"),
      { do: "close", who: "first" },
      open("second", "rpl_1"),
      outcome("rpl_1", { state: "open" }),
      { do: "close", who: "second" },
      // Another connection may hear of the end before the daemon has read it from the first.
      listens("third"),
      outcome("rpl_1", { state: "resolved", decision: "reject", resolved_by: "subscription_ended" }),
    ],
  },
  {
    name: "AAEP §6.7, R6, R17: a subscription that comes while a question is open is put it behind the sum, and its answer counts",
    steps: [
      listens("first"),
      begins,
      publishes(confirmation("rpl_1")),
      open("first", "rpl_1"),
      listens("late"),
      { do: "hears", who: "late", events: [{ from_state: "idle", to_state: "idle" }, { reply_token: "rpl_1" }] },
      open("late", "rpl_1"),
      decides("late", "rpl_1", "accept", { decided_by: "user:late" }),
      open("late"),
      outcome("rpl_1", { state: "resolved", decision: "accept", resolved_by: "reply", decided_by: "user:late" }),
    ],
  },
  {
    name: "AAEP §6.8: an agent that goes back to thinking or deciding takes its questions back, and their tokens are dead",
    steps: [
      listens("reader"),
      begins,
      ...["thinking", "deciding"].flatMap((back) => [
        publishes(confirmation(`rpl_${back}`)),
        open("reader", `rpl_${back}`),
        publishes(state("awaiting_input", back, { summary_normal: "It is not needed any more." })),
        outcome(`rpl_${back}`, { state: "resolved", resolved_by: "cancelled", decision: undefined }),
        inVain(decides("reader", `rpl_${back}`, "accept")),
        open("reader"),
        isRefused(irreversible, unconfirmed),
      ]),
    ],
  },
  {
    name: "AAEP §6.8: the end of a session takes back all that is open in it",
    steps: [
      listens("reader"),
      begins,
      publishes(confirmation("rpl_1"), clarification("rpl_2")),
      open("reader", "rpl_1", "rpl_2"),
      publishes({
        type: "aaep:agent.session.cancelled",
        session_id: "sess_1",
        cancelled_by: "user",
        summary_normal: "Enough.",
      }),
      inVain(decides("reader", "rpl_1", "accept")),
      open("reader"),
      outcome("rpl_1", { state: "resolved", resolved_by: "cancelled", decision: undefined }),
      outcome("rpl_2", { state: "resolved", resolved_by: "cancelled", response: undefined }),
    ],
  },
  {
    name: "AAEP §6.2: a token has its form, and is used once, also when its question is over",
    steps: [
      listens("reader"),
      begins,
      ...["rpl_", "rpl_a-b", `rpl_${"a".repeat(65)}`, "tok_1"].map((token) =>
        isRefused(confirmation(token), { code: "invalid_event", pointer: "/reply_token" }),
      ),
      publishes(confirmation(`rpl_${"a".repeat(64)}`)),
      open("reader", `rpl_${"a".repeat(64)}`),
      decides("reader", `rpl_${"a".repeat(64)}`, "reject"),
      open("reader"),
      isRefused(confirmation(`rpl_${"a".repeat(64)}`, { action: "Send it." }), { code: "reply_token_reused" }),
    ],
  },
  {
    name: "AAEP §6.1: what is open is not asked again, other work goes on meanwhile, and questions are answered in any order",
    steps: [
      listens("reader"),
      begins,
      publishes(confirmation("rpl_1"), clarification("rpl_2")),
      open("reader", "rpl_1", "rpl_2"),
      isRefused(confirmation("rpl_3"), { code: "already_asked" }),
      publishes(progress(5), invoked("look"), returned("look")),
      responds("reader", "rpl_2", "In May."),
      open("reader", "rpl_1"),
      outcome("rpl_2", { state: "resolved", response: "In May." }),
      decides("reader", "rpl_1", "reject"),
      open("reader"),
      outcome("rpl_1", { state: "resolved", decision: "reject" }),
      publishes(confirmation("rpl_3")),
      open("reader", "rpl_3"),
    ],
  },
  {
    name: "AAEP §5.3.1.4, AAEP §5.3.1.5: each kind of question asks for its own capability, else its default applies at once",
    steps: [
      listens("decides", { ...ASKED, supports_confirmation_reply: true }),
      begins,
      publishes(confirmation("rpl_1"), clarification("rpl_2", { default_response: "this one" })),
      outcome("rpl_2", { state: "resolved", response: "this one", resolved_by: "no_subscriber" }),
      open("decides", "rpl_1"),
      { do: "close", who: "decides" },
      listens("tells", { ...ASKED, supports_clarification_reply: true }),
      publishes(confirmation("rpl_3", { action: "Send it." }), clarification("rpl_4", { question: "Where?" })),
      outcome("rpl_3", { state: "resolved", decision: "reject", resolved_by: "no_subscriber" }),
      open("tells", "rpl_4"),
    ],
  },
  {
    name: "AAEP §6.3.2: a changed action is a rejection where the agent has not said that it can do it, and else reaches it",
    steps: [
      listens("reader"),
      begins,
      publishes(confirmation("rpl_1")),
      open("reader", "rpl_1"),
      decides("reader", "rpl_1", "accept", { modified_action: { amount: 300 } }),
      open("reader"),
      outcome("rpl_1", { state: "resolved", decision: "reject", resolved_by: "reply" }),
      isRefused(irreversible, unconfirmed),
      publishes(confirmation("rpl_2", inExtension({ accepts_modified_action: true }))),
      open("reader", "rpl_2"),
      decides("reader", "rpl_2", "accept", { modified_action: { amount: 300 } }),
      open("reader"),
      outcome("rpl_2", { state: "resolved", decision: "accept", modified_action: { amount: 300 } }),
    ],
  },
  {
    name: "AAEP §6.4: when the time is over the default applies, a later reply does not count, and no default is consent",
    steps: [
      listens("reader"),
      begins,
      publishes(
        confirmation("rpl_1", { ...SOON, action: "Show it.", default_decision: "accept", risk_level: "low" }),
        clarification("rpl_2", SOON),
      ),
      open("reader", "rpl_1", "rpl_2"),
      { do: "advance", ms: 29_999 },
      open("reader", "rpl_1", "rpl_2"),
      { do: "advance", ms: 1 },
      open("reader"),
      outcome("rpl_1", { state: "resolved", decision: "accept", resolved_by: "timeout" }),
      outcome("rpl_2", { state: "resolved", response: undefined, resolved_by: "timeout" }),
      inVain(decides("reader", "rpl_1", "reject")),
      open("reader"),
      outcome("rpl_1", { state: "resolved", decision: "accept", resolved_by: "timeout" }),
      isRefused(irreversible, unconfirmed),
      publishes(invoked("show"), returned("show"), completed()),
    ],
  },
]);
