import type { Millis } from "../../contracts/clock.js";

/** The sentence behind a reason that slowness may have. */
export function patienceAdvice(patienceMs: Millis): string {
  const seconds = patienceMs / 1000;
  return `The suite waited ${seconds} ${seconds === 1 ? "second" : "seconds"}. Give a slow target more with --patience.`;
}
