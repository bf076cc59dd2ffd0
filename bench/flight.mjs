// Limits the messages in flight: those sent and not acknowledged.
/**
 * Sends numbers from 0 to `count` - 1 through `send(first, size, acknowledged, failed)`, which calls `acknowledged` once for each of them. As many
 * numbers as were acknowledged in one turn are sent together.
 */
export function inFlight({ count, flight }, send) {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let done = 0;
    let isDue = false;
    const fill = () => {
      isDue = false;
      const size = Math.min(count - sent, flight - (sent - done));
      sent += size;
      if (size > 0) send(sent - size, size, acknowledged, reject);
    };
    const acknowledged = () => {
      done += 1;
      if (done === count) resolve();
      else if (!isDue) {
        isDue = true;
        queueMicrotask(fill);
      }
    };
    fill();
  });
}
