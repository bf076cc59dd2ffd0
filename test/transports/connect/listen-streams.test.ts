// Streams to a client that does not send, in every protocol and version; what cannot be tried with the contract of transports, which wants both ways.
import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { ListenRequestSchema, type ListenResponse } from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../../src/base/errors.js";
import { isWhole } from "../../support/extent.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { detailOf, eventFrame, HEARTBEAT, startStage, WAYS } from "./stage.js";

function idsOf(messages: readonly ListenResponse[]): readonly (readonly (string | undefined)[])[] {
  return messages.map(({ events }) => events.map(({ eventId }) => eventId));
}

async function collect(
  stream: AsyncIterable<ListenResponse>,
  onMessage: () => void = () => {},
): Promise<{
  readonly messages: readonly ListenResponse[];
  readonly error: ConnectError | undefined;
}> {
  const messages: ListenResponse[] = [];
  try {
    for await (const message of stream) {
      messages.push(message);
      onMessage();
    }
    return { messages, error: undefined };
  } catch (caught) {
    return { messages, error: ConnectError.from(caught) };
  }
}

for (const [protocol, version] of WAYS) {
  for (const useBinaryFormat of isWhole ? [true, false] : [version === "2"]) {
    const name = `${protocol}, HTTP/${version}, ${useBinaryFormat ? "binary" : "JSON"}`;
    describe(`Listen over ${name}`, () => {
      async function opened() {
        expectNothingLeftOpen();
        const stage = await startStage();
        const abort = new AbortController();
        const client = stage.client(protocol, version, { useBinaryFormat });
        const heard = collect(client.listen({ request: { aaepVersion: "1.0" } }, { signal: abort.signal }));
        const server = await stage.listens.next();
        return { stage, abort, heard, server, client };
      }

      it("hands over the one request, and its end is not the end of the stream", async () => {
        const { server, heard } = await opened();
        const requests: Uint8Array[] = [];
        for await (const frames of server.frames) requests.push(...frames);
        expect(requests.map((bytes) => fromBinary(ListenRequestSchema, bytes))).toMatchObject([
          { request: { aaepVersion: "1.0" } },
        ]);
        expect(server.send(HEARTBEAT)).toBe(true);
        await server.close();
        const { messages, error } = await heard;
        expect([messages.map(({ message }) => message.case), error]).toEqual([["heartbeat"], undefined]);
        expect((await server.closed).kind).toBe("local");
      });

      it("joins a run into messages of at most 64 events, once for all who get it, and keeps the order", async () => {
        const { server, heard, client, stage } = await opened();
        const other = collect(client.listen({}));
        const otherServer = await stage.listens.next();
        const frames = Array.from({ length: 130 }, (_, index) => eventFrame(`evt_${index}`));
        const run = { frames, joined: new Map<string, unknown>() };
        for (const one of [server, otherServer]) {
          one.send(eventFrame("evt_before"));
          one.sendBatch(run);
          one.send(eventFrame("evt_after"));
          expect(run.joined.size).toBe(1);
          await one.close();
        }
        const expected = [
          ["evt_before"],
          ...[
            [0, 64],
            [64, 128],
            [128, 130],
          ].map(([from, to]) => idsFrom(from, to)),
          ["evt_after"],
        ];
        for (const { messages } of [await heard, await other]) expect(idsOf(messages)).toEqual(expected);
      });

      it("ends with the status of a fault and its detail, after what was handed over", async () => {
        const { server, heard } = await opened();
        server.send(eventFrame("evt_1"));
        await server.close(new Fault("lagging", "Too slow – Ünïcödé.", { origin: "local" }));
        const { messages, error } = await heard;
        expect(idsOf(messages)).toEqual([["evt_1"]]);
        expect([error?.code, error?.rawMessage]).toEqual([Code.ResourceExhausted, "Too slow – Ünïcödé."]);
        expect(error === undefined ? undefined : detailOf(error)).toBe("lagging");
        expect(await server.closed).toMatchObject({ kind: "local", fault: { code: "lagging" } });
      });

      it("says nothing of an accident but that there was one, and logs it", async () => {
        const { server, heard, stage } = await opened();
        await server.close(new Fault("internal", "secret insides", { origin: "local" }));
        const { error } = await heard;
        expect(error?.code).toBe(Code.Internal);
        expect(error?.message).not.toContain("secret");
        expect(stage.log.map(({ level }) => level)).toEqual(["error"]);
      });

      it("is compressed where configured, and only messages that are long enough", async () => {
        expectNothingLeftOpen();
        const stage = await startStage({ compression: true });
        const heard = collect(stage.client(protocol, version, { useBinaryFormat }).listen({}));
        const server = await stage.listens.next();
        const run = { frames: [eventFrame("evt_1", "x".repeat(5000)), eventFrame("evt_2")], joined: new Map() };
        server.sendBatch(run);
        server.send(eventFrame("evt_3"));
        await server.close();
        const [packed] = [...run.joined.values()] as [Buffer];
        expect([packed[0], packed.length < 1000]).toEqual([1, true]);
        expect(idsOf((await heard).messages)).toEqual([["evt_1", "evt_2"], ["evt_3"]]);
      });

      it("a client that hangs up while nothing is said closes the connection", async () => {
        const { server, heard, abort } = await opened();
        for await (const frames of server.frames) expect(frames.length).toBe(1);
        abort.abort();
        expect(["abrupt", "remote"]).toContain((await server.closed).kind);
        await heard;
        expect(server.send(HEARTBEAT)).toBe(false);
      });

      it("a client that hangs up in mid-stream lets go of who waits to send", async () => {
        const { server, heard, abort } = await opened();
        while (server.send(eventFrame("evt_1", "x".repeat(10_000))));
        const waited = server.writable();
        abort.abort();
        await waited;
        await heard;
        expect(["abrupt", "remote"]).toContain((await server.closed).kind);
      });

      it("takes a deadline that no timer can wait for as none", async () => {
        expectNothingLeftOpen();
        const stage = await startStage();
        const headers = { "connect-timeout-ms": "2147483648", "grpc-timeout": "2147484S" };
        const heard = collect(stage.client(protocol, version, { useBinaryFormat, headers }).listen({}));
        const server = await stage.listens.next();
        // Node makes one millisecond of a time that is too long: a timer of this process that is due later fires behind it.
        await new Promise((resolve) => setTimeout(resolve, 20));
        server.send(eventFrame("evt_1"));
        await server.close();
        expect((await heard).error).toBeUndefined();
      });
    });
  }
}

function idsFrom(from = 0, to = 0): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => `evt_${from + index}`);
}
