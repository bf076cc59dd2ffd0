// Japanese: no spaces between words, sentences that end in "。" with nothing after it, quotations with a full stop inside, rare characters that the
// tokenizer cuts into bytes, one beyond the basic plane (𠮷) and an emoji of several code points. A reservation is offered and declined.
// The haiku is Matsuo Bashō's (1644-1694).

const ANSWER = `京都の二日間の旅程をご提案します。ご希望は「静かな場所を、階段を避けてゆっくり回りたい。」とのことでしたので、移動は一日およそ3.5kmまでにしました。

## 一日目：鞍馬と貴船

- 午前9時30分、出町柳駅から叡山電車に乗ります。鞍馬駅まで約30分、料金は470円です。
- 鞍馬寺へはケーブルカーで上れます。段差は残り約120段ですが、手すりがあります。
- 昼食は「𠮷田さんの湯豆腐」がおすすめです。予算は一人2,200円ほど。点字のメニューもあるそうです！
- 午後は貴船川の音を聞きながら休みましょう。蛍が見られるのは6月中旬だけです。

## 二日目：嵯峨野と嵐山

1. 朝8時、竹林の小径を歩きます。この時間なら人が少なく、風の音がよく聞こえます。
2. 10時15分、トロッコ嵯峨駅からトロッコ列車に乗ります（片道880円、所要時間25分）。
3. 天龍寺の庭園は車椅子でも回れます。詳しくは https://example.com/ja/kyoto をご覧ください。

松尾芭蕉は「古池や蛙飛びこむ水の音」と詠みました。目を閉じて聞く京都も、きっとすばらしいはずです。ご家族👨‍👩‍👧‍👦でのご旅行なら、割引切符が使えます。\
宿の予約はまだしていません。天気は二日目の午後に30%の確率で雨ですから、折りたたみ傘をお忘れなく。ほかに気になることはありますか？
`;

export const japaneseTravel = {
  name: "japanese-travel",
  seed: 404,
  startedAt: "2026-06-05T01:12:30.500Z",
  producer: { agent_id: "travel-desk", agent_version: "3.1.0", agent_name: "旅の案内" },
  hints: { primary_language: "ja", text_direction: "ltr", script: "Jpan" },
  steps: [
    {
      type: "session.started",
      event: {
        summary_terse: "開始しました。",
        summary_normal: "旅の案内が旅程を作っています。",
        summary_detailed: "旅の案内が京都の二日間の旅程を作っています。列車と宿を調べ、予約の前に必ず確認します。",
        expected_duration_ms: 35000,
        requested_by: "user:haruka",
        request_text: "京都を二日間、静かにゆっくり回りたいです。階段はなるべく避けてください。",
        tools_available: ["search_routes", "search_inns", "hold_room"],
      },
    },
    {
      after: 190,
      type: "state.changed",
      event: {
        from_state: "idle",
        to_state: "thinking",
        summary_terse: "考え中。",
        summary_normal: "ご希望を確認しています。",
      },
    },
    {
      after: 2100,
      type: "tool.invoked",
      call: "routes",
      event: {
        tool: "search_routes",
        args_summary: "京都、二日間、階段なし",
        summary_terse: "経路検索中。",
        summary_normal: "階段の少ない経路を調べています。",
        summary_detailed: "出町柳から鞍馬まで、また嵯峨から嵐山までの、階段の少ない経路を調べています。",
        expected_duration_ms: 2500,
        risk_level: "low",
        irreversible: false,
      },
    },
    {
      after: 350,
      type: "tool.invoked",
      call: "inns",
      event: {
        tool: "search_inns",
        args_summary: "京都、一泊、バリアフリー",
        summary_terse: "宿を検索中。",
        summary_normal: "バリアフリーの宿を調べています。",
        expected_duration_ms: 3000,
        risk_level: "low",
        irreversible: false,
      },
    },
    {
      after: 1800,
      type: "tool.completed",
      call: "routes",
      event: {
        tool: "search_routes",
        status: "success",
        summary_terse: "経路あり。",
        summary_normal: "経路が四つ見つかりました。",
      },
    },
    {
      after: 900,
      type: "tool.completed",
      call: "inns",
      event: {
        tool: "search_inns",
        status: "success",
        summary_terse: "宿が一軒。",
        summary_normal: "条件に合う宿が一軒見つかりました。",
      },
    },
    {
      after: 700,
      type: "state.changed",
      event: {
        from_state: "calling_tool",
        to_state: "awaiting_input",
        urgency: "normal",
        summary_terse: "確認待ち。",
        summary_normal: "宿を仮予約してよいか、お返事を待っています。",
      },
    },
    {
      after: 12,
      type: "awaiting.confirmation",
      event: {
        action: "鞍馬の宿を一泊、仮予約します（一泊14,300円）。",
        consequence: "48時間、部屋が確保されます。その間は無料で取り消せます。",
        timeout_seconds: 90,
        default_decision: "reject",
        summary_terse: "仮予約しますか？",
        summary_normal: "鞍馬の宿を一泊14,300円で仮予約してよろしいですか？48時間以内は無料で取り消せます。",
        risk_level: "low",
        reversibility: "reversible",
        extra_context: { tool: "hold_room" },
      },
    },
    {
      after: 7800,
      type: "state.changed",
      event: {
        from_state: "awaiting_input",
        to_state: "deciding",
        urgency: "normal",
        summary_terse: "予約しません。",
        summary_normal: "宿は予約しませんでした。旅程だけをまとめます。",
      },
    },
    {
      after: 480,
      type: "state.changed",
      event: {
        from_state: "deciding",
        to_state: "writing_output",
        summary_terse: "作成中。",
        summary_normal: "旅程を書いています。",
      },
    },
    {
      after: 800,
      output: {
        text: ANSWER,
        contentType: "text/markdown",
        tokensPerSecond: 48,
        pauses: [0.15, 0.5, 0.8],
        endsEmpty: false,
      },
    },
    {
      after: 140,
      type: "session.completed",
      event: {
        summary_terse: "完了。",
        summary_normal: "京都の旅程ができました。",
        summary_detailed:
          "京都の二日間の旅程ができました。一日目は鞍馬と貴船、二日目は嵯峨野と嵐山です。宿は予約していません。",
        output_summary: "京都二日間の旅程",
      },
    },
  ],
};
