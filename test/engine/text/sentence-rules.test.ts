// R10: each rule about the ends of sentences, by the texts that stand beside it.
import { describe, expect, it } from "vitest";
import { ENDS, NO_ENDS } from "../../../src/engine/text/sentence-rules.js";
import { complete, cutsOf, feed, piecesOf } from "./text-boundaries-support.js";

describe.each([...ENDS, ...NO_ENDS])("$name", ({ shows, languages: [language = "en"] = [] }) => {
  it.each(shows)("%s", (marked) => {
    const text = marked.replaceAll("│", "");
    const boundaries = feed([text], language, false);
    complete(boundaries);
    expect(piecesOf(text, cutsOf(boundaries, "sentence"))).toEqual(marked.split("│"));
  });
});
