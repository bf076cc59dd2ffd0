// Level 1: a subscriber receives events, announces them, and bears what it does not know.
import { fail, skip } from "../findings/verdicts.js";
import type { Message } from "../wire/conversation.js";
import { isAnnounced, needsAnnouncements } from "./announcing.js";
import type { Script } from "./script.js";
import { begin, type Present, QUIET_MS, type SubscriberStage, staysThere } from "./stage.js";
import type { SubscriberCase } from "./subscriber-case.js";
import { hearsAnnouncements } from "./tested-subscriber.js";

function hearing(
  about: Pick<SubscriberCase, "id" | "title" | "paragraphs"> &
    Partial<Pick<SubscriberCase, "level" | "severity" | "claimNeeds">>,
  run: SubscriberCase["run"],
): SubscriberCase {
  return { level: 1, severity: "error", ...about, run };
}

/** A message that a subscriber must bear. */
function bears(
  about: Pick<SubscriberCase, "id" | "title" | "paragraphs">,
  strange: (present: Present) => Message,
): SubscriberCase {
  return hearing(about, async (stage) => {
    const present = await stage.accept();
    begin(present);
    const message = strange(present);
    present.conversation.say(message);
    await staysThere(stage, present, about.title, message);
    if (!hearsAnnouncements(stage.hooks)) return;
    present.conversation.say(
      present.script.event("tool.invoked", { tool: "count", summary_normal: "Counts to seventeen." }),
    );
    if (!(await present.subscriber.announces(["seventeen"], stage.patienceMs)))
      fail("The events after it are announced.", "The next event was not.", [
        { note: "sent", text: JSON.stringify(message) },
      ]);
  });
}

function needsText({ hooks }: SubscriberStage): void {
  if (hooks.announcements === undefined || hooks.ask !== undefined)
    skip("The case compares the texts of announcements. Give --announcements.");
}

const ENDS: readonly (readonly [kind: string, members: Message])[] = [
  ["session.completed", { summary_normal: "Quartz." }],
  ["session.errored", { summary_normal: "Quartz.", urgency: "critical", error_category: "permanent" }],
  ["session.cancelled", { summary_normal: "Quartz.", cancelled_by: "user" }],
];

/** The context of AAEP, and that of a vocabulary that no subscriber knows. */
const WITH_MEDAI = ["https://aaep-protocol.org/context/v1", "https://example.org/medai/context/v1"];

function thinks(script: Script, members: Message = {}): Message {
  return script.event("state.changed", {
    from_state: "idle",
    to_state: "thinking",
    summary_normal: "Thinks.",
    ...members,
  });
}

/** Events at once, which is more than any rate that a subscriber asks for. */
const BURST = 100;

export const HEARING_CASES: readonly SubscriberCase[] = [
  hearing(
    {
      id: "S1-announces",
      title: "The subscriber announces the beginning and the end of a session, and the call of a tool.",
      paragraphs: ["AAEP §9.3.2"],
      claimNeeds: "Let the suite see what the subscriber announces, with --announcements or --ask.",
    },
    async (stage) => {
      needsAnnouncements(stage);
      const present = await stage.accept();
      const { script } = present;
      await isAnnounced(stage, present, script.event("session.started", { summary_normal: "Marble." }), ["marble"]);
      await isAnnounced(stage, present, script.event("tool.invoked", { tool: "polish", summary_normal: "Granite." }), [
        "granite",
      ]);
      await isAnnounced(stage, present, script.event("session.completed", { summary_normal: "Quartz." }), ["quartz"]);
    },
  ),
  hearing(
    {
      id: "S1-ends-differ",
      title: "The subscriber tells a session that is completed from one that failed and from one that was cancelled.",
      paragraphs: ["AAEP §9.3.2"],
    },
    async (stage) => {
      needsText(stage);
      const lines: string[] = [];
      for (const [kind, members] of ENDS) {
        const present = await stage.accept();
        begin(present);
        await isAnnounced(stage, present, present.script.event(kind, members), ["quartz"]);
        const line =
          present.subscriber
            .announced()
            .split("\n")
            .find((one) => /quartz/i.test(one)) ?? "";
        lines.push(line.replace(/\b(?:sess|evt)_\w+|\d/g, ""));
        await stage.clear();
      }
      if (new Set(lines).size < ENDS.length)
        fail("The three ends are announced in different words.", "Two are announced alike.", [
          { note: "announced", text: lines.join("\n") },
        ]);
    },
  ),
  bears(
    {
      id: "S1-unknown-type",
      title: "The subscriber bears an event of an unknown type.",
      paragraphs: ["AAEP §9.3.2", "AAEP §3.2.2"],
    },
    ({ script }) =>
      script.event("medai:patient.consulted", {
        "@context": WITH_MEDAI,
        summary_normal: "A patient was consulted.",
      }),
  ),
  bears(
    {
      id: "S1-unknown-extension",
      title: "The subscriber bears an extension that it does not know.",
      paragraphs: ["AAEP §9.3.2", "AAEP §5.3.1.9"],
    },
    ({ script }) =>
      thinks(script, {
        "@context": WITH_MEDAI,
        extensions: { medai: { deep: [{ nested: true }] } },
      }),
  ),
  bears(
    {
      id: "S1-unknown-state",
      title: "The subscriber bears a state that it does not know.",
      paragraphs: ["AAEP §4.2.1"],
    },
    ({ script }) =>
      script.event("state.changed", { from_state: "idle", to_state: "dreaming", summary_normal: "Dreams." }),
  ),
  bears(
    {
      id: "S1-unknown-field",
      title: "The subscriber bears an optional field that it does not know.",
      paragraphs: ["AAEP §12.6.1"],
    },
    ({ script }) => thinks(script, { summary_haiku: "…" }),
  ),
  bears(
    {
      id: "S1-decomposed-text",
      title: "The subscriber bears text that is not composed.",
      paragraphs: ["AAEP §11.3.2"],
    },
    ({ script }) =>
      thinks(script, {
        summary_normal: "Mo n\u0301 s\u0323i\u0300ro\u0300.",
      }),
  ),
  bears(
    {
      id: "S1-large-event",
      title: "The subscriber bears an event of more than 64 KiB.",
      paragraphs: ["AAEP §3.7", "AAEP §8.3"],
    },
    ({ script }) =>
      thinks(script, {
        "@context": WITH_MEDAI,
        extensions: { medai: { images: Array.from({ length: 5 }, () => "x".repeat(15_000)) } },
      }),
  ),
  bears(
    {
      id: "S1-member-order",
      title: "The subscriber bears an event whose members stand in another order.",
      paragraphs: ["AAEP §3.6"],
    },
    ({ script }) => Object.fromEntries(Object.entries(thinks(script)).reverse()),
  ),
  hearing(
    {
      id: "S1-white-space",
      title: "The subscriber reads JSON with white space.",
      paragraphs: ["AAEP §3.8"],
    },
    async (stage) => {
      const present = await stage.accept();
      begin(present);
      const event = present.script.event("tool.invoked", { tool: "count", summary_normal: "Counts to seventeen." });
      // Without line feeds: on some transports a line is a message.
      present.conversation.sayText(JSON.stringify(event, null, 2).replaceAll("\n", " "));
      if (!hearsAnnouncements(stage.hooks))
        return staysThere(stage, present, "The subscriber reads JSON with white space.", event);
      if (!(await present.subscriber.announces(["seventeen"], stage.patienceMs)))
        fail("The event is announced.", "It was not.", [{ note: "sent", text: JSON.stringify(event, null, 2) }]);
    },
  ),
  hearing(
    {
      id: "S1-critical",
      title: "The subscriber announces a critical event.",
      paragraphs: ["AAEP §9.3.2", "AAEP §4.1.3"],
    },
    async (stage) => {
      needsAnnouncements(stage);
      const present = await stage.accept();
      begin(present);
      const members = { urgency: "critical", error_category: "permanent", summary_normal: "Obsidian." };
      await isAnnounced(stage, present, present.script.event("session.errored", members), ["obsidian"]);
    },
  ),
  hearing(
    {
      id: "S3-critical-in-burst",
      title: "The subscriber announces a critical event that comes behind many others.",
      paragraphs: ["AAEP §5.6.2", "AAEP §9.5.2"],
      level: 3,
    },
    async (stage) => {
      needsAnnouncements(stage);
      const present = await stage.accept();
      begin(present);
      const { conversation, script } = present;
      for (let percent = 0; percent < BURST; percent += 1)
        conversation.say(
          script.event("progress.updated", { progress: { percent }, urgency: "background", summary_normal: "Sorts." }),
        );
      const members = { urgency: "critical", error_category: "permanent", summary_normal: "Obsidian." };
      await isAnnounced(stage, present, script.event("session.errored", members), ["obsidian"]);
    },
  ),
  hearing(
    {
      id: "S3-deduplicates",
      title: "The subscriber announces an event once that comes twice with the same event_id.",
      paragraphs: ["AAEP §8.2.4", "AAEP §9.5.2"],
      level: 3,
    },
    async (stage) => {
      needsText(stage);
      const present = await stage.accept();
      begin(present);
      const event = present.script.event("tool.invoked", { tool: "polish", summary_normal: "Basalt." });
      await isAnnounced(stage, present, event, ["basalt"]);
      present.conversation.say(event);
      await stage.wait(QUIET_MS);
      if (present.subscriber.countOf(["basalt"]) > 1)
        fail("The event is announced once.", "It was announced twice.", [
          { note: "sent twice", text: JSON.stringify(event) },
        ]);
    },
  ),
];
