import type { Access } from "../../../contracts/access.js";
import type { Capabilities } from "../validation/capability-words.js";

/** Removes capabilities that the connection may not use: questions go only to connections that may reply (R6, R36). */
export function permitted(capabilities: Capabilities, access: Access): Capabilities {
  if (access.may("reply")) return capabilities;
  return { ...capabilities, supports_confirmation_reply: false, supports_clarification_reply: false };
}
