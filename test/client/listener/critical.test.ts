// Critical events of a listener whose loop is busy.
import { expect, test } from "vitest";
import type { ReceivedEvent } from "../../../src/client/events.js";
import { settle } from "../../support/rigs/virtual-clock.js";
import { createFakeProducer, eventMessage } from "../fake-producer.js";
import { accepted, gate, listen, question, side, start } from "./listener-stage.js";

test("a critical event is told while the loop is busy, and comes in its turn", async () => {
  const producer = createFakeProducer();
  const critical: string[] = [];
  const { subscription, told } = start(producer.connect, {
    onCritical: (event, source) => void critical.push(`${source.name} ${event.event_id}`),
  });
  const { opens, open } = gate();
  const { heard } = listen(subscription, () => opens);
  await accepted(producer);
  side(producer).say(eventMessage(1), eventMessage(2));
  side(producer).reach("c1");
  side(producer).say(question("rpl_1", 3), eventMessage(4, { urgency: "critical" }));
  side(producer).say(question("rpl_2", 5), { ...question("rpl_3", 6), urgency: "normal" });
  await settle();
  expect(heard).toEqual(["evt_1"]);
  expect(critical).toEqual(["1 evt_3", "1 evt_4", "1 evt_5"]);
  expect(told).not.toContain("1 reached c1");
  open();
  await settle();
  expect(heard).toEqual(["evt_1", "evt_2", "evt_3", "evt_4", "evt_5", "evt_6"]);
  expect(told).toContain("1 reached c1");
});

test("R12, R28: one that comes again is not told again", async () => {
  const producer = createFakeProducer();
  const critical: string[] = [];
  const events: ReceivedEvent[] = [];
  const { subscription } = start(producer.connect, { onCritical: (event) => void critical.push(event.event_id) });
  listen(subscription, (event) => void events.push(event));
  await accepted(producer);
  side(producer).say(question("rpl_1"), question("rpl_1"));
  await settle();
  expect(subscription.repeat(events[0] as ReceivedEvent)).toBe(true);
  await settle();
  side(producer).say(question("rpl_1"));
  await settle();
  expect(events).toHaveLength(2);
  expect(critical).toEqual(["evt_1"]);
});

test("so much is read ahead and no more, and reading goes on with each event that the loop takes", async () => {
  const producer = createFakeProducer();
  const critical: string[] = [];
  const { subscription } = start(producer.connect, { onCritical: (event) => void critical.push(event.event_id) });
  const gates = Array.from({ length: 1000 }, gate);
  const { heard } = listen(subscription, (event) => gates[Number(event.event_id.slice(4))]?.opens);
  await accepted(producer);
  for (let number = 0; number < 1000; number += 1) side(producer).say(eventMessage(number, { urgency: "critical" }));
  await settle();
  // One is in the loop's hands, 256 wait, and one more stands at the door.
  expect([heard.length, critical.length]).toEqual([1, 258]);
  for (let number = 0; number < 10; number += 1) {
    gates[number]?.open();
    await settle();
    expect([heard.length, critical.length]).toEqual([2 + number, 259 + number]);
  }
});
