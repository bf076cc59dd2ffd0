// The names of Akashik in HTTP: `POST /v1/register` and so on, each with one envelope in and one out (Akashik companion).
import type { JsonPost } from "../../../transports/http/json-posts.js";
import { OPERATIONS } from "../../protocols/akashik/messages/capabilities.js";
import type { AkashikDoor } from "../akashik/akashik-door.js";

export function akashikPosts({ answer }: Pick<AkashikDoor, "answer">): readonly JsonPost[] {
  return OPERATIONS.map((operation) => ({
    path: `/v1/${operation.toLowerCase()}`,
    answer: async (sent, peer) => {
      const { text, isError } = await answer(sent, operation, peer);
      return { status: isError ? 400 : 200, contentType: "application/json", body: text };
    },
  }));
}
