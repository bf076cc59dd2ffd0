// The WebSockets of an HTTP server: the handshake, by the usual library, and the end of all of them.
import { type WebSocket, WebSocketServer } from "ws";
import { Fault } from "../../src/base/errors.js";
import type { PeekableConnection } from "../../src/contracts/transport.js";
import type { Exchange } from "../http/exchange.js";
import type { Refuse } from "../http/http-service.js";
import { WebSocketConnection, type WebSocketConnectionOptions } from "./websocket-connection.js";

export interface WebSocketsOptions extends WebSocketConnectionOptions {
  /** The largest message that a peer may send. */
  readonly maxMessageBytes: number;
}
/** The name of AAEP among subprotocols (AAEP app. B.2.1). A client that offers none is served too. */
const SUBPROTOCOL = "aaep.v1";

export class WebSockets {
  private readonly options: WebSocketsOptions;
  private readonly server: WebSocketServer;
  private readonly open = new Set<PeekableConnection<Uint8Array>>();

  constructor(options: WebSocketsOptions) {
    this.options = options;
    this.server = new WebSocketServer({
      noServer: true,
      // Every message would cost a context of its own.
      perMessageDeflate: false,
      maxPayload: options.maxMessageBytes,
      clientTracking: false,
      handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    });
  }

  /** Makes a WebSocket of a request, and hands it to `serve`. Where that returns a fault, the WebSocket is closed with it. */
  take(exchange: Exchange, refuse: Refuse, serve: (connection: PeekableConnection<Uint8Array>) => unknown): void {
    const { upgrade, request, peer, connection } = exchange;
    if (upgrade === undefined) {
      exchange.response.setHeader("upgrade", "websocket");
      refuse(new Fault("unsupported", "Connect here by WebSocket, over HTTP/1.1."), 426);
      return;
    }
    const { socket } = connection;
    exchange.served();
    upgrade.detach();
    this.server.handleUpgrade(request, socket, upgrade.head, (webSocket: WebSocket) => {
      const one = new WebSocketConnection(webSocket, socket, peer, this.options);
      this.open.add(one);
      void one.closed.then(() => this.open.delete(one));
      const fault = serve(one);
      if (fault instanceof Fault) void one.close(fault);
    });
  }

  end(fault: Fault, withinMs: number): void {
    for (const one of this.open) void one.close(fault, withinMs);
  }
}
