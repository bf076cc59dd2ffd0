// How a client turns documents into messages and back: by the daemon's own converter, or by another that shares nothing with it.
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Message } from "../oracles/wire-sniffer.js";
import { documentOf, messageOf } from "../protobuf-documents.js";

export interface Converting {
  readonly toMessage: <Descriptor extends DescMessage>(
    descriptor: Descriptor,
    document: Message,
  ) => MessageShape<Descriptor>;
  readonly toDocument: <Descriptor extends DescMessage>(
    descriptor: Descriptor,
    message: MessageShape<Descriptor>,
  ) => Message;
}

export const byConverter: Converting = { toMessage: messageOf, toDocument: documentOf };
