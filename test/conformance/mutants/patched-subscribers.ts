// Broken subscribers for the cases that judge announcements: the example in Python, each with one line changed. Each was written after its case was read.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const EXAMPLE = "examples/conformance/subscriber.py";

/** The change of a line, by the name of the subscriber. The comment above each says the rule, and how it is broken. */
export type Patch = readonly [from: string, to: string];

const TAKE = "    def take(self, message):\n";
const READ = "            subscriber.take(json.loads(await reader.readexactly(length)))";
const RETURN = '        elif kind == "subscription.rejected":\n';

const ANNOUNCED = '        elif kind not in SILENT or event.get("urgency") == "critical":';
const DEAD = 'one for one in self.questions if one["session_id"] != event["session_id"]';

export const PATCHED_SUBSCRIBERS: Readonly<Record<string, Patch>> = {
  // AAEP §9.3.2: the beginning of a session is not announced.
  "beginnings-not-announced": ['SILENT = ("progress.updated",)', 'SILENT = ("progress.updated", "session.started")'],
  // AAEP §9.3.2: every end of a session is announced in the same words.
  "ends-announced-alike": ['"errored": "Failed", "cancelled": "Cancelled"', '"errored": "Done", "cancelled": "Done"'],
  // AAEP §4.1.3: a session that fails is not announced.
  "failures-not-announced": [
    '        elif family == "session" and what in ENDS:',
    '        elif what == "errored":\n            pass\n        elif family == "session" and what in ENDS:',
  ],
  // AAEP §12.6.1: a summary of an unknown verbosity ends the subscriber.
  "crashes-on-unknown-field": [
    TAKE,
    `${TAKE}        assert {key for key in message if key.startswith("summary_")} <= {"summary_normal", "summary_terse", "summary_detailed"}\n`,
  ],
  // AAEP §11.3.2: text that is not composed ends the subscriber.
  "crashes-on-decomposed-text": [
    TAKE,
    `${TAKE}        assert __import__("unicodedata").is_normalized("NFC", message.get("summary_normal", ""))\n`,
  ],
  // AAEP §3.7: a message of more than 64 KiB ends the subscriber.
  "crashes-on-large-event": [READ, `            assert length <= 65536\n${READ}`],
  // AAEP §3.8: JSON with more than one space in a row ends the subscriber.
  "crashes-on-white-space": [
    READ,
    "            text = await reader.readexactly(length)\n            assert b'   ' not in text\n            subscriber.take(json.loads(text))",
  ],
  // AAEP §3.6: an event that does not begin with @context ends the subscriber.
  "depends-on-member-order": [
    TAKE,
    `${TAKE}        assert "event_id" not in message or next(iter(message)) == "@context"\n`,
  ],
  // AAEP §4.4.1: questions are answered, and not announced.
  "questions-not-announced": ['            self.say(f"Question: {summary}")\n', ""],
  // AAEP §8.2.4: an event that comes twice is announced twice.
  "repeats-announced": [' and message["event_id"] not in self.heard', ""],
  // AAEP §6.8: a question outlives its session.
  "answers-after-the-cancellation": [
    '            self.questions = [one for one in self.questions if one["session_id"] != event["session_id"]]\n            self.say(f"{ENDS',
    '            self.say(f"{ENDS',
  ],
  // AAEP §5.4.4: terms that are less than it asked for end the subscriber.
  "leaves-when-it-gets-less": [
    'self.subscription = message["subscription_id"]\n',
    'self.subscription = message["subscription_id"]\n            assert message["honored_capabilities"]["max_events_per_second"] == 5\n',
  ],
  // AAEP §5.5: a subscriber that was rejected renegotiates.
  "goes-on-after-a-rejection": [
    RETURN,
    `${RETURN}            self.send({"type": "subscription.renegotiate", "subscription_id": "sub_1", "capabilities": {}})\n`,
  ],
  // AAEP §5.3.1.12: a subscriber that asks for signed manifests goes on without one.
  "takes-unsigned-manifests": ["CAPABILITIES = {", 'CAPABILITIES = {"accept_signed_manifests_only": True, '],
  // AAEP §3.2.5: a timestamp with an offset ends the subscriber.
  "times-in-z-alone": [TAKE, `${TAKE}        assert message.get("timestamp", "Z").endswith("Z")\n`],
  // AAEP §3.2.2: a type that is an address is ignored.
  "short-types-alone": [
    '        elif "event_id" in message and',
    '        elif kind.startswith("aaep:") and "event_id" in message and',
  ],
  // AAEP §11.3: text beyond ASCII is not announced.
  "ascii-alone": ["        print(text, flush=True)", "        if text.isascii():\n            print(text, flush=True)"],
  // AAEP §9.3.2(7): handoff.requested is not announced.
  "handoffs-not-announced": [ANNOUNCED, '        elif kind not in (*SILENT, "handoff.requested"):'],
  // AAEP §9.3.2(7): critical progress is dropped.
  "critical-progress-dropped": [ANNOUNCED, "        elif kind not in SILENT:"],
  // AAEP §9.4.2(7): a clarification is not announced.
  "clarifications-not-announced": [
    '            self.say(f"Question: {summary}")\n',
    '            if "action" in event:\n                self.say(f"Question: {summary}")\n',
  ],
  // AAEP §6.8: a question outlives the end of its waiting.
  "withdrawn-question-answered-by-it": [
    `            self.questions = [${DEAD}]\n            self.say(summary)`,
    "            self.say(summary)",
  ],
  // AAEP §6.8: a question outlives a session that failed.
  "failed-question-answered": [
    `            # Every question of the session dies with it.\n            self.questions = [${DEAD}]`,
    `            self.questions = [${DEAD} or what == "errored"]`,
  ],
  // AAEP §4.4.1: a question about a low risk is accepted at once.
  "low-risks-accepted-unasked": [
    '            self.say(f"Question: {summary}")\n',
    '            self.say(f"Question: {summary}")\n            if event.get("risk_level") == "low":\n                self.answer("yes")\n',
  ],
  // AAEP §6.2.3: a reply_token is sent in lower case.
  "tokens-lowered": ['"reply_token": question["reply_token"]', '"reply_token": question["reply_token"].lower()'],
  // AAEP §9.3.2: an event with extensions is not announced.
  "extended-events-dropped": [
    '        elif "event_id" in message and',
    '        elif "event_id" in message and "extensions" not in message and',
  ],
  // AAEP §6.5.2: a number is sent as a text.
  "numbers-as-texts": ["float(line) if is_number else line", "line"],
  // AAEP §3.4.1: a gap of sequence_number ends the subscriber.
  "ends-at-a-gap": [TAKE, `${TAKE}        assert message.get("sequence_number", 0) < 2\n`],
  // AAEP §9.5.2(3): a lower rate is not accepted: the old one is asked for again.
  "asks-for-its-rate-again": [
    'self.subscription = message["subscription_id"]\n',
    'self.subscription = message["subscription_id"]\n            if message["honored_capabilities"].get("max_events_per_second") != 5:\n                self.send({"type": "subscription.renegotiate", "subscription_id": self.subscription, "capabilities": CAPABILITIES})\n',
  ],
  // AAEP §6.3.1: every reply has the same timestamp.
  "reply-dated-by-hand": ['"timestamp": now(), "decided_by"', '"timestamp": "2026-05-24T14:22:24.812Z", "decided_by"'],
  // AAEP §3.2.5: a question whose timestamp reads as an earlier hour is not answered.
  "expiry-by-text": [
    "        question = self.questions.pop(0)\n",
    '        question = self.questions.pop(0)\n        if question["timestamp"][:13] < now()[:13]:\n            return\n',
  ],
  // AAEP §12.6.1: an unknown value of urgency ends the subscriber.
  "ends-at-an-unknown-urgency": [
    TAKE,
    `${TAKE}        assert message.get("urgency", "normal") in ("background", "normal", "high", "critical")\n`,
  ],
};

/** Writes the program with these patches, and returns the command that starts it. Throws if the example has changed so that one fits nowhere. */
export function patchedCommand(...patches: readonly Patch[]): string {
  let source = readFileSync(EXAMPLE, "utf8");
  for (const [from, to] of patches) {
    if (source.split(from).length !== 2)
      throw new Error(`The patch of "${from}" fits nowhere in ${EXAMPLE}, or twice.`);
    source = source.replace(from, () => to);
  }
  const path = join(temporaryDirectory(), "subscriber.py");
  writeFileSync(path, source);
  return `PYTHONPATH=examples/python exec python3 ${path} "$AAEPD_SOCKET"`;
}
