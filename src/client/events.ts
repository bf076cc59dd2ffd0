// The events of AAEP as types: as an agent may send them, and as a listener receives them.
import type { AaepEvent as CoreEvent, Envelope } from "#gen/aaep/types.js";
import type { KnownNames } from "../base/known-names.js";

/** Summaries in other languages than the event's own (AAEP §11.2), as in `summary_normal_yo`. */
export interface SummaryVariants {
  readonly [variant: `summary_${"terse" | "normal" | "detailed"}_${string}`]: string | undefined;
}

/** An event of one of the twelve core types (AAEP §4), as a listener receives it. `switch (event.type)` tells them apart, and has no other case. */
export type AaepEvent = Members<CoreEvent & SummaryVariants>;

/** The members of each type of a union, in one piece: an editor shows them so, and an index of unknown members takes them. */
type Members<Event> = Event extends unknown ? { [Name in keyof Event]: Event[Name] } : never;

/** An event of a type that is not in AAEP's core: an extension's, or a later version's. */
export type UnknownEvent = Envelope;

/** An event as a listener receives it. `isCore` tells both kinds apart. */
export type ReceivedEvent = AaepEvent | UnknownEvent;

/**
 * The events of extensions by their types. Merge the own ones into it; `publish` and `isExtension` know them then:
 *
 * ```ts
 * declare module "@aaepd/client" {
 *   interface ExtensionEvents {
 *     "medai:patient.consulted": { readonly patient: string };
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: programs merge their extensions into it.
export interface ExtensionEvents {}

/** The envelope of an event (AAEP §3), as the daemon completes it. */
type EnvelopeMembers = Pick<
  CoreEvent,
  Exclude<keyof CoreEvent, "type" | "urgency" | `summary_${string}`> & KnownNames<Envelope>
>;

/** An extension's event, of the types that `ExtensionEvents` names (AAEP §7). */
export type ExtensionEvent<Type extends keyof ExtensionEvents = keyof ExtensionEvents> = {
  [Name in Type]: EnvelopeMembers & {
    readonly type: Name;
    readonly urgency?: Envelope["urgency"];
    readonly summary_terse?: string;
    readonly summary_normal?: string;
    readonly summary_detailed?: string;
  } & ExtensionEvents[Name];
}[Type];

/** The members that the daemon fills in where an agent leaves them out (R2). */
type FilledIn = "@context" | "event_id" | "timestamp" | "producer" | "urgency" | "position" | "accepted_response_kinds";

type Publishable<Event> = Event extends unknown
  ? Omit<Event, FilledIn> & Partial<Pick<Event, FilledIn & keyof Event>>
  : never;

/** An event as an agent may send it. The daemon fills in the rest (R2). */
export type PublishedEvent = (Publishable<CoreEvent> & SummaryVariants) | Publishable<ExtensionEvent>;

/** Further members of a core event whose type, session and other members a call gives. Misspelt members do not compile. */
export type FurtherMembers<Type extends AaepEvent["type"], Given extends string = never> = Partial<
  Omit<Extract<Publishable<CoreEvent>, { readonly type: Type }>, "type" | "session_id" | Given>
> &
  SummaryVariants;

/** Each core type, so that one that is added or taken away does not compile without its row. */
const CORE: Readonly<Record<AaepEvent["type"], true>> = {
  "aaep:agent.awaiting.clarification": true,
  "aaep:agent.awaiting.confirmation": true,
  "aaep:agent.handoff.requested": true,
  "aaep:agent.output.streaming": true,
  "aaep:agent.progress.updated": true,
  "aaep:agent.session.cancelled": true,
  "aaep:agent.session.completed": true,
  "aaep:agent.session.errored": true,
  "aaep:agent.session.started": true,
  "aaep:agent.state.changed": true,
  "aaep:agent.tool.completed": true,
  "aaep:agent.tool.invoked": true,
};

/** Whether the event has one of the twelve core types of AAEP §4. */
export function isCore(event: ReceivedEvent): event is AaepEvent {
  return Object.hasOwn(CORE, event.type);
}

/** Whether the event has this type of an extension. Its members are as the producer sent them: no schema of ours has checked them. */
export function isExtension<Type extends keyof ExtensionEvents>(
  event: ReceivedEvent,
  type: Type,
): event is ExtensionEvent<Type> & UnknownEvent {
  return event.type === type;
}
