// What a client of services can do, whichever library speaks for it.
import type { DescMessage, DescMethodStreaming, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import type { AaepdError } from "#gen/aaep/v1/handshake_pb.js";
import { STATUS } from "../../../transports/rpc-status.js";

/** The name of a status as gRPC writes it, "OK" among them. */
export type StatusName = "OK" | keyof typeof STATUS | "UNKNOWN" | "ABORTED" | "OUT_OF_RANGE" | "DATA_LOSS";

/** How a call ended. */
export interface ServiceEnd {
  readonly status: StatusName;
  readonly message: string;
  /** The typed detail, where there was one. */
  readonly detail: AaepdError | undefined;
}

/** A call with a status other than OK. */
export class ServiceRefusal extends Error {
  readonly end: ServiceEnd;
  constructor(end: ServiceEnd) {
    super(`${end.status}: ${end.message}`);
    this.end = end;
  }
}

export interface ServiceStream<Input> {
  readonly send: (message: Input) => void;
  /** Says that nothing more will be sent. */
  readonly halfClose: () => void;
  /** Takes the call back. */
  readonly cancel: () => void;
  /** Never rejects. */
  readonly ended: Promise<ServiceEnd>;
  /** While true nothing is read. */
  readonly stopReading: () => void;
  readonly readOn: () => void;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** ms. */
  readonly timeoutMs?: number;
}

/** One connection to a daemon, or several where HTTP/1.1 needs one for each stream. */
export interface ServiceClient {
  /** Rejects with a ServiceRefusal. */
  readonly unary: <Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    request: MessageShape<Input>,
    options?: CallOptions,
  ) => Promise<MessageShape<Output>>;
  /** `take` is called for each message, in order. */
  readonly stream: <Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodStreaming<Input, Output>,
    take: (message: MessageShape<Output>) => void,
    options?: CallOptions,
  ) => ServiceStream<MessageShape<Input>>;
  /** Breaks every connection without a word. */
  readonly abandon: () => void;
  readonly close: () => Promise<void>;
}

/** All of gRPC: a client's library has some that the daemon never sends. */
const NAMES = new Map<number, StatusName>([
  [0, "OK"],
  [2, "UNKNOWN"],
  [10, "ABORTED"],
  [11, "OUT_OF_RANGE"],
  [15, "DATA_LOSS"],
  ...Object.entries(STATUS).map(([name, code]): [number, StatusName] => [code, name as StatusName]),
]);

/** Throws for a number that is no code of gRPC. */
export function statusName(code: number): StatusName {
  const name = NAMES.get(code);
  if (name === undefined) throw new Error(`${code} is no status`);
  return name;
}
