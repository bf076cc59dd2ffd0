// Attacks by connecting alone: by the first bytes of a connection, by the terms of a subscriber, and by the frequency.
import { first, sessionStarted } from "./peers.mjs";

/** A header line of spaces, with a carriage return before its end. */
export function headerLine(spaces) {
  return async (peers, sized) => {
    const bytes = Buffer.from(`Content-Length: 2\r\nX:${" ".repeat(sized(spaces))}\rb\n`);
    return async () => {
      const socket = await peers.connection();
      socket.resume();
      socket.end(bytes);
      await first(socket, ["close"]);
    };
  };
}

/** Terms with `count` URIs of that many slashes, each with a number at its end. */
function withSlashes(count, slashes) {
  return { supported_extensions: Array.from({ length: count }, (_, index) => `x:${"/".repeat(slashes)}${index}`) };
}

/** A subscription with costly URIs, and its end. */
export function slashesAsked(count, slashes) {
  return async (peers, sized) => {
    const capabilities = withSlashes(sized(count), sized(slashes));
    return async () => {
      const subscriber = await peers.subscriber(capabilities);
      subscriber.leave();
    };
  };
}

/** Subscriptions that end as soon as they are accepted, `together` at a time, beside open sessions that are summarised for each of them. */
export function newcomers(together, sessions) {
  return async (peers, sized) => {
    const agent = await peers.agent();
    await agent.publish(Array.from({ length: sized(sessions) }, sessionStarted));
    const one = async () => {
      const subscriber = await peers.subscriber({});
      subscriber.leave();
    };
    return () => Promise.all(Array.from({ length: together }, one));
  };
}
