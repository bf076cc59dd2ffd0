// One conversation of a host: which of its calls run, which questions are asked, and where its turns begin and end (R8c). Hosts tell of a call before
// they ask about it, and a call must not be heard to run before the person's yes. It is told when a listener has allowed it, or with its end.
import type { Decision, Sign } from "../../adapters/adapter.js";
import type { HookReading } from "../../adapters/hooks/hook-host.js";
import type { IdSource } from "../../base/ids.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { AgentHandle } from "../../engine/agents/agent-handle.js";
import type { Wording } from "../../engine/messages/wording.js";
import type { KeptCall, KeptConversation, KeptTurn } from "./kept-conversation.js";
import { type Answer, type Asking, createOpenQuestions } from "./open-questions.js";
import { createTurnSpeaker } from "./turn-speaker.js";

/** A call in a mode without questions is told after this time, ms. Even there a rule of the person's may make the host ask. */
const QUIET_MS: Millis = 5000;
/** The end of a question may take so long to be safe in the journal, ms. Later it holds up nothing. */
const SAFE_WITHIN_MS: Millis = 5000;
/** Bytes of a token for a session (R8). */
const TOKEN_BYTES = 16;
/** Calls of a turn that are open at a time, as many as a session takes. Of further ones the oldest is over: its end was not heard. */
const MOST_CALLS = 256;

export interface ConversationServices {
  readonly agent: AgentHandle;
  readonly words: Wording;
  readonly clock: Clock;
  readonly ids: Pick<IdSource, "hex">;
  /** Whether a subscription can answer a question of this session. */
  readonly hasAudience: (sessionId: string) => boolean;
  /** `kept` has changed, or is about to. */
  readonly changed: () => void;
  readonly unheard: (caught: unknown) => void;
}

export type Conversation = ReturnType<typeof createConversation>;

export function createConversation(kept: KeptConversation, services: ConversationServices) {
  const { agent, words, clock, ids, changed, unheard } = services;
  const speaker = createTurnSpeaker(agent, unheard);
  const hasAudience = () => kept.turn !== undefined && services.hasAudience(kept.turn.sessionId);
  const questions = createOpenQuestions(agent, clock, hasAudience);
  const held = new Map<KeptCall, () => void>();

  const begin = (said: string): KeptTurn => {
    const turn: KeptTurn = {
      sessionId: `sess_${ids.hex(TOKEN_BYTES)}`,
      resumeToken: `rst_${ids.hex(TOKEN_BYTES)}`,
      told: "idle",
      outputCount: 0,
      hasText: false,
      hasAsked: false,
      calls: [],
    };
    kept.turn = turn;
    speaker.start(turn, said, kept.conversation);
    return turn;
  };
  /** The open turn. One whose beginning was not heard begins now. */
  const present = (): KeptTurn => kept.turn ?? begin(words.say("works"));

  const hold = (turn: KeptTurn, call: KeptCall): void => {
    held.set(
      call,
      clock.wakeAt(clock.now() + QUIET_MS, () => {
        held.delete(call);
        changed();
        speaker.invoke(turn, call);
      }),
    );
  };
  const release = (call: KeptCall): void => {
    held.get(call)?.();
    held.delete(call);
  };
  const forget = (turn: KeptTurn, call: KeptCall): void => {
    release(call);
    turn.calls = turn.calls.filter((one) => one !== call);
  };

  const endCall = (turn: KeptTurn, call: KeptCall, status: "success" | "error" | "cancelled"): void => {
    forget(turn, call);
    // The host did not allow it, so it has never run.
    if (call.phase === "seen" && status === "cancelled") return;
    if (call.phase === "seen") speaker.invoke(turn, call);
    speaker.complete(turn, call, status);
  };
  const endTurn = (sign: Pick<Extract<Sign, { readonly kind: "end" }>, "how" | "words" | "code">): void => {
    const { turn } = kept;
    if (turn === undefined) return;
    for (const call of turn.calls) {
      if (call.phase === "running") endCall(turn, call, sign.how === "cancelled" ? "cancelled" : "error");
      else forget(turn, call);
    }
    speaker.end(turn, sign);
    kept.turn = undefined;
  };

  const tell = (sign: Sign, { actor, key, lastMessage, isSpare, isUnasked, ran }: HookReading): void => {
    switch (sign.kind) {
      case "turn":
        endTurn({ how: "cancelled", words: words.say("stopped") });
        begin(sign.words);
        return;
      case "end":
        if (lastMessage !== undefined && kept.turn?.hasText !== true) speaker.text(present(), "last", lastMessage);
        endTurn(sign);
        return;
      case "text":
        speaker.text(present(), sign.output, sign.text);
        return;
      case "text-end":
        if (kept.turn !== undefined) speaker.endText(kept.turn);
        return;
      case "tool": {
        const turn = present();
        if (turn.calls.some(({ call }) => call === sign.call)) return;
        const call: KeptCall = { call: sign.call, key, actor, name: sign.name, words: sign.words, phase: "seen" };
        const [oldest] = turn.calls;
        if (turn.calls.length >= MOST_CALLS && oldest !== undefined) endCall(turn, oldest, "cancelled");
        turn.calls.push(call);
        if (isUnasked === true) hold(turn, call);
        return;
      }
      case "tool-end": {
        const { turn } = kept;
        if (turn === undefined) return;
        // The message of its beginning may be lost.
        const missed = ran && { call: sign.call, key, actor, phase: "seen" as const, ...ran };
        const call = turn.calls.find((one) => one.call === sign.call) ?? missed;
        if (call !== undefined) endCall(turn, call, sign.status);
        return;
      }
      case "progress":
        speaker.progress(present(), sign);
        return;
      case "state": {
        const isNews = kept.turn !== undefined || sign.state === "awaiting_input";
        if (isNews && !(isSpare === true && kept.turn?.hasAsked === true))
          speaker.state(present(), sign.state, sign.words, questions.isAny());
        return;
      }
      case "question":
      case "question-over":
        // Asked by `ask`; over by `settle`.
        return;
    }
  };

  /** The newest call of the same tool with the same arguments about which nobody is asked yet. */
  const callOf = (turn: KeptTurn, { key, actor }: HookReading): KeptCall | undefined =>
    turn.calls.findLast((one) => one.key === key && one.actor === actor && !questions.isAbout(one.call));

  const ask = async (
    sign: Extract<Sign, { readonly kind: "question" }>,
    reading: HookReading,
    whenLeft: Asking["whenLeft"],
  ): Promise<Decision | undefined> => {
    const turn = present();
    const call = callOf(turn, reading);
    if (call !== undefined) release(call);
    // A call that was told by now cannot be asked about by its id.
    const named = call?.phase === "seen" ? call.call : undefined;
    const put = (asked: typeof sign): Promise<Answer> =>
      questions.ask(
        { key: reading.key, actor: reading.actor, call: call?.call },
        {
          publish: (done) => speaker.ask(turn, asked, named, done),
          needsAudience: reading.needsAudience === true,
          whenLeft,
        },
      );
    let answer = await put(sign);
    if (answer?.decision === "accept" && reading.isCut === true)
      answer = await put({ ...sign, action: words.say("notAllRead", { action: sign.action }) });
    // A decision of the host shows in its own messages.
    if (answer === undefined || kept.turn !== turn) return answer?.decision;
    changed();
    if (call !== undefined && turn.calls.includes(call)) settled(turn, call, answer);
    return answer.decision;
  };

  /** A call runs when the person has allowed it. */
  const settled = (turn: KeptTurn, call: KeptCall, { decision, token }: NonNullable<Answer>): void => {
    if (decision === "reject") endCall(turn, call, "cancelled");
    else if (call.phase === "seen") {
      call.consent = { token };
      speaker.invoke(turn, call);
    }
  };

  /** Ends what the message settles. A call about which a question is open cannot be told: the end of the question must be safe first. */
  const settle = async (reading: HookReading): Promise<void> => {
    const over = questions.settle(reading);
    if (over.length === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.wakeAt(clock.now() + SAFE_WITHIN_MS, resolve);
      void Promise.all(over.map(({ whenOver }) => whenOver)).then(() => {
        cancel();
        resolve();
      });
    });
    for (const { call, decision } of over) {
      const asked = kept.turn?.calls.find((one) => one.call === call);
      if (asked !== undefined && decision === "accept") asked.consent ??= "host";
    }
  };

  /** Tells a message, and returns the person's decision to come, if it asks for one. */
  const hear = async (
    reading: HookReading,
    whenLeft: Asking["whenLeft"],
  ): Promise<(() => Promise<Decision | undefined>) | undefined> => {
    kept.seenAt = clock.wallTime();
    changed();
    await settle(reading);
    for (const sign of reading.signs) tell(sign, reading);
    const asked = kept.turn && reading.isAskedThere && callOf(kept.turn, reading);
    if (asked !== undefined) release(asked);
    const question = reading.signs.find((sign) => sign.kind === "question");
    if (question === undefined) return undefined;
    const asking = ask(question, reading, whenLeft);
    return () => asking;
  };
  /** Messages are told in the order in which they came. */
  let before: Promise<unknown> = Promise.resolve();

  return {
    /** Takes one message of the host. Resolves with the person's decision, if the message asks for one and there is one. Never rejects. */
    take: async (reading: HookReading, whenLeft: Asking["whenLeft"]): Promise<Decision | undefined> => {
      let hasLeft = false;
      const stay = whenLeft(() => {
        hasLeft = true;
      });
      const heard = before.then(() =>
        hear(reading, (run) => {
          stay();
          if (hasLeft) run();
          return whenLeft(run);
        }),
      );
      before = heard.catch(() => {});
      const decision = await heard;
      stay();
      return decision?.();
    },
    /** Ends the open turn as cancelled. */
    end: (): void => {
      changed();
      endTurn({ how: "cancelled", words: words.say("stopped") });
    },
    /** Leaves the open turn to the next boot. */
    close: (): void => {
      for (const cancel of held.values()) cancel();
      held.clear();
      agent.close();
    },
  };
}
