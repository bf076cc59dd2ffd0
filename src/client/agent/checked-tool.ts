// The call of a tool, checked where it is made: a slip of the hand in JavaScript, such as `irreversibel: true`, must not run a tool unasked.
import { Fault } from "../../base/errors.js";
import type { ToolOptions } from "./session-types.js";

/** Each option of a tool. True: it is about a question, which only `irreversible` brings about. */
const OPTIONS: Readonly<Record<keyof ToolOptions<unknown>, boolean>> = {
  summary: false,
  completed: false,
  risk_level: false,
  invoked: false,
  irreversible: false,
  action: true,
  consequence: true,
  timeout_seconds: true,
  extra_context: true,
  declined: true,
};

/** Throws a Fault "usage" for a `run` that is no function, for an unknown option, and for one about a question where nobody would be asked. */
export function assertTool(run: unknown, options: { readonly irreversible?: unknown }): void {
  if (typeof run !== "function") throw misused("Give the tool as a function, which is called later: () => remove(12).");
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(OPTIONS, name))
      throw misused(`A tool has no option ${JSON.stringify(name)}, but ${Object.keys(OPTIONS).join(", ")}.`);
    if (OPTIONS[name as keyof typeof OPTIONS] && options.irreversible === undefined)
      throw misused(`The option ${name} is about a question, and nobody is asked without irreversible: true.`);
  }
}

function misused(sentence: string): Fault {
  return new Fault("usage", sentence, { origin: "local" });
}
