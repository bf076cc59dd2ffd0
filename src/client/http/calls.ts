// Calls of the daemon's services over HTTP, as Connect with JSON (docs/services.md). For browsers and everything else that has `fetch`.
import { Fault, type FaultCode, type FaultDetail } from "../../base/errors.js";
import { type Members, ownMember, textOf } from "../../base/members.js";
import type { Timers } from "../timers.js";
import { boundedJson } from "./envelopes.js";

export interface HttpConnectorOptions {
  /**
   * The daemon's token (docs/services.md), or a function that fetches it: for each connection, and again when the daemon no longer takes the token. A
   * daemon makes a new token at each start. A Unix socket needs none. Default none.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Default the platform's. */
  readonly fetch?: typeof fetch;
  /** Default the platform's. */
  readonly timers?: Timers;
}

/** The calls of a daemon's services, by `fetch`. */
export type HttpCalls = Awaited<ReturnType<typeof openHttpCalls>>;

type Body = NonNullable<RequestInit["body"]>;

/** A token that was just fetched may be that of a daemon which is being started again. */
const TOKEN_AGAIN_SECONDS = 1;

/** Rejects as the function for the token does. `signal` aborts every call that has none of its own. */
export async function openHttpCalls(url: string, options: HttpConnectorOptions, signal: AbortSignal | null = null) {
  const address = url.replace(/\/$/, "");
  const { fetch: send = fetch, token: given } = options;
  let token = typeof given === "function" ? await given() : given;

  async function post(service: string, method: string, type: string, body: Body, own = signal): Promise<Response> {
    const headers = {
      "content-type": `application/${type}`,
      ...(token === undefined ? undefined : { authorization: `Bearer ${token}` }),
    };
    return send(`${address}/aaep.v1.${service}/${method}`, { method: "POST", headers, body, signal: own });
  }

  /** Whether there is another token by now. */
  async function refreshed(): Promise<boolean> {
    const former = token;
    if (typeof given === "function") token = await given();
    return token !== former;
  }

  function refusalOf(error: Members): Fault {
    const fault = faultOf(error);
    const mayChange = fault.code === "unauthenticated" && typeof given === "function";
    return mayChange ? fault.with({ retryAfterSeconds: TOKEN_AGAIN_SECONDS }) : fault;
  }

  return {
    address,
    /**
     * Makes a call with one answer. Rejects with the Fault of the daemon; with "peer_gone" of origin "local" if the daemon cannot be reached, or the
     * call was aborted; with "permission_denied" if its Unix socket is not the user's own. `own`: a signal of its own, for a caller with many calls
     * at a time, because platforms warn of a signal that many listen to.
     */
    call: async (service: string, method: string, body: Members, own?: AbortSignal): Promise<Members> => {
      const text = JSON.stringify(body);
      const make = () => reached(post(service, method, "json", text, own));
      let response = await make();
      if (response.status === 401 && (await refreshed())) response = await make();
      const answer = await reached(boundedJson(response));
      if (response.ok) return answer;
      throw refusalOf(answer);
    },
    /** Begins a call whose answer is a stream. Rejects as `call` does if the daemon cannot be reached. */
    stream: (service: string, method: string, message: Body): Promise<Response> =>
      reached(post(service, method, "connect+json", message)),
    /** The Fault in an error of Connect. */
    faultOf: refusalOf,
  };
}

const FINAL: ReadonlySet<FaultCode> = new Set<FaultCode>(["permission_denied", "invalid_message"]);

function reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return answer.catch((cause: unknown) => {
    // A Unix socket that is not the user's own, or an answer that is no daemon's. Asking again does not help.
    if (cause instanceof Fault && FINAL.has(cause.code)) throw cause;
    throw new Fault("peer_gone", "The daemon cannot be reached.", { origin: "local", cause });
  });
}

/** Connect's code for a call whose details have none of ours. */
const CODE_OF: Readonly<Record<string, FaultCode>> = {
  unauthenticated: "unauthenticated",
  permission_denied: "permission_denied",
  unavailable: "shutting_down",
  resource_exhausted: "rate_limit",
};

function faultOf({ code, message, details }: Members): Fault {
  const [detail] = Array.isArray(details) ? details : [];
  const told = typeof detail?.value === "string" ? errorIn(detail.value) : {};
  // A code that a later daemon has added stays as it is.
  return new Fault(told.code ?? ownMember(CODE_OF, textOf(code)) ?? "internal", told.sentence ?? textOf(message), told);
}

/** What each field of an `AaepdError` is in a fault, by its number. */
const MEMBERS = ["", "code", "sentence", "pointer", "rule", "eventId", "answers", "retryAfterSeconds"] as const;

/** Reads the bytes of an `AaepdError`: each field is a tag and a whole number, or a tag, a length, and so many bytes of UTF-8. */
function errorIn(base64: string): Partial<Pick<Fault, "code" | "sentence" | keyof FaultDetail>> {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const fields: Record<string, unknown> = {};
  let at = 0;
  /** Each byte has seven bits, the lowest first; the last byte is below 128. */
  const nextNumber = (): number => {
    const byte = bytes[at] ?? 0;
    at += 1;
    return byte < 128 ? byte : byte - 128 + 128 * nextNumber();
  };
  while (at < bytes.length) {
    const tag = nextNumber();
    const value = nextNumber();
    const isText = (tag & 7) === 2;
    fields[MEMBERS[tag >> 3] ?? ""] = isText ? new TextDecoder().decode(bytes.subarray(at, at + value)) : value;
    if (isText) at += value;
  }
  return fields;
}
