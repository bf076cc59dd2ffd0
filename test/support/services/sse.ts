import { sseLinks } from "../../../src/conformance/wire/sse-links.js";
import type { CloseInfo, Connection } from "../../../src/contracts/transport.js";
import { ONLY_ITERATED } from "../peers/frames.js";

/** A listener over Server-Sent Events by the links of the conformance suite. `address` is that of an HTTP server over TCP. */
export async function openSse(address: string, authorization: string | undefined): Promise<Connection<Uint8Array>> {
  const link = await sseLinks(`http://${address}`, authorization?.replace("Bearer ", "")).open();
  let id: unknown;
  let tellClosed: (info: CloseInfo) => void = () => {};
  const closed = new Promise<CloseInfo>((resolve) => {
    tellClosed = resolve;
  });
  async function* frames(): AsyncGenerator<readonly Uint8Array[]> {
    for await (const text of link.incoming) {
      const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
      if (message.type === "subscription.accepted") id = message.subscription_id;
      yield [Buffer.from(text)];
    }
    tellClosed({ kind: "remote" });
  }
  // Requests name the subscription, which a peer on a connection of its own leaves out.
  const send = (frame: Uint8Array): boolean => {
    const message = JSON.parse(Buffer.from(frame).toString()) as Readonly<Record<string, unknown>>;
    link.send(JSON.stringify(id === undefined ? message : { subscription_id: id, ...message }));
    return true;
  };
  return {
    peer: { label: "test", trust: "same-user" },
    ...ONLY_ITERATED,
    frames: frames(),
    send,
    sendBatch: ({ frames: some, last }) => (last === undefined ? some : [...some, last]).map(send).every(Boolean),
    writable: async () => {},
    close: async () => {
      await link.close();
      tellClosed({ kind: "local" });
    },
    closed,
  };
}
