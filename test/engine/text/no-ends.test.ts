// R10: each rule about a mark that ends no sentence, by the texts that stand beside it.
import { describe, expect, it } from "vitest";
import { NO_ENDS } from "../../../src/engine/text/no-ends.js";
import { complete, cutsOf, feed, piecesOf } from "./text-boundaries-support.js";

describe.each(NO_ENDS)("$name", ({ shows, languages: [language = "en"] = [] }) => {
  it.each(shows)("%s", (marked) => {
    const text = marked.replaceAll("│", "");
    const boundaries = feed([text], language, false);
    complete(boundaries);
    expect(piecesOf(text, cutsOf(boundaries, "sentence"))).toEqual(marked.split("│"));
  });
});
