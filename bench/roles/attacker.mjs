// Repeats one attack as fast as the daemon takes it. It waits only for room in its sockets and for the answers that the attack needs.
import { createPeers } from "../attacks/peers.mjs";
import { ATTACKS } from "../attacks.mjs";
import { serveRole } from "../role.mjs";

let peers;
let repeat;
let repeats = 0;
let onRepeat = () => {};
let failure;

async function attack() {
  for (;;) {
    await repeat();
    repeats += 1;
    onRepeat();
  }
}

serveRole({
  prepare: async ({ name, path, servicePath, scale }) => {
    peers = createPeers({ path, servicePath });
    const sized = (number) => Math.max(1, Math.ceil(number * scale));
    repeat = await ATTACKS.find((one) => one.name === name).prepare(peers, sized);
  },
  begin: () => {
    attack().catch((error) => {
      failure = String(error?.stack ?? error);
      onRepeat();
    });
  },
  /** Returns the repetitions of the attack, its refusals, and the failure that ended it; waits at most `waitMs` for the first repetition. */
  tell: async ({ waitMs }) => {
    if (repeats === 0 && failure === undefined) {
      let timer;
      await new Promise((resolve) => {
        onRepeat = resolve;
        timer = setTimeout(resolve, waitMs);
      });
      clearTimeout(timer);
    }
    return { repeats, refused: peers.refusals.count, refusal: peers.refusals.first, failure };
  },
});
