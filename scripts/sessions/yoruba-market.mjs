// Yoruba with its tone marks, English beside it in the summaries, and two outputs: the answer in Yoruba, then a short note in English whose chunks
// say so. Many Yoruba letters with a dot below and a tone have no single code point, so tokens cut them in the middle of a grapheme cluster. The
// proverb in the answer is traditional.

const ANSWER = `Ẹ káàárọ̀! Mo ti wo iye owó oúnjẹ ní ọjà Bódìjà fún yín lónìí. Àwọn nǹkan tí ẹ béèrè nìyí:

Tòmátò: apẹ̀rẹ̀ kékeré kan jẹ́ ₦4,500.00.
Ata rodo: kóńgò kan jẹ́ ₦2,800.00.
Àlùbọ́sà: kìlógíráàmù 1.5 jẹ́ ₦1,950.00.
Ìrẹsì: kóńgò kan jẹ́ ₦3,400.00.
Epo pupa: lítà kan jẹ́ ₦2,100.00.

Tí ẹ bá ra gbogbo rẹ̀, owó tí ẹ máa san jẹ́ ₦14,750.00. Ẹ ní ₦20,000.00, nítorí náà ₦5,250.00 yóò ṣẹ́kù. \
Tòmátò wọ́n ju ti ọ̀sẹ̀ tó kọjá lọ, nítorí pé òjò rọ̀ púpọ̀. Ṣé ẹ lè dúró di ọjọ́ Àìkú? Tí kò bá ṣeé ṣe, ẹ ra tòmátò inú agolo.

Ìmọ̀ràn mi nìyí. Ẹ tètè lọ sí ọjà ní òwúrọ̀, nítorí pé ọjà máa ń kún ní ọ̀sán. Ẹ fi ọwọ́ kan tòmátò kọ̀ọ̀kan kí ẹ tó sanwó; \
èyí tó le, tó sì pupa, ló dára jù. Ẹ má ṣe gbàgbé láti mú àpò dání. Tí àpò bá wúwo jù, ẹ pe ẹnìkan láti ràn yín lọ́wọ́. \
Àwọn àgbà máa ń sọ pé: “Ọwọ́ ọmọdé kò tó pẹpẹ, ti àgbàlagbà kò wọ kèrègbè.” Ẹ ṣeun púpọ̀!
`;

const NOTE = `Note for your driver, approx. 5 min. from the gate: please wait at Bodija Market, second entrance, from 8.30 a.m. \
The shopping comes to ₦14,750.00 and fits into one bag.`;

export const yorubaMarket = {
  name: "yoruba-market",
  seed: 403,
  startedAt: "2026-06-12T07:41:03.250Z",
  producer: { agent_id: "market-guide", agent_version: "2.0.1", agent_name: "Olùrànlọ́wọ́ Ọjà" },
  hints: { primary_language: "yo", text_direction: "ltr", available_languages: ["yo", "en"], fallback_chain: ["en"] },
  steps: [
    {
      type: "session.started",
      event: {
        summary_terse: "Mo ti bẹ̀rẹ̀.",
        summary_terse_en: "Started.",
        summary_normal: "Olùrànlọ́wọ́ Ọjà ń ṣiṣẹ́ lórí ìbéèrè yín.",
        summary_normal_en: "The market guide is working on your question.",
        summary_detailed: "Olùrànlọ́wọ́ Ọjà ń wo iye owó oúnjẹ ní ọjà Bódìjà, yóò sì ṣe ìṣirò owó tí ẹ máa ná.",
        summary_detailed_en:
          "The market guide is looking up food prices at Bodija market and will add up what you are going to spend.",
        expected_duration_ms: 30000,
        requested_by: "user:folake",
        request_text: "Ẹ jọ̀ọ́, èló ni oúnjẹ ní ọjà Bódìjà lónìí?",
        tools_available: ["fetch_prices", "sum_basket"],
      },
    },
    {
      after: 230,
      type: "state.changed",
      event: {
        from_state: "idle",
        to_state: "thinking",
        summary_terse: "Mò ń ronú.",
        summary_terse_en: "Thinking.",
        summary_normal: "Mò ń ronú lórí ìbéèrè yín.",
        summary_normal_en: "Thinking about your question.",
      },
    },
    {
      after: 3400,
      type: "tool.invoked",
      call: "prices",
      event: {
        tool: "fetch_prices",
        args_summary: "market: Bódìjà, items: 5",
        summary_terse: "Mò ń wo iye owó.",
        summary_terse_en: "Looking up prices.",
        summary_normal: "Mò ń wo iye owó oúnjẹ ní ọjà Bódìjà.",
        summary_normal_en: "Looking up food prices at Bodija market.",
        expected_duration_ms: 3000,
        risk_level: "low",
        irreversible: false,
      },
    },
    {
      after: 3100,
      type: "progress.updated",
      event: {
        progress: {
          percent: 60,
          step: 3,
          total_steps: 5,
          description: "Mo ti rí iye owó nǹkan mẹ́ta.",
          description_en: "Three prices found.",
        },
        summary_terse: "Mẹ́ta nínú márùn-ún.",
        summary_terse_en: "Three of five.",
        summary_normal: "Mo ti rí iye owó nǹkan mẹ́ta nínú márùn-ún.",
        summary_normal_en: "I have found the prices of three things out of five.",
        eta_ms: 1200,
      },
    },
    {
      after: 2300,
      type: "tool.completed",
      call: "prices",
      event: {
        tool: "fetch_prices",
        status: "success",
        summary_terse: "Mo ti rí iye owó.",
        summary_terse_en: "Prices found.",
        summary_normal: "Mo ti rí iye owó nǹkan márùn-ún.",
        summary_normal_en: "I have found the prices of all five things.",
      },
    },
    {
      after: 420,
      type: "tool.invoked",
      call: "sum",
      event: {
        tool: "sum_basket",
        summary_terse: "Mò ń ṣe ìṣirò.",
        summary_terse_en: "Adding up.",
        summary_normal: "Mò ń ṣe ìṣirò owó tí ẹ máa ná.",
        summary_normal_en: "Adding up what you are going to spend.",
        expected_duration_ms: 300,
        risk_level: "low",
        irreversible: false,
      },
    },
    {
      after: 260,
      type: "tool.completed",
      call: "sum",
      event: {
        tool: "sum_basket",
        status: "success",
        summary_terse: "₦14,750.",
        summary_terse_en: "₦14,750.",
        summary_normal: "Àpapọ̀ owó jẹ́ ₦14,750.",
        summary_normal_en: "The total is ₦14,750.",
      },
    },
    {
      after: 70,
      type: "state.changed",
      event: {
        from_state: "calling_tool",
        to_state: "writing_output",
        summary_terse: "Mò ń kọ ìdáhùn.",
        summary_terse_en: "Writing.",
        summary_normal: "Mò ń kọ ìdáhùn yín.",
        summary_normal_en: "Writing your answer.",
      },
    },
    {
      after: 1400,
      output: {
        text: ANSWER,
        contentType: "text/plain",
        language: "yo",
        tokensPerSecond: 52,
        pauses: [0.1, 0.4, 0.75],
        endsEmpty: false,
      },
    },
    {
      after: 1300,
      output: {
        text: NOTE,
        contentType: "text/plain",
        language: "en",
        tokensPerSecond: 60,
        pauses: [],
        endsEmpty: true,
      },
    },
    {
      after: 150,
      type: "session.completed",
      event: {
        summary_terse: "Ó ti parí.",
        summary_terse_en: "Done.",
        summary_normal: "Ìdáhùn yín ti ṣetán.",
        summary_normal_en: "Your answer is ready.",
        summary_detailed: "Ìdáhùn yín ti ṣetán. Àpapọ̀ owó jẹ́ ₦14,750; ₦5,250 yóò ṣẹ́kù.",
        summary_detailed_en: "Your answer is ready. The total is ₦14,750; ₦5,250 will be left.",
        output_summary: "Iye owó nǹkan márùn-ún àti ìmọ̀ràn.",
        output_summary_en: "The prices of five things, and some advice.",
      },
    },
  ],
};
