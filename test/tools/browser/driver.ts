// What a test has in a page: clients of the services as a browser runs them, driven from Node in documents.
import { fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { ListenRequestSchema, ListenResponseSchema, SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";

/** Who calls what, in which protocol. */
export interface Caller {
  readonly baseUrl: string;
  readonly protocol: "connect" | "grpc-web";
  readonly useBinaryFormat: boolean;
  readonly token?: string;
}

/** How a call went wrong, as the page can read it. */
export interface PageRefusal {
  readonly code: string;
  readonly message: string;
  /** The details that are an AaepdError. */
  readonly details: readonly JsonValue[];
}

/** What a stream has told: a ListenResponse, or at last its end. */
export type Told = { readonly response: JsonObject } | { readonly end: PageRefusal | "ok" };

/** All methods but those that stream. */
export type SingleCall = Exclude<keyof typeof SubscriberService.method, "listen" | "subscribe">;

export interface Driver {
  /** Begins to listen, and tells what comes by `tellTest`. */
  readonly listen: (caller: Caller, name: string, request: JsonObject) => void;
  /** Takes a stream back that was begun under that name. */
  readonly abort: (name: string) => void;
  readonly call: (
    caller: Caller,
    method: SingleCall,
    request: JsonObject,
  ) => Promise<{ readonly response: JsonValue } | { readonly refused: PageRefusal }>;
  /** A plain request. Undefined where the browser hands nothing over. */
  readonly read: (
    url: string,
    headers: Readonly<Record<string, string>>,
  ) => Promise<{ readonly status: number; readonly text: string } | undefined>;
}

/** What the page's global object has. */
interface PageGlobals {
  driver: Driver;
  readonly tellTest: (name: string, told: Told) => Promise<void>;
}

const page = globalThis as unknown as PageGlobals;
const streams = new Map<string, AbortController>();

function clientOf({ baseUrl, protocol, useBinaryFormat }: Caller): Client<typeof SubscriberService> {
  const create = protocol === "connect" ? createConnectTransport : createGrpcWebTransport;
  return createClient(SubscriberService, create({ baseUrl, useBinaryFormat }));
}

function headersOf({ token }: Caller): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function refusalOf(caught: unknown): PageRefusal {
  const error = ConnectError.from(caught);
  const details = error.findDetails(AaepdErrorSchema).map((detail) => toJson(AaepdErrorSchema, detail));
  return { code: Code[error.code], message: error.rawMessage, details };
}

async function listen(caller: Caller, name: string, request: JsonObject): Promise<void> {
  const controller = new AbortController();
  streams.set(name, controller);
  const call = { headers: headersOf(caller), signal: controller.signal };
  try {
    for await (const response of clientOf(caller).listen(fromJson(ListenRequestSchema, request), call)) {
      await page.tellTest(name, { response: toJson(ListenResponseSchema, response) as JsonObject });
    }
    await page.tellTest(name, { end: "ok" });
  } catch (caught) {
    await page.tellTest(name, { end: refusalOf(caught) });
  }
}

page.driver = {
  listen: (caller, name, request) => void listen(caller, name, request),
  abort: (name) => streams.get(name)?.abort(),
  call: async (caller, method, request) => {
    const { input, output } = SubscriberService.method[method];
    // One of a union of methods, whose input goes with its own schema only.
    const call = clientOf(caller)[method] as (message: unknown, options: unknown) => Promise<never>;
    try {
      const answer = await call(fromJson(input, request), { headers: headersOf(caller) });
      return { response: toJson(output, answer) };
    } catch (caught) {
      return { refused: refusalOf(caught) };
    }
  },
  read: async (url, headers) => {
    const answer = await fetch(url, { headers }).catch(() => undefined);
    return answer === undefined ? undefined : { status: answer.status, text: await answer.text() };
  },
};
