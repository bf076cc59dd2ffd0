// The three listeners of the demo, and what they ask for.
import type { Capabilities } from "#gen/aaep/types.js";

export interface DemoListener {
  readonly id: string;
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Gets text in pieces that no one would read one by one: several are shown on a line. */
  readonly getsPieces: boolean;
}

/** `language` is that of the session: the braille display is read by someone who prefers English, the screen reader speaks the session's own. */
export function demoListeners(language: string): readonly [DemoListener, DemoListener, DemoListener] {
  const own = language.toLowerCase().startsWith("en") ? [language] : [language, "en"];
  return [
    {
      id: "demo-screen-reader",
      name: "Screen reader",
      getsPieces: false,
      capabilities: {
        max_events_per_second: 3,
        preferred_verbosity: "terse",
        languages: own,
        coalesce_boundaries: ["sentence", "completion"],
        supports_confirmation_reply: true,
        supports_clarification_reply: true,
        supported_conformance_levels: [1, 2],
      },
    },
    {
      id: "demo-braille",
      name: "Braille display",
      getsPieces: false,
      capabilities: {
        max_events_per_second: 1,
        preferred_verbosity: "terse",
        languages: [...own].reverse(),
        coalesce_boundaries: ["sentence", "completion"],
        cognitive_load: "low",
        aaepd: { max_chars: 80 },
      },
    },
    {
      id: "demo-debugger",
      name: "Debugging tool",
      getsPieces: true,
      capabilities: {
        preferred_verbosity: "detailed",
        languages: own,
        coalesce_boundaries: ["none"],
        cognitive_load: "high",
      },
    },
  ];
}
