// The set "aaepd": rules of aaepd that no chapter asks for.
import { fail, skip } from "../findings/finding.js";
import { evidenceOf, type Message, noted } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { ANSWERS, ask, confirmationReply, isIrreversibleCall, isRejected, staysOpen } from "./asked-question.js";
import { type ActiveCase, active } from "./producer-case.js";
import { eventsOf, eventsToEnd, heardBy, sessionEnd, shownToEnd } from "./session-on.js";
import { isCritical, isType, QUIET_MS } from "./stage.js";

/** Members of a reply, and how they stand there twice. */
const TWICE = [
  ['"decision":"accept"', '"decision":"reject","decision":"accept"'],
  ['"decision":"accept"', '"decisio\\u006e":"reject","decision":"accept"'],
  ['"reply_token":', '"reply_token":"rpl_1","reply_token":'],
  ['"type":', '"extensions":{"a":1,"a":2},"type":'],
] as const;

export const AAEPD_CASES: readonly ActiveCase[] = [
  active("A-duplicate-member", "A reply in which a member stands twice does not count.", ["R19"], async (stage) => {
    if (stage.links.isShared) skip("The transport carries no text of the suite's own.");
    const asked = await ask(stage);
    const reply = confirmationReply(asked.listener, asked.question, "accept");
    const text = JSON.stringify(reply);
    for (const [member, twice] of TWICE) asked.listener.conversation.sayText(text.replace(member, twice));
    const expected = "A reply that can be read in two ways does not count.";
    await staysOpen(asked, expected, []);
    await isRejected(asked, expected, [reply]);
  }),
  active(
    "A-irreversible-unasked",
    "An irreversible tool call that nobody has accepted does not go out.",
    ["R5"],
    async (stage) => {
      const [heard] = await heardBy(stage, "irreversible-unasked", [ANSWERS]);
      const call = heard?.events.find(({ message }) => isIrreversibleCall(message));
      if (call !== undefined) fail("The call is refused.", "It went out.", [evidenceOf(call)]);
    },
  ),
  active(
    "A-resume",
    "A subscription that resumes at its cursor gets what came meanwhile, and nothing twice.",
    ["R17"],
    async (stage) => {
      const first = await stage.subscribe({ aaepd: { checkpoints: true } });
      // A newcomer to whom sums of open sessions are owed gets its first cursor behind them.
      const given = ({ aaepd }: Message) => ((aaepd ?? {}) as Message).cursor;
      const checkpoint =
        given(first.honored) === undefined
          ? await first.conversation.seek(({ type }) => type === "aaepd.checkpoint")
          : undefined;
      const cursor = given(first.honored) ?? checkpoint?.message.cursor;
      if (typeof cursor !== "string") fail("subscription.accepted or a checkpoint has a cursor.", "None came.");
      await first.conversation.close();
      const witness = await stage.subscribe();
      const { sessionId, done } = await stage.show("session", witness);
      await done;
      await sessionEnd(witness, sessionId);
      const back = await stage.subscribe({}, { extensions: { aaepd: { resume_after: cursor } } });
      await sessionEnd(back, sessionId);
      const [heard, missed] = [witness, back].map((one) =>
        eventsToEnd(one, sessionId).map(({ message }) => message.event_id),
      );
      const [again] = back.conversation.repeats;
      if (again !== undefined) fail("Nothing comes twice.", "An event came twice.", [evidenceOf(again)]);
      if (heard?.join() !== missed?.join())
        fail("The resumed subscription gets the same events.", "It gets others.", [
          noted("witness", heard?.join("\n") ?? ""),
          noted("resumed", missed?.join("\n") ?? ""),
        ]);
    },
  ),
  active("A-paused", "A paused subscription gets critical events alone.", ["R26"], async (stage) => {
    const paused = await stage.subscribe({ aaepd: { paused: true } });
    const witness = await stage.subscribe();
    const sessionId = await shownToEnd(stage, "error", witness);
    if ((await sessionEnd(paused, sessionId)) === undefined)
      fail("The critical event comes.", "It does not come.", [evidenceOf(eventsOf(witness, sessionId).at(-1))]);
    await stage.wait(QUIET_MS);
    const wrong = eventsOf(paused, sessionId).find(({ message }) => !isCritical(message));
    if (wrong !== undefined) fail("Only critical events come.", "Another came.", [evidenceOf(wrong)]);
  }),
  active("A-max-chars", "No text is longer than max_chars.", ["R26"], async (stage) => {
    const terms = { coalesce_boundaries: ["completion"], aaepd: { max_chars: 80 } };
    const [heard] = await heardBy(stage, "text", [terms]);
    const chunks = heard?.events.filter(({ message }) => isType(message, "output.streaming")) ?? [];
    if (chunks.length === 0) skip("No text came.");
    const long = chunks.find(({ message }) => [...wordsOf(message.chunk)].length > 80);
    if (long !== undefined) fail("Every chunk has at most 80 characters.", "One has more.", [evidenceOf(long)]);
  }),
];
