// The daemon's own messages, composed from the texts of the listener's language (R31).
import type { LocalizationHints, QuestionKind } from "../event/event.js";
import { CATALOGUE_LANGUAGES, type CatalogueLanguage, hintsIn, matchLanguage } from "../terms/language.js";
import { sentences, WORDINGS, type Wording } from "./wording.js";

export type GapReason = "aged_out" | "resumed_too_late" | "unknown_place";
export type ClosingReason = "producer_shutdown" | "recording_ended" | "producer_error" | "lagging";

/** The outcome of a question, and who decided it. A default is never reported as somebody's answer. */
export interface Outcome {
  readonly decision: "accepted" | "rejected" | "answered" | "unanswered" | "cancelled";
  readonly decidedBy: DecidedBy;
}

/**
 * "nobody_to_ask": no subscription could answer (R6). "nobody_left": the last subscription that could answer has ended (R7). "host": the person
 * answered in a dialog of the agent's own (R5a). "agent": the agent took the question back. "host_window": nobody decided here, and the person
 * answers in the agent's own window (R5b).
 */
export type DecidedBy = "reply" | "timeout" | "nobody_to_ask" | "nobody_left" | "host" | "agent" | "host_window";

/** The default answer of a clarification: a text, or yes or no in the listener's language. */
export type DefaultAnswer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "yes" }
  | { readonly kind: "no" };

export interface MessageParameters {
  /** The state of a session (R17). */
  readonly sessionSummary: {
    readonly state: string;
    readonly toolsRunningCount: number;
    readonly outputOpen: boolean;
    readonly questionOpen: boolean;
    /** 0..100; undefined if unknown. */
    readonly percent: number | undefined;
  };
  /** `eventCount` is an upper bound (R27). */
  readonly gap: { readonly eventCount: number | undefined; readonly reason: GapReason };
  readonly agentDisconnected: { readonly agent: string };
  /** The agent did not come back within its grace after a restart of the daemon (R8b). */
  readonly agentNotBack: { readonly agent: string };
  /** The daemon ends its sessions when it stops (R8a). */
  readonly daemonStopped: { readonly agent: string };
  readonly toolAbandoned: { readonly tool: string };
  /** For subscriptions that cannot answer (R6). */
  readonly questionNotice: { readonly agent: string; readonly kind: QuestionKind; readonly asking: string };
  readonly resolution: Outcome & { readonly asking: string; readonly defaultAnswer: DefaultAnswer | undefined };
  readonly countdown: {
    readonly passed: "half" | "nine_tenths";
    readonly remainingSeconds: number;
    readonly asking: string;
  };
  /** An agent of another protocol began a session; `capabilities` are names of that protocol. */
  readonly relayStarted: { readonly agent: string; readonly capabilities: readonly string[] };
  readonly relayEnded: { readonly agent: string };
  /** `details`: arguments that the configuration lets into texts, as in "city: Lagos". */
  readonly relayCall: { readonly agent: string; readonly tool: string; readonly details: string | undefined };
  /** `code`: an error code of that protocol. */
  readonly relayFailed: { readonly tool: string; readonly code: string };
  readonly relayArtifact: { readonly tool: string; readonly name: string };
  /** The action and the consequence of a question about a call that cannot be undone: the normal and the terse form. */
  readonly relayAction: { readonly agent: string; readonly tool: string; readonly details: string | undefined };
  readonly relayConsequence: { readonly tool: string };
}

export type MessageKey = keyof MessageParameters;

/** The short and the normal form of a message, as in `summary_terse` and `summary_normal`. */
export type Form = "terse" | "normal";

const MESSAGES: {
  readonly [Key in MessageKey]: (wording: Wording, form: Form, parameters: MessageParameters[Key]) => string;
} = {
  sessionSummary: (wording, form, { state, toolsRunningCount, outputOpen, questionOpen, percent }) =>
    sentences([
      wording.say(`inState.${form}`, { state: wording.state(state) }),
      form === "normal" && toolsRunningCount > 0 && wording.say("toolsRun", { count: toolsRunningCount }),
      form === "normal" && outputOpen && wording.say("outputOpen"),
      questionOpen && wording.say(`questionOpen.${form}`),
      percent !== undefined && wording.say(`percentDone.${form}`, { percent: wording.percent(percent) }),
    ]),
  gap: (wording, form, { eventCount, reason: why }) => {
    const reason = wording.say(`lost.${why}`);
    return eventCount === undefined
      ? wording.say(`perhapsLost.${form}`, { reason })
      : wording.say(`lostUpTo.${form}`, { count: eventCount, reason });
  },
  agentDisconnected: (wording, form, facts) => wording.say(`agentDisconnected.${form}`, facts),
  agentNotBack: (wording, form, facts) => wording.say(`agentNotBack.${form}`, facts),
  daemonStopped: (wording, form, facts) => wording.say(`daemonStopped.${form}`, facts),
  toolAbandoned: (wording, form, facts) => wording.say(`toolAbandoned.${form}`, facts),
  questionNotice: (wording, form, { agent, kind, asking }) =>
    sentences([
      wording.say(`asked.${kind}.${form}`, { agent, asking }),
      form === "normal" && wording.say("cannotAnswer"),
    ]),
  resolution: (wording, form, parameters) =>
    sentences([
      ...outcomeIn(wording, form, parameters),
      form === "normal" && wording.say("questionWas", { asking: parameters.asking }),
    ]),
  countdown: (wording, form, { passed, remainingSeconds, asking }) => {
    const left = wording.say(`timeLeft.${form}`, { time: wording.duration(remainingSeconds) });
    if (form === "terse") return left;
    return sentences([wording.say(`passed.${passed}`), left, wording.say("questionIs", { asking })]);
  },
  relayStarted: (wording, form, { agent, capabilities }) =>
    wording.say(`relayStarted.${form}`, { agent, capabilities: wording.list(capabilities) }),
  relayEnded: (wording, form, facts) => wording.say(`relayEnded.${form}`, facts),
  relayCall: (wording, form, { agent, tool, details }) =>
    sentences([wording.say(`relayCall.${form}`, { agent, tool }), withDetails(wording, form, details)]),
  relayFailed: (wording, form, facts) => wording.say(`relayFailed.${form}`, facts),
  relayArtifact: (wording, form, facts) => wording.say(`relayArtifact.${form}`, facts),
  relayAction: (wording, form, { agent, tool, details }) =>
    sentences([wording.say(`relayAction.${form}`, { agent, tool }), withDetails(wording, form, details)]),
  relayConsequence: (wording, form, facts) => wording.say(`relayConsequence.${form}`, facts),
};

function withDetails(wording: Wording, form: Form, details: string | undefined): string | undefined {
  return form === "normal" && details !== undefined ? wording.say("with", { details }) : undefined;
}

/** A default is named as a default; if there is none, the message says so (R31). */
function outcomeIn(wording: Wording, form: Form, outcome: MessageParameters["resolution"]): readonly string[] {
  const { decision, decidedBy: by, defaultAnswer } = outcome;
  // The question is still open in the agent's own window, so it is not called withdrawn (R5b).
  if (by === "host_window") return [wording.say("decidedBy.host_window")];
  const decider = by === "reply" || by === "agent" ? "" : wording.say(`decidedBy.${by}.${form}`);
  if (decision !== "unanswered") return [decider, wording.say(`decision.${decision}`)];
  if (defaultAnswer === undefined) {
    const isNobody = by === "nobody_to_ask" || by === "nobody_left";
    const why = form === "terse" ? decider : isNobody ? wording.say(`withoutDefault.${by}`) : "";
    return [why, wording.say("noAnswer")];
  }
  const said = defaultAnswer.kind === "text" ? defaultAnswer.text : wording.say(defaultAnswer.kind);
  return [decider, wording.say(`takenToBe.${form}`, { answer: wording.quoted(said) })];
}

/** The catalogue's language that serves a listener best (AAEP ch. 11). */
export function catalogueLanguage(languages: readonly string[]): CatalogueLanguage {
  const match = matchLanguage(languages, CATALOGUE_LANGUAGES);
  return CATALOGUE_LANGUAGES.find((language) => language === match) ?? "en";
}

export function messageIn<Key extends MessageKey>(
  language: CatalogueLanguage,
  key: Key,
  form: Form,
  parameters: MessageParameters[Key],
): string {
  return MESSAGES[key](WORDINGS[language], form, parameters);
}

/** Why a subscription is closed, in the first of `languages` with a catalogue, else in English. */
export function closingText(reason: ClosingReason, languages: readonly string[]): string {
  return WORDINGS[catalogueLanguage(languages)].say(`closing.${reason}`);
}

/**
 * "listener": for an event made for one shape, in the language that serves it. "everyone": for an event that is journaled once, with a variant for
 * each language beside the primary one.
 */
export type TextAudience =
  | { readonly kind: "listener"; readonly languages: readonly string[] }
  | { readonly kind: "everyone"; readonly primary: CatalogueLanguage };

/** The audience of an event that is journaled. */
export function everyLanguage(defaultLanguage: string): TextAudience {
  return { kind: "everyone", primary: catalogueLanguage([defaultLanguage]) };
}

/** Members of an event: the texts, each variant of another language under a name of its own, and their language (AAEP §11.1). */
export interface LocalizedMessages {
  readonly localization_hints: LocalizationHints;
  readonly summary_terse: string;
  readonly summary_normal: string;
  readonly [variant: string]: unknown;
}

/** The parameters of a message, which may depend on its language and its form. */
export type ParametersFor<Key extends MessageKey> = (language: CatalogueLanguage, form: Form) => MessageParameters[Key];

/** The names of the members of each language, which are the same in every event. */
const VARIANTS = CATALOGUE_LANGUAGES.map((language) => ({
  language,
  terse: `summary_terse_${language}`,
  normal: `summary_normal_${language}`,
}));

export function localizedMessages<Key extends MessageKey>(
  audience: TextAudience,
  key: Key,
  parametersFor: ParametersFor<Key>,
): LocalizedMessages {
  const primary = audience.kind === "listener" ? catalogueLanguage(audience.languages) : audience.primary;
  const say = (language: CatalogueLanguage, form: Form) =>
    messageIn(language, key, form, parametersFor(language, form));
  const members: LocalizedMessages & Record<string, unknown> = {
    localization_hints: hintsIn(primary, undefined),
    summary_terse: say(primary, "terse"),
    summary_normal: say(primary, "normal"),
  };
  if (audience.kind === "listener") return members;
  for (const { language, terse, normal } of VARIANTS) {
    if (language === primary) continue;
    members[terse] = say(language, "terse");
    members[normal] = say(language, "normal");
  }
  return members;
}
