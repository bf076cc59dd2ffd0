// Level 1: a subscriber receives events, announces them, and bears what it does not know.
import { setTimeout as wait } from "node:timers/promises";
import { fail, skip } from "../findings/finding.js";
import { type Message, noted } from "../wire/conversation.js";
import { type InstantForm, instantText, PLAIN_INSTANT } from "../wire/instant-forms.js";
import { wordsOf } from "../wire/message-text.js";
import type { Script } from "./script.js";
import {
  begin,
  type Present,
  QUIET_MS,
  type SubscriberCase,
  type SubscriberStage,
  staysThere,
  subscriberCase,
} from "./stage.js";
import { hearsAnnouncements } from "./tested-subscriber.js";
import {
  CLARIFICATION_WORDS,
  goesOnAnnouncing,
  isAnnounced,
  needsAnnouncements,
  QUESTION_WORDS,
} from "./user-answer.js";

/** A call whose announcement has the word "seventeen". */
const COUNTS = { tool: "count", summary_normal: "Counts to seventeen." };

/** Messages that a subscriber must bear, and members that an event may have that is announced all the same. */
function bears(
  id: string,
  title: string,
  paragraphs: readonly string[],
  strange: (present: Present) => readonly Message[],
  members: Message = {},
): SubscriberCase {
  return subscriberCase(id, title, paragraphs, async (stage) => {
    const present = await stage.accept();
    begin(present);
    const messages = strange(present);
    for (const message of messages) present.conversation.say(message);
    await staysThere(present, title, ...messages);
    const last = present.script.event("tool.invoked", { ...COUNTS, ...members });
    if (hearsAnnouncements(stage.hooks)) present.conversation.say(last);
    await goesOnAnnouncing(stage, present, [...messages, last]);
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

/** Words that a session is announced by, and the form of its events. */
const FORMS: readonly (readonly [started: string, invoked: string, completed: string, form: InstantForm])[] = [
  ["marble", "granite", "quartz", PLAIN_INSTANT],
  ["slate", "basalt", "opal", { digits: 0, zone: "+00:00" }],
  ["topaz", "beryl", "agate", { digits: 6, zone: "-11:00" }],
];

/** Words of languages in other scripts. */
const SCRIPTS = [
  ["ar", "الصور"],
  ["ja", "写真"],
  ["th", "รูปภาพ"],
  ["hi", "तस्वीरें"],
] as const;

/** The same event, with its type as an address and its context in a list, unless the form is the plainest (AAEP §3.2.1, §3.2.2). */
function inForm(event: Message, form: InstantForm): Message {
  if (form === PLAIN_INSTANT) return event;
  return {
    ...event,
    "@context": [event["@context"]],
    type: wordsOf(event.type).replace(/^aaep:/, "https://aaep-protocol.org/types/"),
    timestamp: instantText(Date.parse(wordsOf(event.timestamp)), form),
  };
}

/** Critical events of each type, and one of a type that seldom is, each with words of its announcement. */
function criticalEvents({
  event,
  question,
  clarification,
}: Script): readonly (readonly [Message, readonly string[]])[] {
  const critical = (type: string, word: string, members: Message): readonly [Message, readonly string[]] => [
    event(type, { urgency: "critical", summary_normal: `${word}.`, ...members }),
    [word],
  ];
  return [
    critical("progress.updated", "jasper", { progress: { percent: 17 } }),
    critical("handoff.requested", "feldspar", { reason: "The question is about taxes.", target_kind: "human" }),
    [question(), QUESTION_WORDS],
    [clarification(), CLARIFICATION_WORDS],
    critical("session.errored", "obsidian", { error_category: "permanent" }),
  ];
}

/** Events at once, which is more than any rate that a subscriber asks for. */
const BURST = 100;

export const HEARING_CASES: readonly SubscriberCase[] = [
  {
    claimNeeds: "Let the suite see what the subscriber announces, with --announcements or --ask.",
    ...subscriberCase(
      "S1-announces",
      "The subscriber announces the beginning and the end of a session, and the call of a tool, in every form of a type and a timestamp, and in every script.",
      ["AAEP §9.3.2", "AAEP §3.2.1", "AAEP §3.2.2", "AAEP §3.2.5", "AAEP §11.3"],
      async (stage) => {
        needsAnnouncements(stage);
        const present = await stage.accept();
        const { script } = present;
        // A person is asked once for each kind, and not in scripts that they may not read.
        const isAsked = stage.hooks.ask !== undefined;
        for (const [started, invoked, completed, form] of isAsked ? FORMS.slice(0, 1) : FORMS) {
          const { event } = stage.script();
          const said = (type: string, word: string, members: Message = {}): Promise<void> =>
            isAnnounced(stage, present, inForm(event(type, { summary_normal: `${word}.`, ...members }), form), [word]);
          await said("session.started", started);
          await said("tool.invoked", invoked, { tool: "polish" });
          await said("session.completed", completed);
        }
        for (const [primary_language, word] of isAsked ? [] : SCRIPTS) {
          const members = { tool: "polish", summary_normal: `${word} 17`, localization_hints: { primary_language } };
          await isAnnounced(stage, present, script.event("tool.invoked", members), [word]);
        }
      },
    ),
  },
  subscriberCase(
    "S1-ends-differ",
    "The subscriber tells a session that is completed from one that failed and from one that was cancelled.",
    ["AAEP §9.3.2"],
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
          noted("announced", lines.join("\n")),
        ]);
    },
  ),
  bears(
    "S1-unknown-type",
    "The subscriber bears an event of an unknown type.",
    ["AAEP §9.3.2", "AAEP §3.2.2"],
    ({ script }) =>
      ["medai:patient.consulted", "https://example.org/medai/types/patient.consulted", "aaep:agent.dream.begun"].map(
        (type) => script.event(type, { "@context": WITH_MEDAI, summary_normal: "A patient was consulted." }),
      ),
  ),
  bears(
    "S1-unknown-extension",
    "The subscriber bears an extension that it does not know.",
    ["AAEP §9.3.2", "AAEP §5.3.1.9"],
    ({ script }) =>
      [{ medai: { deep: [{ nested: true }] } }, { medai: { none: null }, haptic: {} }, {}].map((extensions) =>
        thinks(script, { "@context": WITH_MEDAI, extensions }),
      ),
    { "@context": WITH_MEDAI, extensions: { medai: { deep: [{ nested: true }] } } },
  ),
  bears("S1-unknown-state", "The subscriber bears a state that it does not know.", ["AAEP §4.2.1"], ({ script }) => [
    script.event("state.changed", { from_state: "idle", to_state: "dreaming", summary_normal: "Dreams." }),
    script.event("state.changed", { from_state: "dreaming", to_state: "思考中", summary_normal: "Wakes." }),
  ]),
  bears(
    "S1-unknown-field",
    "The subscriber bears an optional field, and the value of one, that it does not know.",
    ["AAEP §12.6.1"],
    ({ script }) =>
      [{ summary_haiku: "…" }, { urgency: "whenever" }, { verbosity: "chatty" }].map((members) =>
        thinks(script, members),
      ),
    { summary_haiku: "…", verbosity: "chatty" },
  ),
  bears(
    "S1-decomposed-text",
    "The subscriber bears text that is not composed, that changes its direction, or that joins characters.",
    ["AAEP §11.3.2"],
    ({ script }) =>
      [
        "Mo n\u0301 s\u0323i\u0300ro\u0300.",
        "\u2067الصور\u2069 IMG_1.jpg",
        "👩\u200d👩\u200d👧 🏳\ufe0f",
        "\u0301",
        "",
      ].map((summary_normal) => thinks(script, { summary_normal })),
  ),
  bears(
    "S1-large-event",
    "The subscriber bears an event of more than 64 KiB.",
    ["AAEP §3.7", "AAEP §8.3"],
    ({ script }) => [
      thinks(script, {
        "@context": WITH_MEDAI,
        extensions: { medai: { images: Array.from({ length: 5 }, () => "x".repeat(15_000)) } },
      }),
    ],
  ),
  bears(
    "S1-member-order",
    "The subscriber bears an event whose members stand in another order.",
    ["AAEP §3.6"],
    ({ script }) => [Object.fromEntries(Object.entries(thinks(script)).reverse())],
  ),
  subscriberCase("S1-white-space", "The subscriber reads JSON with white space.", ["AAEP §3.8"], async (stage) => {
    const present = await stage.accept();
    begin(present);
    const event = present.script.event("tool.invoked", COUNTS);
    // Without line feeds: on some transports a line is a message.
    present.conversation.sayText(JSON.stringify(event, null, 2).replaceAll("\n", " "));
    if (hearsAnnouncements(stage.hooks)) await goesOnAnnouncing(stage, present, [event]);
    else await staysThere(present, "The subscriber reads JSON with white space.", event);
  }),
  subscriberCase(
    "S1-critical",
    "The subscriber announces a critical event, of whichever type.",
    ["AAEP §9.3.2", "AAEP §4.1.3"],
    async (stage) => {
      needsAnnouncements(stage);
      const present = await stage.accept();
      begin(present);
      for (const [event, words] of criticalEvents(present.script)) {
        await isAnnounced(stage, present, event, words);
        // A subscriber may put one question after the other to its user.
        if ("reply_token" in event) present.conversation.say(present.script.goesOn());
      }
    },
  ),
  subscriberCase(
    "S3-critical-in-burst",
    "The subscriber announces critical events of each type that come behind many others.",
    ["AAEP §5.6.2", "AAEP §9.5.2"],
    async (stage) => {
      needsAnnouncements(stage);
      const present = await stage.accept();
      begin(present);
      const { conversation, script } = present;
      for (let percent = 0; percent < BURST; percent += 1)
        conversation.say(
          script.event("progress.updated", { progress: { percent }, urgency: "background", summary_normal: "Sorts." }),
        );
      // Of two questions one may have to wait for the other's end.
      const events = criticalEvents(script).filter(([event]) => event.question === undefined);
      for (const [event] of events) conversation.say(event);
      for (const [event, words] of events)
        if (!(await present.subscriber.announces(words, stage.patienceMs)))
          fail(`${wordsOf(event.type)} is announced.`, "It was not.", [
            noted(`sent behind ${BURST} others`, event),
            noted("announced", present.subscriber.announced()),
          ]);
    },
  ),
  subscriberCase(
    "S3-deduplicates",
    "The subscriber announces an event once that comes twice with the same event_id.",
    ["AAEP §8.2.4", "AAEP §9.5.2"],
    async (stage) => {
      needsText(stage);
      const present = await stage.accept();
      begin(present);
      const events = [
        [present.script.event("tool.invoked", { tool: "polish", summary_normal: "Basalt." }), ["basalt"]],
        [present.script.question(), QUESTION_WORDS],
      ] as const;
      for (const [event, words] of events) await isAnnounced(stage, present, event, words);
      // A question may be announced in several lines.
      await wait(QUIET_MS);
      const before = events.map(([, words]) => present.subscriber.countOf(words));
      for (const [event] of events) present.conversation.say(event);
      await wait(QUIET_MS);
      for (const [index, [event, words]] of events.entries())
        if (present.subscriber.countOf(words) > (before[index] ?? 0))
          fail("The event is announced once.", "It was announced twice.", [noted("sent twice", event)]);
    },
  ),
  subscriberCase(
    "S3-sequence-gap",
    "The subscriber bears gaps of sequence_number, which filters and merging leave.",
    ["AAEP §3.4.1", "AAEP §9.5.2"],
    async (stage) => {
      const present = await stage.accept();
      const { event } = stage.script();
      const events = [
        event("session.started", { sequence_number: 0, summary_normal: "Sorts the photos." }),
        event("progress.updated", { sequence_number: 4, progress: { percent: 4 }, summary_normal: "Sorts." }),
        event("tool.invoked", { sequence_number: 9, ...COUNTS }),
      ];
      for (const one of events) present.conversation.say(one);
      await staysThere(present, "The subscriber goes on.", ...events);
      await goesOnAnnouncing(stage, present, events);
    },
  ),
];
