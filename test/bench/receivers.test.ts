// The receivers count from the moment that was asked for, whatever is read first: a command of the parent, or the events.
import { afterEach, expect, test } from "vitest";
import { createStage } from "../../bench/children.mjs";

const stages: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

test("events that were received before the receivers are asked for them count", async () => {
  const stage = createStage();
  stages.push(stage);
  const [receivers, bare] = await Promise.all([stage.role("receivers"), stage.role("bare-sender")]);
  const path = stage.path("bare");
  await bare.call("listen", { path });
  await receivers.call("connect", { path, count: 3 });
  await bare.call("accepted", { count: 3 });
  for (const total of [500, 1000]) {
    await receivers.call("expect", { count: 500 });
    await bare.call("send", { count: 500 });
    await expect.poll(() => receivers.call("counts"), { timeout: 60_000 }).toEqual({ least: total, most: total });
    await receivers.call("reached");
  }
}, 120_000);
