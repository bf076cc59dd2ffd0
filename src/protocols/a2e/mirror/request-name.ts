import { toolNameOf } from "../../../base/tool-name.js";

/** The name under which a request of another type than "tool/call/req" is heard: "skill/execute/req" is "skill.execute". */
export function requestNameOf(type: string): string {
  return toolNameOf(type.replace(/\/req$/, ""));
}
