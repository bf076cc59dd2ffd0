// R32, R34: new terms that would be one set too many are refused, and the old ones stand on the wire too.
import { expect, it } from "vitest";
import { createJsonCodec } from "../../../../src/protocols/aaep/json/json-codec.js";
import { createPlainProtocol } from "../../../../src/protocols/aaep/sessions/plain-session.js";
import { openStream } from "../../../support/peers/service-calls.js";
import { type Document, requestOf } from "../../../support/peers/subscriber-calls.js";
import { createStreamRig, utf8 } from "../../../support/rigs/stream-rig.js";

it("R32, R34: a renegotiation beyond the sets of terms is an error, and later ones begin with the terms that stand", async () => {
  const rig = createStreamRig({ engine: { maxTermSets: 2 } });
  const codec = createJsonCodec(utf8);
  const subscribed = async (maxChars: number) => {
    const stream = openStream<Uint8Array>(
      (connection) => rig.serve(connection, codec, createPlainProtocol(rig.services), undefined),
      undefined,
    );
    const ask = async (message: unknown): Promise<Document> => {
      stream.send(codec.encode(message));
      await rig.settle();
      return codec.decode(stream.received.at(-1) as Uint8Array) as Document;
    };
    return { ask, first: await ask(requestOf({ aaepd: { max_chars: maxChars } })) };
  };
  const [{ ask, first }] = [await subscribed(100), await subscribed(200), await subscribed(100)];
  const renegotiate = (aaepd: Document) =>
    ask({ type: "subscription.renegotiate", subscription_id: first.subscription_id, capabilities: { aaepd } });
  expect(await renegotiate({ max_chars: 300 })).toMatchObject({ type: "aaepd.error", code: "rate_limit" });
  expect(await renegotiate({ paused: true })).toMatchObject({
    type: "subscription.accepted",
    honored_capabilities: { aaepd: { paused: true, max_chars: 100 } },
  });
});
