// One request from its agent to a provider and back: heard, confirmed if it cannot be undone, forwarded, and answered exactly once.

import { toolNameOf } from "../../../base/tool-name.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Engine } from "../../../engine/engine.js";
import type { CapabilityName } from "../messages/capabilities.js";
import type { ErrorCode, ErrorDetail } from "../messages/error-codes.js";
import { failureIn } from "../messages/failure.js";
import { type A2eMessage, isMessage } from "../messages/message.js";
import { withMembers } from "../messages/message-text.js";
import { schemaFault } from "../messages/validate.js";
import type { HeardCall, Mirror } from "../mirror/mirror.js";
import { requestNameOf } from "../mirror/request-name.js";
import type { ForwardedRequest, Provider } from "../providers/provider.js";
import type { ParallelRequest } from "./parallel-requests.js";

export interface RequestMessage {
  readonly message: A2eMessage;
  readonly text: string;
  readonly id: string;
  readonly type: string;
  readonly capability: CapabilityName | undefined;
}

export interface RelayServices {
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  readonly mirror: Mirror;
  /** Of the agent's session, in place of the provider's in what it sends back. */
  readonly sessionId: string;
  readonly newCallId: () => string;
  /** The provider that has the request's capability now. */
  readonly provider: () => Provider | undefined;
  /** By the name of a tool, as the agent writes it. */
  readonly isIrreversible: (tool: string) => boolean;
  /** Whether the connection may put questions to a person (R36). */
  readonly mayAsk: () => boolean;
  /** Why no call that has to be confirmed is made any more; undefined while such calls are. */
  readonly whyNotHeld: () => string | undefined;
  /** As `Engine.inTurn`: the ends of many requests are spread over several turns (R34). */
  readonly inTurn: Engine["inTurn"];
  /** Time limit if the request names none. */
  readonly requestTimeoutMs: Millis;
  /** As `ExchangeHost.send`. */
  readonly send: (text: string, isFinal?: boolean) => boolean;
  /** Answers the agent by an error. */
  readonly fail: (code: ErrorCode, sentence: string, detail?: ErrorDetail) => void;
  /** The request has its answer, and its slot is free. */
  readonly ended: (request: RelayedRequest) => void;
}

export interface RelayedRequest extends ParallelRequest {
  /** The agent's id of the request. */
  readonly id: string;
  /** Answers by an error, if no answer was given. */
  readonly end: (code: ErrorCode, sentence: string) => void;
  /** Whether it waits for a person. */
  readonly isHeld: () => boolean;
  /** Ends the request if it still waits for a person. */
  readonly endIfHeld: (sentence: string) => void;
  /** The agent is gone: no answer is given. */
  readonly forget: () => void;
}

/** Time limit of a tool call that names none, s (A2E companion). */
const TOOL_CALL_SECONDS = 30;

/** Longest time limit that is kept, s. */
const LONGEST_SECONDS = 86_400;

const NOT_HEARD = "The call could not be announced, so it was not made. Try again later.";
const NO_PROVIDER = "The provider of this capability has gone. Try again later.";
const UNREADABLE = "The provider has answered, and the answer could not be read. The call may have had its effect.";
const NOT_TAKEN = "The answer did not fit: the agent takes no messages at present.";

export function createRelayedRequest(request: RequestMessage, services: RelayServices): RelayedRequest {
  const { message, text, id, type } = request;
  const { clock, mirror } = services;
  const isToolCall = type === "tool/call/req";
  const name = isToolCall ? String(message.tool_name) : requestNameOf(type);
  const call: HeardCall = {
    tool: isToolCall ? toolNameOf(name) : name,
    name,
    callId: services.newCallId(),
    correlationId: typeof message.correlation_id === "string" ? message.correlation_id : undefined,
    arguments: isToolCall && isMessage(message.arguments) ? message.arguments : undefined,
  };
  let isOver = false;
  /** Whether listeners know of the call. */
  let isHeard = false;
  let question: string | undefined;
  let forwarded: ForwardedRequest | undefined;
  let cancelTimeout = (): void => {};

  const close = (): void => {
    isOver = true;
    cancelTimeout();
    forwarded?.forget();
    const token = question;
    question = undefined;
    if (token !== undefined) services.inTurn(() => mirror.withdraw(token));
  };

  const end = (code: ErrorCode, sentence: string, detail?: ErrorDetail): void => {
    if (isOver) return;
    close();
    if (isHeard) mirror.failed(call, code);
    services.fail(code, sentence, detail);
    services.ended(relayed);
  };

  /** A message of the provider with the agent's ids. */
  const forAgent = (news: A2eMessage, newsText: string): string =>
    withMembers(
      newsText,
      news.session_id === undefined ? { req_id: id } : { req_id: id, session_id: services.sessionId },
    );

  const answer = (final: string, tell: () => void): void => {
    close();
    tell();
    if (!services.send(final)) services.fail("runtime_error", NOT_TAKEN);
    services.ended(relayed);
  };

  const forward = (provider: Provider): void => {
    const seconds = isTimeLimit(message.timeout) ? message.timeout : isToolCall ? TOOL_CALL_SECONDS : undefined;
    const limitMs = seconds === undefined ? services.requestTimeoutMs : seconds * 1000;
    cancelTimeout = clock.wakeAt(clock.now() + limitMs, () =>
      end("timeout", `No answer came within ${limitMs / 1000} s.`),
    );
    const sent = provider.request(text, {
      event: (news, newsText) => {
        if (isOver) return;
        // An event of wrong form is still the agent's; only nobody hears of it.
        if (news.type === "invoke/event" || news.type === "tool/event")
          if (schemaFault(news.type, news) === undefined) mirror.progressed(call, news);
        if (!services.send(forAgent(news, newsText)))
          end("runtime_error", "The agent takes no messages at present, so the request was given up.");
      },
      answered: (news, newsText) => {
        if (isOver) return;
        const failure = failureIn(news);
        answer(forAgent(news, newsText), () =>
          failure === undefined ? mirror.completed(call) : mirror.failed(call, failure),
        );
      },
      refused: (news, newsText) => {
        if (isOver) return;
        const code = typeof news.code === "string" && news.code !== "" ? news.code : "runtime_error";
        answer(forAgent(news, newsText), () => mirror.failed(call, code));
      },
      unreadable: () => end("runtime_error", UNREADABLE, { retryable: false }),
      lost: (sentence) => services.inTurn(() => end("runtime_error", sentence)),
    });
    // Lost at once.
    if (isOver) sent.forget();
    else forwarded = sent;
  };

  /** Announces the call, and forwards it. */
  const goOn = (isIrreversible: boolean): void => {
    const provider = services.provider();
    if (provider === undefined) {
      end("runtime_error", NO_PROVIDER);
      return;
    }
    let durable: Promise<void> | undefined;
    try {
      ({ durable } = mirror.called(call, isIrreversible));
      isHeard = true;
    } catch {
      end("runtime_error", NOT_HEARD);
      return;
    }
    if (!isIrreversible || durable === undefined) {
      forward(provider);
      return;
    }
    // Nothing that cannot be undone happens before its record is safe (R29).
    durable.then(
      () => {
        if (!isOver) forward(provider);
      },
      () => end("runtime_error", NOT_HEARD),
    );
  };

  const notMade = (sentence: string): void =>
    end("runtime_error", sentence, { detail: "confirmation_rejected", retryable: false });

  const confirm = (): void => {
    const why = services.whyNotHeld();
    if (why !== undefined) {
      notMade(why);
      return;
    }
    if (!services.mayAsk()) {
      end("unauthorized", "A person has to confirm this call, and this connection may ask nobody. It was not made.");
      return;
    }
    // Nobody is asked for a call that cannot be made (R5c).
    if (services.provider() === undefined) {
      end("runtime_error", NO_PROVIDER);
      return;
    }
    try {
      question = mirror.ask(call, (isAccepted) => {
        question = undefined;
        if (isOver) return;
        const sentence = isAccepted ? services.whyNotHeld() : "The call was not confirmed, so it was not made.";
        if (sentence === undefined) goOn(true);
        else notMade(sentence);
      });
    } catch {
      end("runtime_error", "The call could not be put to a person, so it was not made. Try again later.");
      return;
    }
  };

  const relayed: RelayedRequest = {
    id,
    units: text.length,
    begin: () => {
      if (isToolCall && services.isIrreversible(name)) confirm();
      else goOn(false);
    },
    end,
    endIfHeld: (sentence) => {
      if (question !== undefined) notMade(sentence);
    },
    isHeld: () => question !== undefined,
    forget: () => {
      if (!isOver) close();
    },
  };
  return relayed;
}

/** Whether a member `timeout` is one. Types that A2E does not name may have another member of this name. */
function isTimeLimit(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LONGEST_SECONDS;
}
