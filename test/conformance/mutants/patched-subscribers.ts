// Broken subscribers for the cases that judge announcements: the example in Python, each with one line changed. Each was written after its case was read.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const EXAMPLE = "examples/conformance/subscriber.py";

export interface PatchedSubscriber {
  readonly name: string;
  readonly paragraph: string;
  readonly breaks: string;
  readonly from: string;
  readonly to: string;
}

const TAKE = "    def take(self, message):\n";
const READ = "            subscriber.take(json.loads(await reader.readexactly(length)))";
const RETURN = '        elif kind == "subscription.rejected":\n';

const ANNOUNCED = '        elif kind not in SILENT or event.get("urgency") == "critical":';
const DEAD = 'one for one in self.questions if one["session_id"] != event["session_id"]';

/** Broken subscribers of kinds that cases of an earlier suite let pass. */
const KINDS: readonly (readonly [name: string, paragraph: string, breaks: string, from: string, to: string])[] = [
  [
    "times-in-z-alone",
    "AAEP §3.2.5",
    "A timestamp with an offset ends the subscriber.",
    TAKE,
    `${TAKE}        assert message.get("timestamp", "Z").endswith("Z")\n`,
  ],
  [
    "short-types-alone",
    "AAEP §3.2.2",
    "A type that is an address is ignored.",
    '        elif "event_id" in message and',
    '        elif kind.startswith("aaep:") and "event_id" in message and',
  ],
  [
    "ascii-alone",
    "AAEP §11.3",
    "Text beyond ASCII is not announced.",
    "        print(text, flush=True)",
    "        if text.isascii():\n            print(text, flush=True)",
  ],
  [
    "handoffs-not-announced",
    "AAEP §9.3.2(7)",
    "handoff.requested is not announced.",
    ANNOUNCED,
    '        elif kind not in (*SILENT, "handoff.requested"):',
  ],
  [
    "critical-progress-dropped",
    "AAEP §9.3.2(7)",
    "Critical progress is dropped.",
    ANNOUNCED,
    "        elif kind not in SILENT:",
  ],
  [
    "clarifications-not-announced",
    "AAEP §9.4.2(7)",
    "A clarification is not announced.",
    '            self.say(f"Question: {summary}")\n',
    '            if "action" in event:\n                self.say(f"Question: {summary}")\n',
  ],
  [
    "withdrawn-question-answered-by-it",
    "AAEP §6.8",
    "A question outlives the end of its waiting.",
    `            self.questions = [${DEAD}]\n            self.say(summary)`,
    "            self.say(summary)",
  ],
  [
    "failed-question-answered",
    "AAEP §6.8",
    "A question outlives a session that failed.",
    `            # Every question of the session dies with it.\n            self.questions = [${DEAD}]`,
    `            self.questions = [${DEAD} or what == "errored"]`,
  ],
  [
    "low-risks-accepted-unasked",
    "AAEP §4.4.1",
    "A question about a low risk is accepted at once.",
    '            self.say(f"Question: {summary}")\n',
    '            self.say(f"Question: {summary}")\n            if event.get("risk_level") == "low":\n                self.answer("yes")\n',
  ],
  [
    "tokens-lowered",
    "AAEP §6.2.3",
    "A reply_token is sent in lower case.",
    '"reply_token": question["reply_token"]',
    '"reply_token": question["reply_token"].lower()',
  ],
  [
    "extended-events-dropped",
    "AAEP §9.3.2",
    "An event with extensions is not announced.",
    '        elif "event_id" in message and',
    '        elif "event_id" in message and "extensions" not in message and',
  ],
  ["numbers-as-texts", "AAEP §6.5.2", "A number is sent as a text.", "float(line) if is_number else line", "line"],
  [
    "ends-at-a-gap",
    "AAEP §3.4.1",
    "A gap of sequence_number ends the subscriber.",
    TAKE,
    `${TAKE}        assert message.get("sequence_number", 0) < 2\n`,
  ],
  [
    "asks-for-its-rate-again",
    "AAEP §9.5.2(3)",
    "A lower rate is not accepted: the old one is asked for again.",
    'self.subscription = message["subscription_id"]\n',
    'self.subscription = message["subscription_id"]\n            if message["honored_capabilities"].get("max_events_per_second") != 5:\n                self.send({"type": "subscription.renegotiate", "subscription_id": self.subscription, "capabilities": CAPABILITIES})\n',
  ],
  [
    "reply-dated-by-hand",
    "AAEP §6.3.1",
    "Every reply has the same timestamp.",
    '"timestamp": now(), "decided_by"',
    '"timestamp": "2026-05-24T14:22:24.812Z", "decided_by"',
  ],
  [
    "expiry-by-text",
    "AAEP §3.2.5",
    "A question whose timestamp reads as an earlier hour is not answered.",
    "        question = self.questions.pop(0)\n",
    '        question = self.questions.pop(0)\n        if question["timestamp"][:13] < now()[:13]:\n            return\n',
  ],
  [
    "ends-at-an-unknown-urgency",
    "AAEP §12.6.1",
    "An unknown value of urgency ends the subscriber.",
    TAKE,
    `${TAKE}        assert message.get("urgency", "normal") in ("background", "normal", "high", "critical")\n`,
  ],
];

export const PATCHED_SUBSCRIBERS: readonly PatchedSubscriber[] = [
  {
    name: "beginnings-not-announced",
    paragraph: "AAEP §9.3.2",
    breaks: "The beginning of a session is not announced.",
    from: 'SILENT = ("progress.updated",)',
    to: 'SILENT = ("progress.updated", "session.started")',
  },
  {
    name: "ends-announced-alike",
    paragraph: "AAEP §9.3.2",
    breaks: "Every end of a session is announced in the same words.",
    from: '"errored": "Failed", "cancelled": "Cancelled"',
    to: '"errored": "Done", "cancelled": "Done"',
  },
  {
    name: "failures-not-announced",
    paragraph: "AAEP §4.1.3",
    breaks: "A session that fails is not announced.",
    from: '        elif family == "session" and what in ENDS:',
    to: '        elif what == "errored":\n            pass\n        elif family == "session" and what in ENDS:',
  },
  {
    name: "crashes-on-unknown-field",
    paragraph: "AAEP §12.6.1",
    breaks: "A summary of an unknown verbosity ends the subscriber.",
    from: TAKE,
    to: `${TAKE}        assert {key for key in message if key.startswith("summary_")} <= {"summary_normal", "summary_terse", "summary_detailed"}\n`,
  },
  {
    name: "crashes-on-decomposed-text",
    paragraph: "AAEP §11.3.2",
    breaks: "Text that is not composed ends the subscriber.",
    from: TAKE,
    to: `${TAKE}        assert __import__("unicodedata").is_normalized("NFC", message.get("summary_normal", ""))\n`,
  },
  {
    name: "crashes-on-large-event",
    paragraph: "AAEP §3.7",
    breaks: "A message of more than 64 KiB ends the subscriber.",
    from: READ,
    to: `            assert length <= 65536\n${READ}`,
  },
  {
    name: "crashes-on-white-space",
    paragraph: "AAEP §3.8",
    breaks: "JSON with more than one space in a row ends the subscriber.",
    from: READ,
    to: "            text = await reader.readexactly(length)\n            assert b'   ' not in text\n            subscriber.take(json.loads(text))",
  },
  {
    name: "depends-on-member-order",
    paragraph: "AAEP §3.6",
    breaks: "An event that does not begin with @context ends the subscriber.",
    from: TAKE,
    to: `${TAKE}        assert "event_id" not in message or next(iter(message)) == "@context"\n`,
  },
  {
    name: "questions-not-announced",
    paragraph: "AAEP §4.4.1",
    breaks: "Questions are answered, and not announced.",
    from: '            self.say(f"Question: {summary}")\n',
    to: "",
  },
  {
    name: "repeats-announced",
    paragraph: "AAEP §8.2.4",
    breaks: "An event that comes twice is announced twice.",
    from: ' and message["event_id"] not in self.heard',
    to: "",
  },
  {
    name: "answers-after-the-cancellation",
    paragraph: "AAEP §6.8",
    breaks: "A question outlives its session.",
    from: '            self.questions = [one for one in self.questions if one["session_id"] != event["session_id"]]\n            self.say(f"{ENDS',
    to: '            self.say(f"{ENDS',
  },
  {
    name: "leaves-when-it-gets-less",
    paragraph: "AAEP §5.4.4",
    breaks: "Terms that are less than it asked for end the subscriber.",
    from: 'self.subscription = message["subscription_id"]\n',
    to: 'self.subscription = message["subscription_id"]\n            assert message["honored_capabilities"]["max_events_per_second"] == 5\n',
  },
  {
    name: "goes-on-after-a-rejection",
    paragraph: "AAEP §5.5",
    breaks: "A subscriber that was rejected renegotiates.",
    from: RETURN,
    to: `${RETURN}            self.send({"type": "subscription.renegotiate", "subscription_id": "sub_1", "capabilities": {}})\n`,
  },
  {
    name: "takes-unsigned-manifests",
    paragraph: "AAEP §5.3.1.12",
    breaks: "A subscriber that asks for signed manifests goes on without one.",
    from: "CAPABILITIES = {",
    to: 'CAPABILITIES = {"accept_signed_manifests_only": True, ',
  },
  ...KINDS.map(([name, paragraph, breaks, from, to]) => ({ name, paragraph, breaks, from, to })),
];

/** Writes the patched program into the folder, and returns its path. Throws if the example has changed so that the patch fits nowhere. */
export function writePatched({ name, from, to }: PatchedSubscriber, folder: string): string {
  const source = readFileSync(EXAMPLE, "utf8");
  if (source.split(from).length !== 2) throw new Error(`The patch "${name}" fits nowhere in ${EXAMPLE}, or twice.`);
  const path = join(folder, "subscriber.py");
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  return path;
}
