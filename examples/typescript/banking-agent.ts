// A banking agent that asks before it transfers money. See README.md beside this file.
import { parseArgs } from "node:util";
import { openAgent } from "aaepd";

const { values } = parseArgs({ options: { timeout: { type: "string", default: "120" } } });

/** A default is never told as somebody's decision. */
const WHY_NOT = {
  reply: "You declined it.",
  timeout: "Nobody answered in time.",
  host: "It was declined in the agent's own dialog.",
  cancelled: "The question was taken back.",
  subscription_ended: "Whoever could have answered has gone.",
  no_subscriber: "There was nobody to ask.",
} as const;

const agent = await openAgent({
  id: "banking-agent",
  // The question waits so long for somebody who can answer.
  spawn: { argv: ["--confirmation-grace-seconds", "20"] },
  onWaiting: ({ waiting }) => waiting && tell("Somebody is being asked."),
});
await agent.session("Transfers 500 dollars to Ada Obi.", async (s) => {
  const summary = "Reading your balance.";
  await s.tool("fetch_balance", () => 12_500, { summary, completed: "Your balance is 12,500 dollars." });
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
  tell(told);
  s.text(`${told} Your balance is ${told.includes("Nothing") ? "still 12,500" : "12,000"} dollars.`);
  s.complete(told);
});
await agent.close();

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
