// R19, R33: what a call in the JSON of protobuf says of itself where it cannot be taken.
import { expect, it } from "vitest";
import {
  claimsOfKeyed,
  claimsOfRequest,
  requestIdOf,
  withoutKey,
} from "../../../../src/protocols/aaep/services/service-messages.js";

const REPLY = '{"confirmationReply":{"reply_token":"rpl_1","decision":"accept","decision":"reject"}}';

it("a request says what it is and which question it answers, in either spelling of its fields", () => {
  const { types, replyToken } = claimsOfRequest(REPLY);
  expect([types, replyToken]).toEqual([["confirmation.reply"], "rpl_1"]);
  expect(claimsOfRequest(REPLY.replace("confirmationReply", "confirmation_reply"))).toEqual({ types, replyToken });
  expect(claimsOfRequest(REPLY.replace("reply_token", "replyToken"))).toEqual({ types, replyToken });
});

it("a call that shows a key says whose it is, unless it says so twice", () => {
  const text = '{"key":"k","close":{"subscription_id":"sub_1"}}';
  expect(claimsOfKeyed(text, "close")).toEqual({ subscriptionId: "sub_1", key: "k", replyToken: "" });
  const doubled = '{"key":"k","key":"l","close":{"subscription_id":"sub_1","subscriptionId":"sub_2"}}';
  expect(claimsOfKeyed(doubled, "close")).toEqual({ subscriptionId: undefined, key: undefined, replyToken: "" });
  expect(withoutKey(doubled)).not.toMatch(/"k"|"l"/);
  expect(withoutKey(text)).toBe(text.replace('"k"', '"…"'));
});

it("a request of an agent has an id where it has one", () => {
  const ids = [
    '{"request_id":"1"}',
    '{"requestId":"1"}',
    '{"requestId":"1","request_id":"2"}',
    '{"requestId":1}',
    "{}",
  ];
  expect(ids.map(requestIdOf)).toEqual(["1", "1", "", "", ""]);
});

it("what is no JSON says nothing, however it begins", () => {
  const broken = [`${REPLY.slice(0, -1)}`, `${REPLY} x`, REPLY.replace('"accept",', '"accept" "'), "", "x"];
  for (const text of broken) {
    expect(claimsOfRequest(text)).toEqual({ types: [], replyToken: "" });
    const keyed = text.replace("{", '{"key":"k","request_id":"1",');
    expect(claimsOfKeyed(keyed, "confirmationReply")).toEqual({
      subscriptionId: undefined,
      key: undefined,
      replyToken: "",
    });
    expect(requestIdOf(keyed)).toBe("");
  }
});
