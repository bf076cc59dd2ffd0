import type { Message } from "../oracles/wire-sniffer.js";

/** All open questions, asked for page by page. `ask`: one page, behind a place. */
export async function allPending(ask: (after: Message) => Promise<Message>): Promise<readonly Message[]> {
  const questions: Message[] = [];
  let after: Message = {};
  for (;;) {
    const page = await ask(after);
    if (!Array.isArray(page.questions)) throw new Error(`no list of questions: ${JSON.stringify(page)}`);
    questions.push(...(page.questions as readonly Message[]));
    if (page.next === undefined) return questions;
    after = { after: page.next };
  }
}
