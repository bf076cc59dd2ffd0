// A provider on its connection: its requests, its place in the router, and its end.
import type { Fault } from "../../../base/errors.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { ExchangeHost, ExchangeSession } from "../../../contracts/exchange.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { A2eMessage, MessageMaker } from "../messages/message.js";
import { Forwarding } from "./forwarding.js";
import type { Provider } from "./provider.js";
import type { Router } from "./router.js";

export interface ProviderServices {
  readonly router: Router;
  readonly maker: MessageMaker;
  readonly clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">;
}

export abstract class ProviderSession implements ExchangeSession {
  protected readonly host: ExchangeHost;
  protected forwarding: Forwarding | undefined;
  private readonly by: ProviderServices;
  private readonly gone: string;
  private served: Provider | undefined;
  private maxParallel = 0;
  private remove = (): void => {};

  /** `gone`: the sentence for agents whose requests are lost with the provider. */
  constructor(by: ProviderServices, host: ExchangeHost, gone: string) {
    this.by = by;
    this.host = host;
    this.gone = gone;
  }

  abstract receive(message: unknown, text: string): void;
  abstract refuse(fault: Fault, text: string | undefined): void;
  abstract finish(reason: EndReason, until: Millis): Promise<void>;

  isReadAlways(): boolean {
    return true;
  }

  passesOn(): boolean {
    return true;
  }

  room(): undefined {
    return undefined;
  }

  isOpen(): boolean {
    return this.forwarding !== undefined;
  }

  inputEnded(): void {
    this.leave();
    this.host.close();
  }

  ended(): void {
    this.leave();
  }

  protected leave(): void {
    this.remove();
    this.forwarding?.ended(this.gone);
    this.forwarding = undefined;
  }

  /** Serves requests from now on. A second time replaces what was served; requests under way stay. `sessionId` as in `ForwardingOptions`. */
  protected serve(
    facts: Pick<Provider, "name" | "kind" | "priority" | "capabilities">,
    maxParallel: number,
    sessionId: string | undefined,
  ): void {
    const { router, maker, clock } = this.by;
    this.remove();
    this.maxParallel = maxParallel;
    this.forwarding ??= new Forwarding({
      send: this.host.send,
      newId: maker.newId,
      maxParallel: () => this.maxParallel,
      sessionId,
      announced: (text) => {
        if (this.served !== undefined) router.announce(this.served, text);
      },
      clock,
    });
    const calls = this.forwarding;
    this.served = {
      ...facts,
      request: (text, news) => calls.request(text, news),
      passOn: (text) => calls.passOn(text),
      requestCount: () => calls.count(),
    };
    this.remove = router.add(this.served);
  }

  /** `isFinal` as in `ExchangeHost.send`. */
  protected say(type: string, fields: A2eMessage, isFinal: boolean): void {
    this.host.send(this.by.maker.make(type, fields), isFinal);
  }
}
