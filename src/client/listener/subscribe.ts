// A listener as one object: the events of one or several daemons as one async iterable.

import type { Capabilities } from "#gen/aaep/types.js";
import { Fault, usage } from "../../base/errors.js";
import { isCritical } from "../event-types.js";
import type { ReceivedEvent } from "../events.js";
import { newSubscriberId } from "../random-ids.js";
import { RecentMap } from "../recent-map.js";
import { Arrivals, OVER } from "./arrivals.js";
import { endFault } from "./interruptions.js";
import { assertReply, mergedCapabilities } from "./requests.js";
import { Subscriber } from "./subscriber.js";
import type { Terms } from "./terms.js";
import type { Connector, Discovery, Source, SubscribeOptions, SubscriberEnd, Subscription, Target } from "./types.js";

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
/** Newest sessions and questions whose daemons are certainly remembered. */
const REMEMBERED_OWNERS = 8192;

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
  return new Listening(named, discoveries, terms, options);
}

/** Its functions can be taken off it. */
export class Listening implements Subscription {
  readonly #options: SubscribeOptions;
  readonly #id: string;
  readonly #isLasting: boolean;
  readonly #arrivals: Arrivals<ReceivedEvent>;
  readonly #owners = new Owners();
  readonly #followed = new Map<string, Followed>();
  readonly #absent = new Set<string>();
  readonly #places = new RecentMap<string>(REMEMBERED_PLACES);
  readonly #repeated = new WeakSet<object>();
  readonly #stops: (() => void)[] = [];
  /** The terms, and the changes that no daemon has refused so far: a daemon that is found now gets all of them. */
  #terms: Capabilities;
  readonly #asked = new Set<{ readonly changes: Capabilities }>();
  #isAccepted = false;
  #firstFault: Fault | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    targets: readonly Target[],
    discoveries: readonly Discovery[],
    terms: Capabilities,
    options: SubscribeOptions,
  ) {
    this.#options = options;
    this.#id = options.id ?? newSubscriberId();
    this.#isLasting = discoveries.length > 0;
    this.#arrivals = new Arrivals(options.onCritical === undefined ? 0 : AHEAD_COUNT);
    this.#terms = terms;
    for (const target of targets) this.#appeared(target);
    // A turn later, so that the caller has the subscription before a callback needs it.
    void Promise.resolve().then(() => {
      for (const discovery of discoveries) this.#watch(discovery);
    });
  }

  readonly [Symbol.asyncIterator] = (): AsyncIterator<ReceivedEvent, undefined> => this.#iterator;

  readonly reply: Subscription["reply"] = (reply) => {
    assertReply(reply);
    return this.#owners.ofQuestion(reply.reply_token)?.subscriber.reply(reply) ?? false;
  };

  readonly leave: Subscription["leave"] = (question) =>
    this.#owners.ofQuestion(question.reply_token)?.subscriber.leave(question) ?? false;

  readonly stop: Subscription["stop"] = (session) => this.#ofSession(session)?.stop(session) ?? false;

  readonly renegotiate: Subscription["renegotiate"] = (changes) =>
    this.#whileReading(async () => {
      const own = { changes };
      this.#asked.add(own);
      const answers = await Promise.allSettled(this.#all.map(({ subscriber }) => subscriber.renegotiate(changes)));
      this.#asked.delete(own);
      const refusal = answers.find((answer) => answer.status === "rejected");
      if (refusal !== undefined) throw refusal.reason;
      this.#terms = mergedCapabilities(this.#terms, changes);
      return answers.flatMap((answer) => (answer.status === "fulfilled" ? (answer.value ?? []) : []));
    });

  readonly skip: Subscription["skip"] = (output) => {
    if (output === undefined) return this.#connected.filter(({ subscriber }) => subscriber.skip()).length > 0;
    return this.#ofSession(output)?.skip(output) ?? false;
  };

  readonly repeat: Subscription["repeat"] = (event) => this.#ofSession(event)?.repeat(event.event_id) ?? false;

  readonly listPending: Subscription["listPending"] = () =>
    this.#whileReading(async () => {
      const questions = await Promise.all(
        this.#connected.map(async (one) => {
          const own = (await one.subscriber.answerOf(one.subscriber.listPending())) ?? [];
          for (const question of own) this.#owners.note(question, one);
          return own;
        }),
      );
      return questions.flat();
    });

  readonly sources: Subscription["sources"] = () => this.#all.map(({ source }) => source);
  readonly sourceOf: Subscription["sourceOf"] = (event) => this.#owners.ofEvent(event)?.source;
  readonly isRepeated: Subscription["isRepeated"] = (event) => this.#repeated.has(event);

  readonly close: Subscription["close"] = (reason) => {
    this.#closing ??= (async () => {
      const closed = this.#all.map(({ subscriber }) => subscriber.close(reason));
      this.#arrivals.drop();
      for (const stop of this.#stops.splice(0)) stop();
      await Promise.all(closed);
    })();
    return this.#closing;
  };

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  readonly #iterator: AsyncIterator<ReceivedEvent, undefined> = {
    next: async () => {
      try {
        return await this.#arrivals.next();
      } catch (caught) {
        await this.close();
        throw caught;
      }
    },
    return: async () => {
      await this.close();
      return OVER;
    },
  };

  /** The subscriber of the daemon with that name, for callers that mean this daemon alone; undefined while it is not followed. */
  subscriberOf(name: string): Subscriber | undefined {
    return this.#followed.get(name)?.subscriber;
  }

  get #all(): readonly Followed[] {
    return [...this.#followed.values()];
  }

  get #connected(): readonly Followed[] {
    return this.#all.filter(({ subscriber }) => subscriber.isActive);
  }

  /** The daemon of a session's events. A subscription to one daemon alone can mean no other. */
  #ofSession(event: { readonly session_id: string }): Subscriber | undefined {
    return (this.#owners.ofEvent(event) ?? (this.#followed.size === 1 ? this.#all[0] : undefined))?.subscriber;
  }

  /** Lets the daemons' streams be read on while a caller waits for an answer, which stands behind events. */
  async #whileReading<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    let stop = (): void => {};
    const isFull = new Promise<never>((_, reject) => {
      stop = this.#arrivals.readAhead(() => reject(tooFarAhead()));
    });
    try {
      return await Promise.race([ask(), isFull]);
    } finally {
      stop();
    }
  }

  readonly #fail = (caught: unknown): void => {
    this.#arrivals.end({ caught });
    this.close().catch(() => {});
  };

  #watch({ watch }: Discovery): void {
    if (this.#closing !== undefined) return;
    try {
      const stop = watch({
        appeared: (target) => this.#appeared(target),
        left: (name) => this.#left(name),
        failed: this.#fail,
      });
      // It may have failed already.
      if (this.#closing === undefined) this.#stops.push(stop);
      else stop();
    } catch (caught) {
      this.#fail(caught);
    }
  }

  #appeared(target: Target): void {
    if (this.#closing !== undefined) return;
    this.#absent.delete(target.name);
    const known = this.#followed.get(target.name);
    try {
      if (known === undefined) this.#follow(target);
      else known.subscriber.setPresent(true);
    } catch (caught) {
      this.#fail(caught);
    }
  }

  #left(name: string): void {
    const known = this.#followed.get(name);
    if (known === undefined) return;
    known.subscriber.setPresent(false);
    this.#absent.add(name);
    for (const longest of this.#absent) {
      if (this.#absent.size <= REMEMBERED_ABSENT) return;
      const one = this.#followed.get(longest);
      // A connection that still stands is read to its end.
      if (one === undefined || one.subscriber.isActive) continue;
      this.#forget(one);
      void one.subscriber.close();
    }
  }

  #follow({ name: place, label = place, connect }: Target): void {
    const { name, cursor, onCritical, onCursor, onState, onError, onReplyNotTaken, ...ofEach } = this.#options;
    let reached: string | undefined;
    let subscriber: Subscriber | undefined;
    const source: Source = { name: place, label, state: () => subscriber?.state, cursor: () => reached };
    /** Calls a function of the listener's. A promise of it that rejects fails as an error thrown does. */
    const tell = <Value>(call: ((value: Value, source: Source) => unknown) | undefined, value: Value): void => {
      const called = call?.(value, source);
      if (called instanceof Promise) called.catch(this.#fail);
    };
    reached = this.#places.get(place) ?? (typeof cursor === "function" ? cursor(source) : cursor);
    subscriber = new Subscriber({
      ...ofEach,
      connect,
      request: {
        subscriber_id: this.#id,
        ...(name === undefined ? undefined : { subscriber_name: name }),
        capabilities: [...this.#asked].reduce((all, { changes }) => mergedCapabilities(all, changes), this.#terms),
      },
      cursor: reached,
      onEvent: (event, isRepeated) => {
        this.#owners.note(event, one);
        if (isRepeated) this.#repeated.add(event);
        else if (isCritical(event)) tell(onCritical, event);
        return this.#arrivals.put(event);
      },
      onCursor: (next) =>
        this.#arrivals.mark(() => {
          reached = next;
          tell(onCursor, next);
        }),
      onState: (state) => {
        if (state.kind === "active") this.#isAccepted = true;
        tell(onState, state);
      },
      onError: (error) => tell(onError, error),
      onReplyNotTaken: (token) => tell(onReplyNotTaken, token),
    });
    const one: Followed = { source, subscriber };
    this.#followed.set(place, one);
    subscriber.ended.then(({ because }) => this.#ended(one, because), this.#fail);
  }

  #ended(one: Followed, because: SubscriberEnd["because"]): void {
    if (this.#closing !== undefined) return;
    this.#forget(one);
    this.#firstFault ??= endFault(because);
    // A discovery may find other daemons. Terms that nobody has accepted so far are a mistake of the author's all the same.
    const isOver = !this.#isLasting || (because.kind === "rejected" && !this.#isAccepted);
    if (this.#followed.size > 0 || !isOver) return;
    this.#arrivals.end(this.#firstFault && { caught: this.#firstFault });
  }

  #forget(one: Followed): void {
    const { name, cursor } = one.source;
    if (this.#followed.get(name) !== one) return;
    const place = cursor();
    if (place !== undefined) this.#places.set(name, place);
    this.#followed.delete(name);
    this.#absent.delete(name);
    this.#owners.forget(one);
  }
}

interface Followed {
  readonly source: Source;
  readonly subscriber: Subscriber;
}

/** Remembers which daemon a session or a question is of, so that replies and skips go to the one that they mean. */
class Owners {
  readonly #events = new WeakMap<object, Followed>();
  /** By the ids of sessions, and by the tokens of questions behind a line break. */
  readonly #owners = new RecentMap<Followed>(REMEMBERED_OWNERS);

  note(event: ReceivedEvent, owner: Followed): void {
    this.#events.set(event, owner);
    this.#owners.set(event.session_id, owner);
    const { reply_token: token } = event as { readonly reply_token?: unknown };
    if (typeof token === "string") this.#owners.set(`\n${token}`, owner);
  }

  ofQuestion(replyToken: string): Followed | undefined {
    return this.#owners.get(`\n${replyToken}`);
  }

  /** The owner of this very event, else the last one that had an event of its session. */
  ofEvent(event: { readonly session_id: string }): Followed | undefined {
    return this.#events.get(event) ?? this.#owners.get(event.session_id);
  }

  forget(owner: Followed): void {
    this.#owners.deleteAll((one) => one === owner);
  }
}

function isDiscovery(one: OneTarget | Discovery): one is Discovery {
  return typeof one === "object" && "watch" in one;
}

function namedTarget(one: OneTarget, index: number): Target {
  return typeof one === "function" ? { name: String(index + 1), connect: one } : one;
}

function assertUsable(given: readonly unknown[], named: readonly Target[], { cursor }: SubscribeOptions): void {
  if (given.length === 0) throw usage("There is no daemon to subscribe to. Give a connector, a target or a discovery.");
  if (typeof cursor === "string" && (given.length > 1 || named.length === 0))
    throw usage("A cursor belongs to one daemon. Give a function that returns the cursor of each source.");
  const names = new Set<string>();
  for (const { name } of named) {
    if (names.has(name)) throw usage(`Two targets have the name ${JSON.stringify(name)}. Name each daemon once.`);
    names.add(name);
  }
}

function tooFarAhead(): Fault {
  const sentence = "The answer is behind more events than are kept. Take events from the loop, and ask again.";
  return new Fault("lagging", sentence, { origin: "local" });
}
