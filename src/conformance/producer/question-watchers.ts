// Chapter 6: the members of questions, and the calls that need one.
import { fail } from "../findings/verdicts.js";
import { isTerminal } from "./hearing.js";
import type { WatchingCase } from "./producer-case.js";
import { isType } from "./stage.js";
import { eachEvent, eachSession } from "./watching.js";

export const QUESTION_WATCHERS: readonly WatchingCase[] = [
  eachEvent(
    {
      id: "P2-token-form",
      title: "reply_token is rpl_ with 1 to 64 letters and digits.",
      paragraphs: ["AAEP §6.2"],
      level: 2,
      unseen: "No question came.",
    },
    (event) => {
      if (!isType(event, "awaiting.confirmation", "awaiting.clarification")) return "not judged";
      return /^rpl_[A-Za-z0-9]{1,64}$/.test(String(event.reply_token)) ? undefined : "A reply_token has another form.";
    },
  ),
  {
    kind: "watching",
    id: "P2-token-unique",
    title: "No two questions have the same reply_token.",
    paragraphs: ["AAEP §6.2"],
    level: 2,
    severity: "error",
    unseen: "No two questions came.",
    judge: ({ conversations }) => {
      const asked = new Map<unknown, { readonly text: string; readonly eventId: unknown }>();
      for (const { record } of conversations)
        for (const { way, text, message } of record) {
          if (
            way !== "received" ||
            message === undefined ||
            !isType(message, "awaiting.confirmation", "awaiting.clarification")
          )
            continue;
          const known = asked.get(message.reply_token);
          if (known !== undefined && known.eventId !== message.event_id)
            fail("No two questions have the same reply_token.", "Two questions have the same reply_token.", [
              { note: "received", text: known.text },
              { note: "received", text },
            ]);
          asked.set(message.reply_token, { text, eventId: message.event_id });
        }
      return Math.max(0, asked.size - 1);
    },
  },
  eachSession(
    {
      id: "P2-asked-once",
      title: "While a confirmation is open the same action is not asked for again.",
      paragraphs: ["AAEP §6.1"],
      level: 2,
      unseen: "No confirmation was asked for.",
    },
    ({ events }) => {
      const open = new Map<unknown, number>();
      let asked = 0;
      for (const [place, { event }] of events.entries()) {
        if (isType(event, "state.changed") || isTerminal(event)) open.clear();
        if (!isType(event, "awaiting.confirmation")) continue;
        asked += 1;
        const known = open.get(event.action);
        if (known !== undefined) return { seen: "An action was asked for twice at a time.", places: [known, place] };
        open.set(event.action, place);
      }
      return asked === 0 ? "not judged" : undefined;
    },
  ),
  eachEvent(
    {
      id: "P2-default-reject",
      title: "The default of an irreversible action of high or medium risk is reject.",
      paragraphs: ["AAEP §6.4.1", "AAEP §4.4.1"],
      level: 2,
      unseen: "No confirmation of an irreversible action of high or medium risk was asked for.",
    },
    (event) => {
      const isIrreversible = event.irreversible === true || event.reversibility === "irreversible";
      const isRisky = event.risk_level === "high" || event.risk_level === "medium";
      if (!isType(event, "awaiting.confirmation") || !isIrreversible || !isRisky) return "not judged";
      return event.default_decision === "reject" ? undefined : `The default is ${String(event.default_decision)}.`;
    },
  ),
  eachSession(
    {
      id: "P2-irreversible-asked",
      title: "Every irreversible tool.invoked follows a question of its session.",
      paragraphs: ["AAEP §4.3.1", "AAEP §9.4.1"],
      level: 2,
      unseen: "No irreversible tool was invoked before a subscriber that answers.",
    },
    ({ events, isFromBeginning, isFiltered }) => {
      let questions = 0;
      let judged = 0;
      for (const [place, { event }] of events.entries()) {
        if (isType(event, "awaiting.confirmation")) questions += 1;
        if (!isType(event, "tool.invoked") || event.irreversible !== true || !isFromBeginning || isFiltered) continue;
        // A subscription that cannot answer is not asked, and hears a state.changed instead.
        const wasTold = events.slice(0, place).some(({ event: before }) => before.to_state === "awaiting_input");
        judged += 1;
        if (questions === 0 && !wasTold)
          return { seen: "An irreversible tool was invoked, and nobody was asked.", places: [place] };
        questions -= 1;
      }
      return judged === 0 ? "not judged" : undefined;
    },
  ),
];
