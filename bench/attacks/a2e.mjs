// Attacks by A2E agents.
import { first } from "./peers.mjs";

const base = (type, id, fields) => `${JSON.stringify({ a2e: "1.0", type, id, ts: Date.now() / 1000, ...fields })}\n`;

/** The tool whose calls wait for a person. The daemon is told of it by `HELD_OPTIONS`. */
const HELD_TOOL = "delete";
export const HELD_OPTIONS = ["--a2e-irreversible-tools", HELD_TOOL, "--a2e-max-parallel", "16"];

/** `agents` A2E agents with `held` calls each that wait for a person break off all at once. */
export function heldCallsBreakOff(agents, held) {
  return async (peers, sized) => {
    await peers.subscriber({ supports_confirmation_reply: true });
    const provider = await peers.connection();
    provider.write(base("aaepd.a2e.register", "register", { capabilities: ["tools"] }));
    provider.on("data", () => {});
    const begun = async () => {
      const socket = await peers.connection();
      let heard = "";
      socket.setEncoding("utf8").on("data", (text) => {
        heard += text;
      });
      const until = async (word) => {
        while (!heard.includes(word) && !socket.destroyed) await first(socket, ["data", "close"]);
        if (socket.destroyed) throw new Error("The daemon has closed the attacker's connection.");
        if (heard.includes('"type":"error"') || heard.includes('"ok":false')) peers.refused(heard);
      };
      socket.write(base("handshake/req", "hello", { agent_id: "bench", agent_caps: ["tools"], auth_token: "" }));
      await until("handshake/resp");
      for (let call = 0; call < held; call += 1) {
        socket.write(base("tool/call/req", `call ${call}`, { tool_name: HELD_TOOL, arguments: { call } }));
      }
      // Answered when the calls before it were taken.
      socket.write(base("ping", "ping", {}));
      await until('"pong"');
      return socket;
    };
    const all = () => Promise.all(Array.from({ length: sized(agents) }, begun));
    let present = await all();
    return async () => {
      for (const socket of present) socket.destroy();
      present = await all();
    };
  };
}
