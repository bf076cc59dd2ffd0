// Chapter 5: the handshake and its terms.
import * as schemas from "#gen/aaep/schemas.js";
import { faultFrom } from "../../../base/errors.js";
import { firstSentence } from "../../../base/schema/fault-words.js";
import { fail, skip } from "../../findings/finding.js";
import { arrivedIn, evidenceOf, type Message, noted, objectIn } from "../../wire/conversation.js";
import { wordsOf } from "../../wire/message-text.js";
import { type ActiveCase, active, type ProducerCase, recommended, watching } from "../producer-case.js";
import { type ProducerStage, QUIET_MS, type Subscription } from "../stage.js";
import { widerTerm } from "./honored-terms.js";

const REASONS = new Set([
  "version_unsupported",
  "manifest_signature_required",
  "capabilities_incompatible",
  "rate_limit",
  "authentication_required",
  "authorization_denied",
  "transport_unavailable",
  "unknown",
]);

/** A rule about the honored terms of requests. */
function honored(id: string, title: string, paragraphs: readonly string[], requests: readonly Message[]): ActiveCase {
  return active(id, title, paragraphs, async (stage) => {
    for (const capabilities of requests) {
      const { accepted, honored: terms } = await stage.subscribe(capabilities);
      const formless = firstSentence(schemas.SubscriptionAccepted, accepted, "subscription.accepted");
      if (formless !== undefined) skip(`subscription.accepted has another form: ${formless}`);
      const fault = widerTerm(capabilities, terms);
      if (fault !== undefined) fail(title, fault, [noted("asked for", capabilities), noted("received", accepted)]);
    }
  });
}

/** Versions that no producer of the suite's time has. */
const NO_VERSIONS = ["99.0.0", "2.0.0"];

/** Requests in which one member has another type. Their answer is free, and what cannot be read is not to be honored. */
const MALFORMED: readonly Message[] = [
  { capabilities: { max_events_per_second: "three" } },
  { capabilities: { max_events_per_second: -1 } },
  { capabilities: { languages: "en" } },
  { capabilities: { coalesce_boundaries: "sentence" } },
  { capabilities: { event_filters: { include: "everything" } } },
  { capabilities: { supports_confirmation_reply: "yes" } },
  { capabilities: [] },
  { capabilities: {}, aaep_version: 1 },
];

/** Whether honored terms have a value of a malformed request. */
function honorsMalformed({ capabilities }: Message, terms: Message): boolean {
  return Object.entries((capabilities ?? {}) as Message).some(
    ([name, value]) => JSON.stringify(terms[name]) === JSON.stringify(value),
  );
}

export const HANDSHAKE_CASES: readonly ProducerCase[] = [
  watching(
    "P3-accepted-form",
    "subscription.accepted has subscription_id, aaep_version, producer and honored_capabilities, in their forms.",
    ["AAEP §5.4.1", "AAEP §9.5.1"],
    "No subscription.accepted came.",
    ({ conversations }) => {
      const answers = conversations
        .flatMap(arrivedIn)
        .filter(({ message }) => message.type === "subscription.accepted");
      for (const answer of answers) {
        const fault = firstSentence(schemas.SubscriptionAccepted, answer.message, "subscription.accepted");
        if (fault !== undefined) fail("subscription.accepted has its form.", fault, [evidenceOf(answer)]);
      }
      return answers.length;
    },
  ),
  active("P3-answered-once", "A request is answered once.", ["AAEP §5.4", "AAEP §9.5.1"], async (stage) => {
    const { conversation } = await stage.subscribe();
    await stage.wait(QUIET_MS);
    const answers = arrivedIn(conversation).filter(({ message }) =>
      /^subscription\.(?:accepted|rejected)$/.test(wordsOf(message.type)),
    );
    if (answers.length !== 1) fail("One answer comes.", `${answers.length} came.`, answers.map(evidenceOf));
  }),
  active("P3-ids-differ", "Two subscriptions have different ids.", ["AAEP §5.4.1"], async (stage) => {
    const [one, other] = [await stage.subscribe(), await stage.subscribe()];
    if (one.id === other.id) fail("The ids differ.", `Both are ${one.id}.`);
  }),
  active(
    "P3-version-unsupported",
    "A request of a version that the producer does not have is rejected by version_unsupported.",
    ["AAEP §5.5.3", "AAEP §12.5.2"],
    async (stage) => {
      for (const aaep_version of NO_VERSIONS) {
        const { message, evidence } = await stage.request({ aaep_version, capabilities: {} });
        if (message.type === "subscription.accepted" && message.aaep_version !== aaep_version) continue;
        if (message.type !== "subscription.rejected" || message.reason_code !== "version_unsupported")
          fail("version_unsupported comes, or a version that the producer has.", "Something else came.", evidence);
      }
    },
  ),
  active(
    "P3-rejected-form",
    "subscription.rejected has a reason_code of the specification and a reason_message, whatever the reason.",
    ["AAEP §5.5.1", "AAEP §5.5.3"],
    async (stage) => {
      let judged = 0;
      const unserved = { capabilities: { accept_signed_manifests_only: true } };
      for (const request of [{ aaep_version: "99.0.0", capabilities: {} }, unserved, ...MALFORMED]) {
        const { message, evidence } = await stage.request(request);
        if (message.type !== "subscription.rejected") continue;
        judged += 1;
        const fault = firstSentence(schemas.SubscriptionRejected, message, "subscription.rejected");
        if (fault !== undefined || !REASONS.has(wordsOf(message.reason_code)))
          fail("The rejection has its form.", fault ?? `${wordsOf(message.reason_code)} is no reason code.`, evidence);
      }
      if (judged === 0) skip("The producer rejected nothing that this case can ask for.");
    },
  ),
  active(
    "P3-malformed-answered",
    "A malformed request is answered, and not by silence.",
    ["AAEP §9.5.1"],
    async (stage) => {
      for (const request of MALFORMED) {
        const { message, evidence } = await stage.request(request);
        if (message.type !== "subscription.accepted") continue;
        if (honorsMalformed(request, (message.honored_capabilities ?? {}) as Message))
          fail("A term of another type is rejected, or left out of the terms.", "It is honored.", evidence);
      }
    },
  ),
  active(
    "P3-unknown-capability",
    "An unknown capability does not cause a rejection.",
    ["AAEP §5.3.2", "AAEP §7.6"],
    async (stage) => {
      await stage.subscribe({ conformancetest: { patterns: ["pulse"] }, languages: ["en"] });
      await stage.subscribe({ conformancetest: { on: true } }, { extensions: { conformancetest: { deep: [null] } } });
    },
  ),
  active("P3-large-request", "A request of nearly 64 KiB is taken.", ["AAEP §8.3", "AAEP §3.7"], async (stage) => {
    // No text is longer than 16 KiB (§3.7).
    await stage.subscribe({ conformancetest: { padding: Array.from({ length: 4 }, () => "x".repeat(15_500)) } });
  }),
  honored(
    "P3-honored-rate",
    "The honored rate is at most the requested one.",
    ["AAEP §5.4.4"],
    [1, 3, 60].map((rate) => ({ max_events_per_second: rate })),
  ),
  honored(
    "P3-honored-languages",
    "The honored languages are among the requested ones.",
    ["AAEP §5.4.4", "AAEP §11.2"],
    [["fr", "en-US"], ["en"], ["tlh"], ["ja-JP", "de"]].map((languages) => ({ languages })),
  ),
  honored(
    "P3-honored-boundaries",
    "The honored boundaries are among the requested ones.",
    ["AAEP §5.4.4"],
    [["paragraph", "completion"], ["none"], ["word"], ["completion"]].map((boundaries) => ({
      coalesce_boundaries: boundaries,
    })),
  ),
  honored(
    "P3-honored-filters",
    "The honored filters are at least as restrictive as the requested ones.",
    ["AAEP §5.4.4"],
    [
      { include: ["aaep:agent.session.*"], exclude: ["aaep:agent.session.started"] },
      { include: ["aaep:agent.tool.invoked"], exclude: [] },
      { exclude: ["aaep:agent.tool.*", "aaep:agent.progress.updated"] },
    ].map((event_filters) => ({ event_filters })),
  ),
  honored(
    "P3-honored-replies",
    "The producer does not honor replies that the subscriber did not offer.",
    ["AAEP §5.4.4", "AAEP §5.3.1.4"],
    [
      { supports_confirmation_reply: false, supports_clarification_reply: false },
      { supports_confirmation_reply: true },
      { supports_clarification_reply: true },
      {},
    ],
  ),
  active(
    "P3-signature-required",
    "A subscriber that takes signed manifests only is accepted with a signed manifest, or rejected by manifest_signature_required.",
    ["AAEP §5.3.1.12", "AAEP §9.5.1"],
    async (stage) => {
      const { message, evidence } = await stage.request({ capabilities: { accept_signed_manifests_only: true } });
      const isSigned = message.type === "subscription.accepted" && typeof message.signed_manifest === "string";
      const isRejected =
        message.type === "subscription.rejected" && message.reason_code === "manifest_signature_required";
      if (!isSigned && message.type === "subscription.accepted" && typeof message.manifest_uri === "string")
        skip("The producer names an address for its manifest. The suite does not fetch addresses.");
      if (!isSigned && !isRejected)
        fail("manifest_signature_required comes, or a signed manifest.", "Neither came.", evidence);
    },
  ),
  active(
    "P3-prefix-collision",
    "Two extensions with one prefix are rejected by capabilities_incompatible.",
    ["AAEP §7.3.1"],
    async (stage) => {
      const supported = ["https://one.example/medai/context/v1", "https://two.example/medai/context/v1"];
      const { message, evidence } = await stage.request({ capabilities: { supported_extensions: supported } });
      if (message.type === "subscription.accepted")
        skip("The producer knows neither vocabulary, so their prefixes are not known to collide.");
      if (message.reason_code !== "capabilities_incompatible")
        fail("The request is rejected by capabilities_incompatible.", "It is answered by something else.", evidence);
    },
  ),
  active(
    "P3-manifest",
    "The producer names its manifest in subscription.accepted, carries it there, or serves it over its transport.",
    ["AAEP §5.10", "AAEP §9.5.1", "AAEP §B.5"],
    async (stage) => {
      const { accepted } = await stage.subscribe();
      if (typeof accepted.manifest_uri === "string" || typeof accepted.signed_manifest === "string") return;
      if (stage.links.manifest === undefined)
        return fail("manifest_uri or signed_manifest stands there.", "Neither does.", [noted("received", accepted)]);
      await manifestOf(stage, accepted);
    },
  ),
  recommended(
    "P3-manifest-form",
    "The manifest has its form, and names the producer that subscription.accepted names.",
    ["AAEP §5.10.1", "AAEP §10.4", "AAEP §B.5"],
    async (stage) => {
      const { accepted } = await stage.subscribe();
      const text = await manifestOf(stage, accepted);
      const manifest = objectIn(text);
      const evidence = [{ note: "manifest", text }];
      if (manifest === undefined) fail("The manifest is a JSON object.", "It is not.", evidence);
      const fault = firstSentence(schemas.ProducerManifest, manifest, "the manifest");
      if (fault !== undefined) fail("The manifest has its form.", fault, evidence);
      const { agent_id: named } = (accepted.producer ?? {}) as Message;
      if (typeof named === "string" && named !== manifest.agent_id)
        fail(`The manifest's agent_id is ${JSON.stringify(named)}.`, "It is another.", evidence);
    },
  ),
  active(
    "P3-rejected-silent",
    "A connection whose request was rejected does not hear events.",
    ["AAEP §5.5"],
    async (stage) => {
      const { conversation: rejected, message } = await stage.request({ aaep_version: "99.0.0", capabilities: {} });
      if (message.type !== "subscription.rejected") skip("The producer rejected nothing that this case can ask for.");
      const listener: Subscription = await stage.subscribe();
      const { done } = await stage.show("error", listener);
      await done;
      const event = await rejected.seek(({ event_id: id }) => id !== undefined, { withinMs: QUIET_MS });
      if (event !== undefined) fail("Nothing comes after a rejection.", "An event came.", [evidenceOf(event)]);
    },
  ),
];

/** The text of the manifest. Skips the case where it does not come over the transport. */
async function manifestOf({ links }: ProducerStage, { signed_manifest: signed }: Message): Promise<string> {
  if (typeof signed === "string") return Buffer.from(signed.split(".")[1] ?? "", "base64url").toString();
  if (links.manifest === undefined)
    return skip("No manifest comes over this transport. The suite does not fetch addresses.");
  return links
    .manifest()
    .catch((caught: unknown) => skip(`GetManifest gave no manifest: ${faultFrom(caught).sentence}`));
}
