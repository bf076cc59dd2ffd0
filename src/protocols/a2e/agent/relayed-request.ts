// One request from its agent to a provider and back: heard, confirmed if it cannot be undone, forwarded, and answered exactly once.
import { isObject } from "../../../base/members.js";
import { toolNameOf } from "../../../base/tool-name.js";
import type { ExchangeHost } from "../../../contracts/exchange.js";
import { capabilityOf } from "../messages/capabilities.js";
import type { ErrorCode, ErrorDetail } from "../messages/error-codes.js";
import { type A2eMessage, schemaFault, withMembers } from "../messages/message.js";
import type { HeardCall, Mirror } from "../mirror/mirror.js";
import type { A2eServices } from "../providers/a2e-services.js";
import type { Provider } from "../providers/router.js";

export interface RequestMessage {
  readonly message: A2eMessage;
  readonly text: string;
  /** The agent's id of the request. */
  readonly id: string;
  readonly type: string;
}

/** The session of a request's agent. */
export interface RequestSession {
  readonly sessionId: string;
  readonly mirror: Mirror;
  readonly send: ExchangeHost["send"];
  /** Answers the agent by an error. */
  readonly fail: (code: ErrorCode, sentence: string, requestId?: unknown, detail?: ErrorDetail) => void;
  /** Whether the agent may do this now (R36). */
  readonly may: (operation: "publish" | "ask") => boolean;
}

export interface RelayServices extends RequestSession {
  readonly by: Pick<A2eServices, "clock" | "engine" | "options">;
  readonly callId: string;
  /** The provider that has the request's capability now. */
  readonly provider: () => Provider | undefined;
  /** Why no call that has to be confirmed is made any more; undefined while such calls are. */
  readonly whyNotHeld: () => string | undefined;
  /** The request has its answer, and its slot is free. */
  readonly ended: (request: RelayedRequest) => void;
}

/** Time limit of a tool call that names none, s (A2E companion). */
const TOOL_CALL_SECONDS = 30;

/** Longest time limit that is kept, s. */
const LONGEST_SECONDS = 86_400;

const NOT_HEARD = "The call could not be announced, so it was not made. Try again later.";
const NO_PROVIDER = "The provider of this capability has gone. Try again later.";
const UNREADABLE = "The provider has answered, and the answer could not be read. The call may have had its effect.";
const UNANSWERED = "No answer came from the provider. The call may have had its effect.";
const NOT_TAKEN = "The answer did not fit: the agent takes no messages at present.";

export class RelayedRequest {
  readonly id: string;
  /** UTF-16 units. */
  readonly units: number;
  private readonly request: RequestMessage;
  private readonly services: RelayServices;
  private readonly isToolCall: boolean;
  private readonly call: HeardCall;
  private isOver = false;
  /** Whether listeners know of the call. */
  private isHeard = false;
  /** Whether it cannot be undone and the provider has it: whatever ends it then, it may have had its effect. */
  private isFinal = false;
  private question: string | undefined;
  private takeBack: (() => void) | undefined;
  private cancelTimeout = (): void => {};

  constructor(request: RequestMessage, services: RelayServices) {
    const { message, text, id, type } = request;
    this.id = id;
    this.units = text.length;
    this.request = request;
    this.services = services;
    this.isToolCall = type === "tool/call/req";
    const name = this.isToolCall ? String(message.tool_name) : requestNameOf(type);
    this.call = {
      tool: this.isToolCall ? toolNameOf(name) : name,
      name,
      callId: services.callId,
      correlationId: typeof message.correlation_id === "string" ? message.correlation_id : undefined,
      arguments: this.isToolCall && isObject(message.arguments) ? message.arguments : undefined,
    };
  }

  /** Called once, when a slot is free. */
  begin(): void {
    if (this.isToolCall && this.services.by.options.isIrreversible(this.call.name)) this.confirm();
    else this.goOn(false);
  }

  /** Answers by an error, if no answer was given. */
  end(code: ErrorCode, sentence: string, detail?: ErrorDetail): void {
    if (this.isOver) return;
    this.forget();
    if (this.isHeard) this.services.mirror.failed(this.call, code);
    this.fail(code, sentence, detail);
    this.services.ended(this);
  }

  /** Whether it waits for a person. */
  isHeld(): boolean {
    return this.question !== undefined;
  }

  /** Ends the request if it still waits for a person. */
  endIfHeld(sentence: string): void {
    if (this.isHeld()) this.notMade(sentence);
  }

  private confirm(): void {
    const { services, call } = this;
    const why = services.whyNotHeld();
    if (why !== undefined) this.notMade(why);
    else if (!services.may("ask"))
      this.end(
        "unauthorized",
        "A person has to confirm this call, and this connection may ask nobody. It was not made.",
      );
    // Nobody is asked for a call that cannot be made (R5c).
    else if (services.provider() === undefined) this.end("runtime_error", NO_PROVIDER);
    else
      try {
        this.question = services.mirror.ask(call, (isAccepted) => this.decided(isAccepted));
      } catch {
        this.end("runtime_error", "The call could not be put to a person, so it was not made. Try again later.");
      }
  }

  private decided(isAccepted: boolean): void {
    this.question = undefined;
    if (this.isOver) return;
    const sentence = isAccepted ? this.services.whyNotHeld() : "The call was not confirmed, so it was not made.";
    if (sentence === undefined) this.goOn(true);
    else this.notMade(sentence);
  }

  private notMade(sentence: string): void {
    this.end("runtime_error", sentence, { detail: "confirmation_rejected", retryable: false });
  }

  /** Announces the call, and forwards it. */
  private goOn(isIrreversible: boolean): void {
    const provider = this.services.provider();
    if (provider === undefined) {
      this.end("runtime_error", NO_PROVIDER);
      return;
    }
    let durable: Promise<void> | undefined;
    try {
      ({ durable } = this.services.mirror.called(this.call, isIrreversible));
      this.isHeard = true;
    } catch {
      this.end("runtime_error", NOT_HEARD);
      return;
    }
    if (!isIrreversible || durable === undefined) {
      this.forward(provider, isIrreversible);
      return;
    }
    // Nothing that cannot be undone happens before its record is safe (R29).
    durable.then(
      () => {
        if (!this.isOver) this.forward(provider, isIrreversible);
      },
      () => this.end("runtime_error", NOT_HEARD),
    );
  }

  private forward(provider: Provider, isIrreversible: boolean): void {
    this.isFinal = isIrreversible;
    const { services, call } = this;
    const { mirror, by } = services;
    const { timeout } = this.request.message;
    const giveUp = (code: ErrorCode, sentence: string): void => this.end(code, isIrreversible ? UNANSWERED : sentence);
    const seconds = isTimeLimit(timeout) ? timeout : this.isToolCall ? TOOL_CALL_SECONDS : undefined;
    const limitMs = seconds === undefined ? by.options.requestTimeoutMs() : seconds * 1000;
    this.cancelTimeout = by.clock.wakeAt(by.clock.now() + limitMs, () =>
      giveUp("timeout", `No answer came within ${limitMs / 1000} s.`),
    );
    this.takeBack = provider.request(this.request.text, {
      event: (news, text) => {
        // An event of wrong form is still the agent's; only nobody hears of it.
        if (news.type === "invoke/event" || news.type === "tool/event")
          if (schemaFault(news.type, news) === undefined) mirror.progressed(call, news);
        if (!services.send(this.forAgent(news, text)))
          this.end("runtime_error", "The agent takes no messages at present, so the request was given up.");
      },
      answered: (news, text) => this.answer(news, text, failureIn(news)),
      refused: (news, text) =>
        this.answer(news, text, typeof news.code === "string" && news.code !== "" ? news.code : "runtime_error"),
      unreadable: () => this.end("runtime_error", UNREADABLE, { retryable: false }),
      lost: (sentence) => by.engine.inTurn(() => giveUp("runtime_error", sentence)),
    });
  }

  /** `failure`: the code of the failure that the answer reports; undefined if it reports none. */
  private answer(news: A2eMessage, text: string, failure: string | undefined): void {
    const { services, call } = this;
    this.forget();
    if (failure === undefined) services.mirror.completed(call);
    else services.mirror.failed(call, failure);
    if (!services.send(this.forAgent(news, text))) this.fail("runtime_error", NOT_TAKEN);
    services.ended(this);
  }

  /** A message of the provider with the agent's ids. */
  private forAgent(news: A2eMessage, text: string): string {
    const { id } = this;
    const ids = news.session_id === undefined ? { req_id: id } : { req_id: id, session_id: this.services.sessionId };
    return withMembers(text, ids);
  }

  private fail(code: ErrorCode, sentence: string, detail?: ErrorDetail): void {
    const capability = capabilityOf(this.request.type);
    // A call that cannot be undone is not to be made again because no answer came.
    const told = this.isFinal ? { ...detail, retryable: false } : detail;
    this.services.fail(code, sentence, this.id, { capability, ...told });
  }

  /** Lets go of provider, timer and question. By itself it is for an agent that is gone, to which no answer is given. */
  forget(): void {
    this.isOver = true;
    this.cancelTimeout();
    this.takeBack?.();
    const token = this.question;
    this.question = undefined;
    if (token !== undefined) this.services.by.engine.inTurn(() => this.services.mirror.withdraw(token));
  }
}

/** The name under which a request of another type than "tool/call/req" is heard: "skill/execute/req" is "skill.execute". */
export function requestNameOf(type: string): string {
  return toolNameOf(type.replace(/\/req$/, ""));
}

/** Whether a member `timeout` is one. Types that A2E does not name may have another member of this name. */
function isTimeLimit(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LONGEST_SECONDS;
}

/** A code that stands in a text; anything else is a sentence of the provider's. */
const CODE = /^[\w.-]{1,64}$/;

/**
 * The code of the failure that an answer reports in itself or in its `data`; undefined if it reports none. Answers say it by `success` or `ok`, and
 * `data` by `success` or, as in MCP, by `isError`. `ok` in `data` is a result: that of a tool that checks something.
 */
function failureIn(answer: A2eMessage): string | undefined {
  const { data } = answer;
  const failed = isFailed(answer) || answer.ok === false ? answer : isObject(data) && isFailed(data) ? data : undefined;
  if (failed === undefined) return undefined;
  const { code, error } = failed;
  return [code, isObject(error) ? error.code : error].find(isCode) ?? "runtime_error";
}

function isFailed({ success, isError, is_error }: A2eMessage): boolean {
  return success === false || isError === true || is_error === true;
}

function isCode(value: unknown): value is string {
  return typeof value === "string" && CODE.test(value);
}
