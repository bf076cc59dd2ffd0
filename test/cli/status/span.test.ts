import { expect, it } from "vitest";
import { span } from "../../../src/cli/terminal/amounts.js";

it("a length of time is said in its two largest units", () => {
  const said: Readonly<Record<string, number>> = {
    "0 seconds": -1,
    "1 second": 1.4,
    "59 seconds": 59.4,
    "1 minute": 60,
    "1 minute 1 second": 61,
    "59 minutes 59 seconds": 3599,
    "1 hour": 3659,
    "1 hour 1 minute": 3660,
    "23 hours 59 minutes": 86_399,
    "1 day": 86_400,
    "1 day 1 hour": 90_000,
    "2 days 23 hours": 259_199,
  };
  expect(Object.fromEntries(Object.values(said).map((seconds) => [span(seconds), seconds]))).toEqual(said);
});
