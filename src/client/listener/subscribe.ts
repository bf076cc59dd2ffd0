// A listener as one object: the events of one or several daemons as one async iterable.
import type { Capabilities, SubscriptionAccepted } from "#gen/aaep/types.js";
import { Fault } from "../../base/errors.js";
import type { ReceivedEvent } from "../events.js";
import { newSubscriberId } from "../random-ids.js";
import { mergedCapabilities } from "../subscriber.js";
import { createArrivals } from "./arrivals.js";
import { endFault } from "./end-fault.js";
import type { Connector, Discovery, Source, SubscribeOptions, Subscription, Target } from "./listener-types.js";
import { createOwners } from "./owners.js";
import { createSource, type LiveSource } from "./source.js";

/** One daemon: a way to it, with or without a name. */
export type OneTarget = Connector | Target;

/**
 * Daemons that have left and are remembered, so that nothing is missed or heard twice when they are back. The longest absent one is forgotten first.
 */
const REMEMBERED_ABSENT = 32;

/**
 * Subscribes to one or several daemons, or to all that a `Discovery` finds. Connects at once, and again after each loss with a growing wait; resumes
 * at its place and drops repeats (AAEP ch. 5, R12, R17).
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
  terms: Capabilities = {},
  options: SubscribeOptions = {},
): Subscription {
  const given = [targets].flat();
  const discoveries = given.filter(isDiscovery);
  const named = given.flatMap((one, index) => (isDiscovery(one) ? [] : [namedTarget(one, index)]));
  assertUsable(given, named);

  const arrivals = createArrivals<ReceivedEvent>();
  const owners = createOwners<LiveSource>();
  const sources = new Map<string, LiveSource>();
  const absent = new Set<string>();
  const repeated = new WeakSet<object>();
  const stops: (() => void)[] = [];
  const { id = newSubscriberId(), name } = options;
  let capabilities = terms;
  let firstFault: Fault | undefined;
  let closing: Promise<void> | undefined;

  const connected = (): readonly LiveSource[] => [...sources.values()].filter((one) => one.isConnected());

  function fail(caught: unknown): void {
    arrivals.end({ caught });
    void close();
  }

  function follow(target: Target): void {
    const live: LiveSource = createSource({
      target,
      options,
      request: { subscriber_id: id, ...(name === undefined ? undefined : { subscriber_name: name }), capabilities },
      onEvent: (event, arrival) => {
        owners.note(event, live);
        if (arrival === "repeated") repeated.add(event);
        return arrivals.put(event);
      },
      afterEvents: arrivals.mark,
      onEnded: ({ because }) => {
        if (closing !== undefined) return;
        forget(live);
        firstFault ??= endFault(because);
        if (sources.size === 0 && discoveries.length === 0)
          arrivals.end(firstFault === undefined ? undefined : { caught: firstFault });
      },
      onFailure: fail,
    });
    sources.set(target.name, live);
  }

  function forget(live: LiveSource): void {
    const { name } = live.source;
    if (sources.get(name) !== live) return;
    sources.delete(name);
    absent.delete(name);
    owners.forget(live);
  }

  function appeared(target: Target): void {
    if (closing !== undefined) return;
    absent.delete(target.name);
    const known = sources.get(target.name);
    if (known === undefined) follow(target);
    else known.setPresent(true);
  }

  function left(name: string): void {
    const live = sources.get(name);
    if (live === undefined) return;
    live.setPresent(false);
    absent.add(name);
    for (const longest of absent) {
      if (absent.size <= REMEMBERED_ABSENT) break;
      absent.delete(longest);
      const one = sources.get(longest);
      // A connection that still stands is read to its end.
      if (one === undefined || one.isConnected()) continue;
      forget(one);
      void one.close(undefined);
    }
  }

  function close(reason?: string): Promise<void> {
    closing ??= (async () => {
      for (const stop of stops.splice(0)) stop();
      const closed = [...sources.values()].map((one) => one.close(reason));
      arrivals.drop();
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

  async function renegotiate(changes: Capabilities): Promise<readonly SubscriptionAccepted[]> {
    const former = capabilities;
    // For daemons that are found from now on.
    const changed = mergedCapabilities(former, changes);
    capabilities = changed;
    const answers = await Promise.allSettled([...sources.values()].map((one) => one.renegotiate(changes)));
    const refusal = answers.find((answer) => answer.status === "rejected");
    if (refusal !== undefined) {
      if (capabilities === changed) capabilities = former;
      throw refusal.reason;
    }
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? (answer.value ?? []) : []));
  }

  const only = (): LiveSource | undefined => (sources.size === 1 ? [...sources.values()][0] : undefined);

  for (const target of named) follow(target);
  // A turn later, so that the caller has the subscription before a callback needs it.
  void Promise.resolve().then(() => {
    for (const { watch } of discoveries) {
      if (closing !== undefined) return;
      try {
        stops.push(watch({ appeared, left, failed: fail }));
      } catch (caught) {
        fail(caught);
      }
    }
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
    reply: (reply) => (owners.ofQuestion(reply.reply_token) ?? only())?.subscriber.reply(reply) ?? false,
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
            const own = await live.subscriber.listPending();
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

function assertUsable(given: readonly unknown[], named: readonly Target[]): void {
  if (given.length === 0) {
    const sentence = "There is no daemon to subscribe to. Give a connector, a target or a discovery.";
    throw new Fault("usage", sentence, { origin: "local" });
  }
  const twice = named.find(({ name }, index) => named.some((other, before) => before < index && other.name === name));
  if (twice === undefined) return;
  const sentence = `Two targets have the name ${JSON.stringify(twice.name)}. Name each daemon once.`;
  throw new Fault("usage", sentence, { origin: "local" });
}

function tooFarAhead(): Fault {
  const sentence = "The answer is behind more events than are kept. Take events from the loop, and ask again.";
  return new Fault("lagging", sentence, { origin: "local" });
}
