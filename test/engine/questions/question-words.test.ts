// In what words and in which language a question reaches each listener: listed, quoted in reminders and outcomes, and told to those who come late and
// cannot answer (R6, R14, R31).
import { describe, expect, it } from "vitest";
import { type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, clarification, confirmation, give, questionsIn, started } from "../../support/rigs/question-rig.js";

const MULTILINGUAL = {
  action: "Delete the file.",
  action_de: "Die Datei löschen.",
  action_es: "Borrar el archivo.",
  consequence: "It is gone.",
  consequence_de: "Sie ist weg.",
  summary_terse: "Delete?",
  summary_normal: "Delete the file?",
  timeout_seconds: 200,
};

const markedIn = ({ received }: Listener, mark: "decision" | "asks") =>
  received.filter(({ event }) => event.extensions?.aaepd?.[mark] !== undefined).map(({ event }) => event);

describe("R31: the question that is quoted is in the listener's language where the agent gave it in that", () => {
  it.each([
    [["de-AT"], "de", "Die Datei löschen."],
    [["es", "de"], "es", "Borrar el archivo."],
    [["en"], undefined, "Delete the file."],
    [["fr"], "fr", "Delete the file."],
    [["yo"], undefined, "Delete the file."],
  ])("for %j: outcome, reminder and notice", (languages, language, quote) => {
    const rig = started();
    const able = rig.listen({ ...ABLE, languages });
    const deaf = rig.listen({ languages });
    rig.publish(confirmation("rpl_1", MULTILINGUAL));
    rig.advance(100_000);
    give(rig, able, "rpl_1", "accept");
    rig.publish(confirmation("rpl_2", MULTILINGUAL));
    rig.publish(session().state("awaiting_input", "deciding"));
    const [outcome, withdrawn] = markedIn(able, "decision");
    const reminder = able.received.find(({ event }) => event.type === "aaep:agent.progress.updated")?.event;
    const [notice] = markedIn(deaf, "asks");
    for (const event of [outcome, withdrawn, reminder, notice]) {
      expect(event?.summary_normal).toContain(quote);
      expect(event?.localization_hints?.primary_language).toBe(language ?? "en");
    }
  });
});

describe("how a clarification ends that nobody answers", () => {
  const choices = [
    { value: "a", label: "The first account", label_de: "Das erste Konto" },
    { value: "b", label: "The second account", label_de: "Das zweite Konto" },
  ];

  function unanswered(extra: Record<string, unknown>, language: string, form: "terse" | "normal" = "normal"): string {
    const rig = started();
    const able = rig.listen({ ...ABLE, languages: [language], preferredVerbosity: form });
    rig.publish(clarification("rpl_1", { question: "Which?", ...extra }));
    rig.advance(60_000);
    return String(markedIn(able, "decision")[0]?.[`summary_${form}`]);
  }

  it.each([
    ["the label of a choice", { choices, default_response: "b" }, "The answer is taken to be: The second account."],
    ["a number", { accepted_response_kinds: ["numeric"], default_response: "65" }, "The answer is taken to be: 65."],
    ["yes", { accepted_response_kinds: ["yes_no"], default_response: "true" }, "The answer is taken to be: yes."],
    ["no", { accepted_response_kinds: ["yes_no"], default_response: "false" }, "The answer is taken to be: no."],
    ["words", { default_response: "Ask later!" }, "The answer is taken to be: Ask later!"],
  ])("by a default: tells %s", (_, extra, told) => {
    expect(unanswered(extra, "en")).toBe(
      `Nobody answered in time, so the default applies. ${told} The question was: Which?`,
    );
    expect(unanswered(extra, "en", "terse")).toBe(`Timed out. ${told.replace("The answer is taken", "Taken")}`);
  });

  it.each([{}, { default_response: "" }, { choices }])("by nothing, as there is no default: %j", (extra) => {
    expect(unanswered(extra, "en")).toBe("No answer came. The question was: Which?");
    expect(unanswered(extra, "en", "terse")).toBe("Timed out. No answer came.");
  });

  it.each([
    ["es", "Se toma como respuesta: The second account.", "No llegó ninguna respuesta."],
    ["fr", "La réponse retenue est : The second account.", "Aucune réponse n’est arrivée."],
    ["de", "Als Antwort gilt: Das zweite Konto.", "Es kam keine Antwort."],
    ["ja", "次の回答として扱われます：The second account。", "回答は届きませんでした。"],
    ["ar", "تُعتمد الإجابة التالية: The second account.", "لم تصل أي إجابة."],
  ])("in %s, with the label of that language where there is one", (language, told, nothing) => {
    expect(unanswered({ choices, default_response: "b" }, language)).toContain(told);
    expect(unanswered({ choices }, language)).toContain(nothing);
  });
});

describe("R14, R28: what is listed is what was sent", () => {
  it.each([
    [["de"], "terse"],
    [["de"], "normal"],
    [["fr"], "detailed"],
    [["es", "en"], "terse"],
  ] as const)("in the language and length of the subscription: %j, %s", (languages, preferredVerbosity) => {
    const rig = started();
    const able = rig.listen({ ...ABLE, languages, preferredVerbosity });
    rig.publish(confirmation("rpl_1", MULTILINGUAL));
    const [sent] = questionsIn(able);
    expect(able.subscription.listener.openQuestions().events).toEqual([sent?.event]);
    expect(Object.keys(sent?.event ?? {}).filter((key) => /_(de|es)$/.test(key))).toEqual([]);
  });
});

describe("R6: one that comes late and cannot answer", () => {
  it("hears what is being asked, in its language and past its filters, and the outcome", () => {
    const rig = started();
    const able = rig.listen(ABLE, "able");
    rig.publish(confirmation("rpl_1", MULTILINGUAL), clarification("rpl_2"));
    const late = rig.listen({ languages: ["de"], eventFilters: { include: [], exclude: [] } }, "late");
    const notices = markedIn(late, "asks");
    expect(notices.map(({ summary_normal: text }) => text)).toEqual([
      expect.stringContaining("Die Datei löschen. Sie ist weg."),
      expect.stringContaining("Which of rpl_2?"),
    ]);
    for (const notice of notices)
      expect(notice).toMatchObject({
        urgency: "critical",
        to_state: "awaiting_input",
        producer: { agent_id: "test-agent" },
      });
    expect(JSON.stringify(late.received)).not.toContain('"reply_token"');
    give(rig, able, "rpl_1", "accept");
    expect(markedIn(late, "decision")).toHaveLength(1);
  });
});

describe("R31: what is quoted of an agent ends as the sentence's language does", () => {
  const BARE = { action: "Delete 12 photos", consequence: "They cannot be restored ", timeout_seconds: 200 };

  it.each([
    ["en", "Delete 12 photos. They cannot be restored. It cannot be answered over this subscription."],
    ["es", "Delete 12 photos. They cannot be restored. No se puede responder desde esta suscripción."],
    ["fr", "Delete 12 photos. They cannot be restored. Il n’est pas possible d’y répondre depuis cet abonnement."],
    ["de", "Delete 12 photos. They cannot be restored. Über dieses Abonnement kann nicht geantwortet werden."],
    ["ja", "Delete 12 photos。They cannot be restored。この購読からは回答できません。"],
    ["ar", "Delete 12 photos. They cannot be restored. لا يمكن الإجابة عبر هذا الاشتراك."],
  ])("a notice, a reminder and an outcome in %s", (language, ending) => {
    const rig = started();
    const able = rig.listen({ ...ABLE, languages: [language] });
    const deaf = rig.listen({ languages: [language] });
    rig.publish(confirmation("rpl_1", BARE));
    rig.advance(100_000);
    give(rig, able, "rpl_1", "accept");
    const [notice] = markedIn(deaf, "asks");
    expect(String(notice?.summary_normal).endsWith(ending)).toBe(true);
    const stop = language === "ja" ? "。" : ".";
    const reminder = able.received.find(({ event }) => event.type === "aaep:agent.progress.updated")?.event;
    for (const event of [reminder, ...markedIn(able, "decision")])
      expect(String(event?.summary_normal).endsWith(`Delete 12 photos${stop}`)).toBe(true);
  });

  it.each(["Really?", "Weg damit!", "He said “no.”", "もう一つ。", "هل تريد ذلك؟", "One of these:", "Wait…"])(
    "an end of their own stays the only one: %s",
    (action) => {
      const rig = started();
      rig.listen(ABLE);
      const deaf = rig.listen();
      rig.publish(confirmation("rpl_1", { action, consequence: "It is gone" }));
      const [notice] = markedIn(deaf, "asks");
      const text = String(notice?.summary_normal);
      expect(text.slice(text.indexOf(action) + action.length).trimStart()).toMatch(/^It is gone\. It cannot/u);
    },
  );
});
