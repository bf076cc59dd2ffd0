// Chapter 6: questions that are answered by more than yes or no.
import { fail, skip } from "../findings/finding.js";
import { type Message, noted } from "../wire/conversation.js";
import { instantText, PLAIN_INSTANT } from "../wire/instant-forms.js";
import {
  ANSWERS,
  type Asked,
  ask,
  clarificationReply,
  confirmationReply,
  deadlineOf,
  questionIn,
  resolutionOf,
  staysOpen,
} from "./asked-question.js";
import { type ActiveCase, active } from "./producer-case.js";
import { shownIfPossible } from "./session-on.js";

/** An answer of each kind, and values that are none (AAEP §6.5.2). */
const ANSWERS_BY_KIND = {
  freetext: { right: "2024 – 二〇二四", wrong: [7, true, null, ["2024"], { text: "2024" }] },
  numeric: { right: 7, wrong: ["7", true, null, [7]] },
  yes_no: { right: true, wrong: ["true", "yes", 1, null] },
} as const;

type Kind = keyof typeof ANSWERS_BY_KIND;

/** Replies that fail another check than that of the value (AAEP §6.5.5, §6.3.4). */
function formless({ listener, question }: Asked, response: unknown): readonly Message[] {
  const { timestamp: _, ...undated } = clarificationReply(listener, question, response);
  return [
    undated,
    clarificationReply(listener, question, response, { reply_token: "rpl_0000unknown0000" }),
    clarificationReply(listener, question, response, {
      timestamp: instantText(deadlineOf(question) + 60_000, PLAIN_INSTANT),
    }),
    confirmationReply(listener, question, "accept"),
  ];
}

/** Fails unless the question bears the wrong values, and goes on after the right one. Returns the place behind its end. */
async function goesOnAfter(
  asked: Asked,
  { right, wrong }: { readonly right: unknown; readonly wrong: readonly unknown[] },
): Promise<number> {
  const { listener, question } = asked;
  const replies = [...wrong.map((value) => clarificationReply(listener, question, value)), ...formless(asked, right)];
  await staysOpen(asked, "A reply that is not valid counts as none.", replies);
  const reply = clarificationReply(listener, question, right);
  listener.conversation.say(reply);
  const resolved = await resolutionOf(asked);
  return resolved === undefined
    ? fail("After a valid response an event shows that the producer goes on.", "None came.", [noted("sent", reply)])
    : resolved.place + 1;
}

function onlyKindOf({ accepted_response_kinds: kinds }: Message): Kind | undefined {
  const [kind] = Array.isArray(kinds) && kinds.length === 1 ? (kinds as readonly unknown[]) : [];
  return typeof kind === "string" && Object.hasOwn(ANSWERS_BY_KIND, kind) ? (kind as Kind) : undefined;
}

export const CLARIFICATION_CASES: readonly ActiveCase[] = [
  active(
    "P2-clarification",
    "A clarification goes on after a reply of an accepted kind, and not after one that is not valid.",
    ["AAEP §6.5", "AAEP §6.3.4", "AAEP §9.4.1"],
    async (stage) => {
      const free = await ask(stage, "clarification", "clarification");
      if (onlyKindOf(free.question) !== "freetext") skip("The clarification accepts other kinds than freetext.");
      await goesOnAfter(free, ANSWERS_BY_KIND.freetext);
      // A producer need not ask for numbers.
      const listener = await stage.subscribe(ANSWERS);
      const shown = await shownIfPossible(stage, "number-and-yes-no", listener);
      if (shown === undefined) return;
      let after = 0;
      for (const kind of ["numeric", "yes_no"] as const) {
        const { sessionId } = shown;
        const next = await questionIn({ stage, listener, sessionId, after }, "clarification");
        if (onlyKindOf(next.question) !== kind) skip(`The clarification accepts other kinds than ${kind}.`);
        after = await goesOnAfter(next, ANSWERS_BY_KIND[kind]);
      }
    },
  ),
  active(
    "P2-choice",
    "A clarification by choices goes on after one of its values, and not after another.",
    ["AAEP §6.5", "AAEP §9.4.1"],
    async (stage) => {
      const choosing = await ask(stage, "choice", "clarification");
      const { choices, accepted_response_kinds: kinds } = choosing.question;
      const offered = (Array.isArray(choices) ? choices : []).map((choice) => (choice ?? {}) as Message);
      const [{ value: right, label } = {} as Message] = offered;
      if (typeof right !== "string") skip("The clarification has no choices.");
      const takes = (kind: Kind): boolean => Array.isArray(kinds) && kinds.includes(kind);
      const texts = ["a value that is no choice", `${right} `, right.toUpperCase(), label];
      const wrong = [
        ...(takes("freetext") ? [] : texts.filter((text) => !offered.some(({ value }) => value === text))),
        ...(takes("numeric") ? [] : [0]),
        [right],
        null,
      ];
      await goesOnAfter(choosing, { right, wrong });
    },
  ),
];
