import type { Catalogue } from "./catalogue.js";
import { createResolution } from "./resolution-words.js";
import { createWording, sentences } from "./wording.js";

const { plural, percent, duration, state, list } = createWording("ja");

const STATES = {
  idle: "待機中",
  thinking: "思考中",
  calling_tool: "ツールを使用中",
  writing_output: "出力中",
  awaiting_input: "入力待ち",
  deciding: "判断中",
  handing_off: "引き継ぎ中",
} as const;

const GAPS = {
  aged_out: "配信の順番が来たときには保存期間が過ぎていました",
  resumed_too_late: "削除された後に購読が再開されました",
  unknown_place: "購読を再開する位置がここでは不明です",
} as const;

const resolution = createResolution("ja", {
  decisions: {
    accepted: "承認されました。",
    rejected: "拒否されました。",
    answered: "回答されました。",
    cancelled: "取り下げられました。",
  },
  decidedBy: {
    reply: "",
    timeout: "時間内に回答がなかったため、既定の扱いになります。",
    nobody_to_ask: "回答できる相手がいなかったため、既定の扱いになります。",
    nobody_left: "回答できる相手がいなくなったため、既定の扱いになります。",
    host: "エージェント自身の画面で回答されました。",
    agent: "",
    host_window: "エージェント自身の画面で回答してください。",
  },
  decidedByTerse: {
    reply: "",
    timeout: "時間切れ。",
    nobody_to_ask: "回答者なし。",
    nobody_left: "回答者退出。",
    host: "エージェントの画面で回答。",
    agent: "",
    host_window: "エージェント自身の画面で回答してください。",
  },
  withoutDefault: {
    nobody_to_ask: "回答できる相手がいませんでした。",
    nobody_left: "回答できる相手がいなくなりました。",
  },
  noAnswer: "回答は届きませんでした。",
  yes: "はい",
  no: "いいえ",
  takenToBe: (answer) => ({ terse: `既定の回答：${answer}`, normal: `次の回答として扱われます：${answer}` }),
  question: (asking) => `質問の内容：${asking}`,
});

const CLOSINGS = {
  producer_shutdown: {
    terse: "終了します。",
    normal: "サービスを終了します。再開したら、もう一度購読してください。",
  },
  recording_ended: { terse: "記録は終わりです。", normal: "記録はこれで終わりです。この後に続くものはありません。" },
  producer_error: {
    terse: "エラーが発生しました。",
    normal: "サービスでエラーが発生したため、購読を終了しました。もう一度購読すると、前回の続きから再開できます。",
  },
  lagging: {
    terse: "遅れすぎです。",
    normal: "イベントの受信が遅すぎるため、購読を終了しました。もう一度購読すると、前回の続きから再開できます。",
  },
  handshake_timeout: {
    terse: "要求がありません。",
    normal: "時間内に購読の要求がなかったため、接続を閉じました。",
  },
  idle_timeout: { terse: "長時間の無通信。", normal: "長い間通信がなかったため、接続を閉じました。" },
} as const;

export const JAPANESE: Catalogue = {
  sessionSummary: ({ state: name, toolsRunningCount, outputOpen, questionOpen, percent: done }) => ({
    terse: sentences([
      `${state(STATES, name)}。`,
      questionOpen && "質問あり。",
      done !== undefined && `${percent(done)}。`,
    ]),
    normal: sentences([
      `現在の状態：${state(STATES, name)}。`,
      toolsRunningCount > 0 && plural(toolsRunningCount, { other: "#個のツールが実行中です。" }),
      outputOpen && "出力が続いています。",
      questionOpen && "質問が回答を待っています。",
      done !== undefined && `${percent(done)}完了しています。`,
    ]),
  }),
  gap: ({ eventCount, reason }) =>
    eventCount === undefined
      ? {
          terse: "イベントが欠落した可能性があります。",
          normal: `イベントが届かなかった可能性があります。理由：${GAPS[reason]}。`,
        }
      : {
          terse: plural(eventCount, { other: "最大#件のイベントが欠落。" }),
          normal: `${plural(eventCount, { other: "最大#件のイベントが届きませんでした。" })}理由：${GAPS[reason]}。`,
        },
  agentDisconnected: ({ agent }) => ({
    terse: "エージェント切断。",
    normal: `${agent}との接続が切れたため、セッションは終了しました。もう一度開始すると解決することがあります。`,
  }),
  agentNotBack: ({ agent }) => ({
    terse: "エージェントが戻りません。",
    normal: `サービスが再起動した後に${agent}が戻らなかったため、セッションは終了しました。もう一度開始すると解決することがあります。`,
  }),
  daemonStopped: ({ agent }) => ({
    terse: "サービス停止。",
    normal: `サービスが停止したため、${agent}のセッションは終了しました。もう一度開始すると解決することがあります。`,
  }),
  toolAbandoned: ({ tool }) => ({
    terse: `${tool}：結果なし。`,
    normal: `ツール${tool}は結果が出ないまま中止されました。`,
  }),
  questionNotice: ({ agent, kind, asking }) => ({
    terse: `${kind === "confirmation" ? "別の場所での確認" : "別の場所での質問"}：${asking}`,
    normal: sentences([
      kind === "confirmation" ? `${agent}が確認を求めています：${asking}` : `${agent}が質問しています：${asking}`,
      "この購読からは回答できません。",
    ]),
  }),
  resolution,
  countdown: ({ passed, remainingSeconds, asking }) => ({
    terse: `回答の残り時間：${duration(remainingSeconds)}。`,
    normal: sentences([
      passed === "half" ? "回答時間の半分が過ぎました。" : "回答時間が残りわずかです。",
      `残り${duration(remainingSeconds)}です。`,
      `質問の内容：${asking}`,
    ]),
  }),
  closing: ({ reason }) => CLOSINGS[reason],
  relayStarted: ({ agent, capabilities }) => ({
    terse: "セッションを開始しました。",
    normal: `${agent}が開始しました。使える機能は${list(capabilities)}です。`,
  }),
  relayEnded: ({ agent }) => ({ terse: "完了。", normal: `${agent}が完了しました。` }),
  relayCall: ({ agent, tool, details }) => ({
    terse: `${tool}を使用中。`,
    normal: `${agent}が${tool}を使います。${details === undefined ? "" : `内容は${details}です。`}`,
  }),
  relayFailed: ({ tool, code }) => ({
    terse: `${tool}は失敗しました。`,
    normal: `${tool}は失敗しました。理由は${code}です。`,
  }),
  relayArtifact: ({ tool, name }) => ({
    terse: `ファイル: ${name}。`,
    normal: `${tool}がファイル${name}を作りました。`,
  }),
  relayAction: ({ agent, tool, details }) => ({
    terse: `${tool}を許可しますか。`,
    normal: `${agent}が${tool}を使おうとしています。${details === undefined ? "" : `内容は${details}です。`}`,
  }),
  relayConsequence: ({ tool }) => ({ terse: "元に戻せません。", normal: `${tool}の結果は元に戻せません。` }),
};
