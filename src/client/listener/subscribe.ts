// A listener as one object: the events of one or several daemons as one async iterable.
import type { Capabilities, SubscriptionAccepted } from "#gen/aaep/types.js";
import { Fault } from "../../base/errors.js";
import { isCritical } from "../event-types.js";
import type { ReceivedEvent } from "../events.js";
import { newSubscriberId } from "../random-ids.js";
import { RecentMap } from "../recent-map.js";
import { assertReply, mergedCapabilities } from "../subscriber.js";
import type { SubscriberEnd } from "../subscriber-states.js";
import { Arrivals } from "./arrivals.js";
import { endFault } from "./end-fault.js";
import type { Connector, Discovery, Source, SubscribeOptions, Subscription, Target } from "./listener-types.js";
import { Owners } from "./owners.js";
import { createSource, type LiveSource } from "./source.js";
import type { Terms } from "./terms.js";

/** One daemon: a way to it, with or without a name. */
export type OneTarget = Connector | Target;

/**
 * Daemons that have left and are remembered, so that nothing is missed or heard twice when they are back. The longest absent one is forgotten first.
 */
const REMEMBERED_ABSENT = 32;
/** Daemons whose subscription has ended, and whose last place is certainly remembered. */
const REMEMBERED_PLACES = 256;
/** Events read ahead of the loop, so that a critical one among them is told at once. */
const AHEAD_COUNT = 256;

/**
 * Subscribes to one or several daemons, or to all that a `Discovery` finds. Connects at once, and again after each loss with a growing wait; resumes
 * at its place and drops repeats (AAEP ch. 5, R12, R17). A question that is still open then comes again, under its `event_id`.
 *
 * `terms` are the capabilities (AAEP §5.3); for questions set `supports_confirmation_reply` and `supports_clarification_reply`. Default: ch. 5's
 * defaults. Throws a Fault "usage" without a target, or if two targets have the same name.
 *
 * ```ts
 * for await (const event of subscribe(connector, { preferred_verbosity: "terse" })) speak(event);
 * ```
 */
export function subscribe(
  targets: OneTarget | Discovery | readonly (OneTarget | Discovery)[],
  terms: Terms = {},
  options: SubscribeOptions = {},
): Subscription {
  const given = [targets].flat();
  const discoveries = given.filter(isDiscovery);
  const named = given.flatMap((one, index) => (isDiscovery(one) ? [] : [namedTarget(one, index)]));
  assertUsable(given, named, options);

  const { id = newSubscriberId(), name, cursor, onCritical, ...ofSources } = options;
  const arrivals = new Arrivals<ReceivedEvent>(onCritical === undefined ? 0 : AHEAD_COUNT);
  const owners = new Owners<LiveSource>();
  const sources = new Map<string, LiveSource>();
  const absent = new Set<string>();
  const places = new RecentMap<string>(REMEMBERED_PLACES);
  const repeated = new WeakSet<object>();
  const stops: (() => void)[] = [];
  /** The terms, and the changes that no daemon has refused so far: a daemon that is found now gets all of them. */
  let granted: Capabilities = terms;
  const asked = new Set<{ readonly changes: Capabilities }>();
  let isAccepted = false;
  let firstFault: Fault | undefined;
  let closing: Promise<void> | undefined;

  const connected = (): readonly LiveSource[] => [...sources.values()].filter((one) => one.isConnected());

  function fail(caught: unknown): void {
    arrivals.end({ caught });
    close().catch(() => {});
  }

  function placeOf(source: Source): string | undefined {
    return places.get(source.name) ?? (typeof cursor === "function" ? cursor(source) : cursor);
  }

  function follow(target: Target): void {
    const capabilities = [...asked].reduce((all, { changes }) => mergedCapabilities(all, changes), granted);
    const live: LiveSource = createSource({
      target,
      options: ofSources,
      request: { subscriber_id: id, ...(name === undefined ? undefined : { subscriber_name: name }), capabilities },
      cursor: placeOf,
      onEvent: (event, arrival) => {
        owners.note(event, live);
        if (arrival === "repeated") repeated.add(event);
        else if (isCritical(event)) live.tell(onCritical, event);
        return arrivals.put(event);
      },
      onAccepted: () => {
        isAccepted = true;
      },
      afterEvents: (reached) => arrivals.mark(reached),
      onEnded: ({ because }) => hasEnded(live, because),
      onFailure: fail,
    });
    sources.set(target.name, live);
  }

  function hasEnded(live: LiveSource, because: SubscriberEnd["because"]): void {
    if (closing !== undefined) return;
    forget(live);
    firstFault ??= endFault(because);
    // A discovery may find other daemons. Terms that nobody has accepted so far are a mistake of the author's all the same.
    const isOver = discoveries.length === 0 || (because.kind === "rejected" && !isAccepted);
    if (sources.size === 0 && isOver) arrivals.end(firstFault === undefined ? undefined : { caught: firstFault });
  }

  function forget(live: LiveSource): void {
    const { name, cursor } = live.source;
    if (sources.get(name) !== live) return;
    const place = cursor();
    if (place !== undefined) places.set(name, place);
    sources.delete(name);
    absent.delete(name);
    owners.forget(live);
  }

  function appeared(target: Target): void {
    if (closing !== undefined) return;
    absent.delete(target.name);
    const known = sources.get(target.name);
    try {
      if (known === undefined) follow(target);
      else known.setPresent(true);
    } catch (caught) {
      fail(caught);
    }
  }

  function left(name: string): void {
    const live = sources.get(name);
    if (live === undefined) return;
    live.setPresent(false);
    absent.add(name);
    for (const longest of absent) {
      if (absent.size <= REMEMBERED_ABSENT) return;
      const one = sources.get(longest);
      // A connection that still stands is read to its end.
      if (one === undefined || one.isConnected()) continue;
      forget(one);
      void one.close(undefined);
    }
  }

  function close(reason?: string): Promise<void> {
    closing ??= (async () => {
      const closed = [...sources.values()].map((one) => one.close(reason));
      arrivals.drop();
      for (const stop of stops.splice(0)) stop();
      await Promise.all(closed);
    })();
    return closing;
  }

  /** Lets the sources read on while a caller waits for an answer, which stands behind events. */
  async function whileReading<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    let stop = (): void => {};
    const isFull = new Promise<never>((_, reject) => {
      stop = arrivals.readAhead(() => reject(tooFarAhead()));
    });
    try {
      return await Promise.race([ask(), isFull]);
    } finally {
      stop();
    }
  }

  async function renegotiate(changes: Terms): Promise<readonly SubscriptionAccepted[]> {
    const own = { changes };
    asked.add(own);
    const answers = await Promise.allSettled([...sources.values()].map((one) => one.renegotiate(changes)));
    asked.delete(own);
    const refusal = answers.find((answer) => answer.status === "rejected");
    if (refusal !== undefined) throw refusal.reason;
    granted = mergedCapabilities(granted, changes);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? (answer.value ?? []) : []));
  }

  const only = (): LiveSource | undefined => (sources.size === 1 ? [...sources.values()][0] : undefined);

  function startWatching({ watch }: Discovery): void {
    if (closing !== undefined) return;
    try {
      const stop = watch({ appeared, left, failed: fail });
      // It may have failed already.
      if (closing === undefined) stops.push(stop);
      else stop();
    } catch (caught) {
      fail(caught);
    }
  }

  for (const target of named) appeared(target);
  // A turn later, so that the caller has the subscription before a callback needs it.
  void Promise.resolve().then(() => {
    for (const discovery of discoveries) startWatching(discovery);
  });

  const iterator: AsyncIterator<ReceivedEvent, undefined> = {
    next: async () => {
      try {
        const next = await arrivals.next();
        return next === undefined ? { done: true, value: undefined } : { done: false, value: next.item };
      } catch (caught) {
        await close();
        throw caught;
      }
    },
    return: async () => {
      await close();
      return { done: true, value: undefined };
    },
  };

  return {
    [Symbol.asyncIterator]: () => iterator,
    reply: (reply) => {
      assertReply(reply);
      return owners.ofQuestion(reply.reply_token)?.subscriber.reply(reply) ?? false;
    },
    leave: (question) => owners.ofQuestion(question.reply_token)?.subscriber.leave(question) ?? false,
    stop: (session) => (owners.ofEvent(session) ?? only())?.subscriber.stop(session) ?? false,
    renegotiate: (changes) => whileReading(() => renegotiate(changes)),
    skip: (output) => {
      if (output === undefined) return connected().filter(({ subscriber }) => subscriber.skip()).length > 0;
      const { session_id, output_id } = output;
      const owner = owners.ofEvent(output) ?? only();
      return owner?.subscriber.skip({ session_id, ...(output_id === undefined ? undefined : { output_id }) }) ?? false;
    },
    repeat: (event) => (owners.ofEvent(event) ?? only())?.subscriber.repeat(event.event_id) ?? false,
    listPending: () =>
      whileReading(async () => {
        const questions = await Promise.all(
          connected().map(async (live) => {
            const own = await live.listPending();
            for (const question of own) owners.note(question, live);
            return own;
          }),
        );
        return questions.flat();
      }),
    sources: () => [...sources.values()].map(({ source }): Source => source),
    sourceOf: (event) => owners.ofEvent(event)?.source,
    isRepeated: (event) => repeated.has(event),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function isDiscovery(one: OneTarget | Discovery): one is Discovery {
  return typeof one === "object" && "watch" in one;
}

function namedTarget(one: OneTarget, index: number): Target {
  return typeof one === "function" ? { name: String(index + 1), connect: one } : one;
}

function assertUsable(given: readonly unknown[], named: readonly Target[], { cursor }: SubscribeOptions): void {
  if (given.length === 0)
    throw misused("There is no daemon to subscribe to. Give a connector, a target or a discovery.");
  if (typeof cursor === "string" && (given.length > 1 || named.length === 0))
    throw misused("A cursor belongs to one daemon. Give a function that returns the cursor of each source.");
  const names = new Set<string>();
  for (const { name } of named) {
    if (names.has(name)) throw misused(`Two targets have the name ${JSON.stringify(name)}. Name each daemon once.`);
    names.add(name);
  }
}

function misused(sentence: string): Fault {
  return new Fault("usage", sentence, { origin: "local" });
}

function tooFarAhead(): Fault {
  const sentence = "The answer is behind more events than are kept. Take events from the loop, and ask again.";
  return new Fault("lagging", sentence, { origin: "local" });
}
