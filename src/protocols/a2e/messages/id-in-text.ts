// Ids in texts that are no messages, or that could be read in two ways.

/** The part of a text in which an id is looked for, UTF-16 units: a sender writes ids first. */
const LONGEST_LOOK = 4096;

const ID = /"id"\s*:\s*"([^"\\]{1,256})"/;
const REQUEST_ID = /"req_id"\s*:\s*"([^"\\]{1,256})"/;

/** The `id` that stands first in a text. */
export function idIn(text: string | undefined): string | undefined {
  return ID.exec(text?.slice(0, LONGEST_LOOK) ?? "")?.[1];
}

/** The `req_id` that stands first in a text. */
export function requestIdIn(text: string | undefined): string | undefined {
  return REQUEST_ID.exec(text?.slice(0, LONGEST_LOOK) ?? "")?.[1];
}
