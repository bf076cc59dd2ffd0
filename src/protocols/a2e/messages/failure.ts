// Results that say themselves that the call failed (A2E companion).
import { type A2eMessage, isMessage } from "./message.js";

/** A code that stands in a text; anything else is a sentence of the provider's. */
const CODE = /^[\w.-]{1,64}$/;

/**
 * The code of the failure that an answer reports in itself or in its `data`; undefined if it reports none. Answers say it by `success` or `ok`, and
 * `data` by `success` or, as in MCP, by `isError`. `ok` in `data` is a result: that of a tool that checks something.
 */
export function failureIn(answer: A2eMessage): string | undefined {
  const { data } = answer;
  const failed =
    isFailed(answer) || answer.ok === false ? answer : isMessage(data) && isFailed(data) ? data : undefined;
  if (failed === undefined) return undefined;
  const { code, error } = failed;
  return [code, isMessage(error) ? error.code : error].find(isCode) ?? "runtime_error";
}

function isFailed({ success, isError, is_error }: A2eMessage): boolean {
  return success === false || isError === true || is_error === true;
}

function isCode(value: unknown): value is string {
  return typeof value === "string" && CODE.test(value);
}
