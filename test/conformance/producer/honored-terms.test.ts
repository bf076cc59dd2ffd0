import { expect, it } from "vitest";
import { widerTerm } from "../../../src/conformance/producer/negotiated/honored-terms.js";
import { mostEvents } from "../../../src/conformance/producer/session-on.js";

it("a term is wider that lets through more than was requested", () => {
  const filters = { include: ["aaep:agent.tool.*"], exclude: ["aaep:agent.tool.completed"] };
  const wider: readonly (readonly [asked: object, honored: object])[] = [
    [{ max_events_per_second: 3 }, { max_events_per_second: 4 }],
    [{ max_events_per_second: 3 }, {}],
    [{ languages: ["en"] }, { languages: ["en", "fr"] }],
    [{ coalesce_boundaries: ["word"] }, { coalesce_boundaries: ["none"] }],
    [{}, { supports_confirmation_reply: true }],
    [{ event_filters: filters }, { event_filters: { include: ["aaep:agent.tool.*"] } }],
    [{ event_filters: filters }, { event_filters: { exclude: ["aaep:agent.tool.completed"] } }],
    [{ supported_extensions: [] }, { supported_extensions: ["https://example.org/x/v1"] }],
  ];
  for (const [asked, honored] of wider)
    expect([honored, widerTerm({ ...asked }, { ...honored })]).toEqual([honored, expect.any(String)]);
});

it("a term is not wider that lets through the same, or less, in whatever words", () => {
  const alike: readonly (readonly [asked: object, honored: object])[] = [
    [{ max_events_per_second: 3 }, { max_events_per_second: 1 }],
    [{ languages: ["EN-us", "iw"] }, { languages: ["he", "en-US"] }],
    [{}, { languages: ["en-US"], max_events_per_second: 50 }],
    [{ event_filters: { include: ["aaep:agent.*"] } }, {}],
    [
      { event_filters: { include: ["aaep:agent.session.*"] } },
      { event_filters: { include: ["aaep:agent.session.started"], exclude: [] } },
    ],
  ];
  for (const [asked, honored] of alike)
    expect([honored, widerTerm({ ...asked }, { ...honored })]).toEqual([honored, undefined]);
});

it("a bucket lets go of its rate and of a second's worth, of one event at least, or of the burst that is told", () => {
  const told = { aaepd: { limits: { burst: 1 } } };
  const rows = [
    [{}, 2, 1000],
    [{}, 2, 1499],
    [{}, 0.5, 1000],
    [told, 2, 1000],
    [told, 0.5, 4000],
  ] as const;
  expect(rows.map(([honored, rate, ms]) => mostEvents(honored, rate, ms))).toEqual([4, 4, 1, 3, 3]);
});
