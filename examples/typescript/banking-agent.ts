// A banking agent that asks before it transfers money. Nothing is really transferred. Run it in the folder of the project, after `npm ci`, beside
// `npx --no -- aaepd tail --interactive`: node dist/examples/typescript/banking-agent.js
import { parseArgs } from "node:util";
import { openAgent } from "aaepd";

const { values } = parseArgs({ options: { timeout: { type: "string", default: "120" } } });

/** A default is never told as somebody's decision. */
const WHY_NOT = {
  reply: "You declined it.",
  timeout: "Nobody answered in time.",
  host: "It was declined in the agent's own dialog.",
  cancelled: "The question was taken back.",
  subscription_ended: "Nobody who could answer was left.",
  no_subscriber: "There was nobody to ask.",
} as const;

// In a daemon of its own, a question waits 20 seconds for somebody who can answer.
const agent = await openAgent({ id: "banking-agent", spawn: { argv: ["--confirmation-grace-seconds", "20"] } });

await agent.session("Transfers 500 dollars to Ada Obi.", async (s) => {
  await s.tool("fetch_balance", () => 12_500, {
    summary: "Reading your balance.",
    completed: (balance) => `Your balance is ${balance.toLocaleString("en")} dollars.`,
  });
  const told = await s.tool("transfer_funds", () => "Transferred 500 dollars.", {
    summary: "Transferring 500 dollars.",
    completed: "The transfer is done.",
    irreversible: true,
    action: "Transfer 500 dollars to Ada Obi.",
    consequence: "The money leaves your account at once. 12,000 dollars remain.",
    timeout_seconds: Number(values.timeout),
    extra_context: { amount: 500, currency: "USD" },
    declined: ({ resolved_by }) => `${WHY_NOT[resolved_by]} Nothing was transferred.`,
  });
  process.stdout.write(`${told}\n`);
  s.text(`${told} Your balance is ${told.includes("Nothing") ? "still 12,500" : "12,000"} dollars.`);
  s.complete(told);
});
await agent.close();
