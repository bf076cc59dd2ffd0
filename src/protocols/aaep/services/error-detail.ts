// A fault as the typed detail of a status (R20).
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import type { DescribeFault } from "../../../contracts/service.js";
import { encodeDocument } from "../protobuf/encode.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";

/** An aaep.v1.AaepdError, with the members of `aaepd.error` in JSON. */
export const describeFault: DescribeFault = (fault) => ({
  typeName: AaepdErrorSchema.typeName,
  bytes: encodeDocument(AaepdErrorSchema, errorMessage(fault)),
});
