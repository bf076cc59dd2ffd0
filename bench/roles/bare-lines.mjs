// The limit of standard output: writes encoded lines, as many as standard input requests, many in one write.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createEventTexts, numberOffset } from "../events.mjs";

const DIGITS = 10;
const BATCH = 128;
let next = 0;

function template(subscription, ofSeveral) {
  const event = createEventTexts().chunk(10_000);
  const before = `{"jsonrpc":"2.0","method":"aaep.event","params":`;
  const after = ofSeveral ? `,"subscription_id":"sub_${String(subscription).padStart(26, "0")}"}\n` : "}\n";
  const line = Buffer.from(`${before}${event}${after}`);
  const lines = Buffer.concat(Array.from({ length: BATCH }, () => line));
  return { lines, length: line.length, last: before.length + numberOffset(event) + DIGITS - 1 };
}

function numbered({ lines, length, last }, from, size) {
  const batch = Buffer.from(lines.subarray(0, size * length));
  for (let index = 0; index < size; index += 1) {
    let number = from + index;
    for (let digit = 0; digit < DIGITS; digit += 1) {
      batch[index * length + last - digit] = 0x30 + (number % 10);
      number = Math.floor(number / 10);
    }
  }
  return batch;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { count, subscribers } = JSON.parse(line);
  const templates = Array.from({ length: subscribers }, (_, index) => template(index, subscribers > 1));
  for (const end = next + count; next < end; ) {
    const size = Math.min(BATCH, end - next);
    for (const one of templates) {
      if (!process.stdout.write(numbered(one, next, size))) await once(process.stdout, "drain");
    }
    next += size;
  }
}
process.exit(0);
