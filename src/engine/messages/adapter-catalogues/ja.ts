import { createWording } from "../catalogues/wording.js";
import type { AdapterWords } from "./adapter-words.js";

const { plural } = createWording("ja");

export const JAPANESE_ADAPTER: AdapterWords = {
  agentIn: (host, folder) => `${folder} の ${host}`,
  runs: {
    read: (what) => `${what} を読みます`,
    edit: (what) => `${what} を変更します`,
    delete: (what) => `${what} を削除します`,
    move: (what) => `${what} を移動します`,
    execute: (what) => `${what} を実行します`,
    fetch: (what) => `${what} を取得します`,
  },
  asks: {
    read: (what) => `読み取り: ${what}`,
    edit: (what) => `変更: ${what}`,
    delete: (what) => `削除: ${what}`,
    move: (what) => `移動: ${what}`,
    execute: (what) => `実行: ${what}`,
    fetch: (what) => `取得: ${what}`,
  },
  use: (tool) => `${tool} の使用`,
  moreLines: (count) => plural(count, { other: "ほか # 行" }),
  moreFiles: (count) => plural(count, { other: "ほか # 件のファイル" }),
  labels: {
    command: "コマンド",
    folder: "フォルダー",
    file: "ファイル",
    host: "ホスト",
    address: "アドレス",
    text: "新しい文",
  },
  noDetails: "エージェントはこれ以上説明していません。",
  leftOut: (count) => plural(count, { other: "全文ではありません。# 文字が省かれています。" }),
  notAllRead: (action) => `すべては読み上げられていません。それでも許可しますか: ${action}`,
  works: "ご依頼に取り組んでいます。",
  done: "終わりました。",
  limitReached: "上限に達したため停止しました。",
  refused: "エージェントは断りました。",
  stopped: "停止しました。",
  failed: "エラーで終わりました。",
  signInNeeded: "エージェントへのサインインが必要です。",
  exited: (how) => `エージェントが予期せず終了しました: ${how}。`,
  hostClosed: "エージェントのウィンドウが閉じられました。",
  mode: (name) => `モード: ${name}。`,
  compacting: "会話を要約しています。",
  subagent: (title, words) => `サブエージェント ${title}: ${words}`,
  askedThere: (asking) => `${asking} エージェントのウィンドウで答えてください。`,
  askedToOpen: (domain) => `エージェントが、自身のウィンドウで ${domain} を開くよう求めています。`,
  question: "エージェントが質問しています。",
};
