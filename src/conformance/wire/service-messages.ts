// The bytes of the service of AAEP §B.5, for the library that does not make them itself.
import { fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { type AaepMessage, AaepMessageSchema, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";

export const SUBSCRIBE_PATH = `/${AaepService.typeName}/${AaepService.method.subscribe.name}`;
export const MANIFEST_PATH = `/${AaepService.typeName}/${AaepService.method.getManifest.name}`;

export function encodeMessage(message: AaepMessage): Buffer {
  return Buffer.from(toBinary(AaepMessageSchema, message));
}

export function decodeMessage(bytes: Buffer): AaepMessage {
  return fromBinary(AaepMessageSchema, bytes);
}

type ManifestAnswer = MessageShape<typeof AaepService.method.getManifest.output>;

export function decodeManifest(bytes: Buffer): ManifestAnswer {
  return fromBinary(AaepService.method.getManifest.output, bytes);
}

/** The text of a manifest. Throws where its bytes are no UTF-8. */
export function manifestText({ json }: ManifestAnswer): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(json);
}
