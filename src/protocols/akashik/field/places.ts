// The agents that the Field forgets for a newcomer.
import { bytesOf } from "../../../base/shared-room.js";
import type { ToldAgent } from "./told-agent.js";

/**
 * The agents that make place: those that registered longest ago of all that are away and have no subscription, as many as it takes. They lose
 * nothing. Undefined: all of them would not suffice. `agents`: the oldest first. `isRoom`: whether there is room without so many agents of so many
 * bytes. `but`: an agent that stays.
 */
export function makersOfPlace(
  agents: Iterable<ToldAgent>,
  isRoom: (count: number, freed: number) => boolean,
  but: ToldAgent | undefined,
): readonly ToldAgent[] | undefined {
  const leaving: ToldAgent[] = [];
  let freed = 0;
  for (const agent of agents) {
    if (isRoom(leaving.length, freed)) return leaving;
    if (agent === but || agent.isThere() || agent.subscriptions.size > 0) continue;
    leaving.push(agent);
    freed += bytesOf(agent.agent());
  }
  return isRoom(leaving.length, freed) ? leaving : undefined;
}
