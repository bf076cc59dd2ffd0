// Lines that a parser would change: a proxy that parses and writes again is found out by any of them.

/** Each with its end, except the last. None of them is a message that a proxy may swallow. */
export function hostileLines(): readonly Buffer[] {
  const texts = [
    '{"jsonrpc":"2.0","id":0,"method":"x/unknown","params":{"b":1,"a":2}}\n',
    '{"jsonrpc":"2.0","id":"0","method":"_vendor/thing"}\r\n',
    '{"jsonrpc":"2.0","id":-1,"result":null}\n',
    '{ "jsonrpc" : "2.0", "id" : 9007199254740993, "method":"x", "params":{"n":1.10,"e":1E400,"big":123456789012345678901} }\n',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"y","params":{"a":1,"a":2}}\n',
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"nobody","update":{"sessionUpdate":"new_thing"}}}\n',
    '{"jsonrpc":"2.0","method":"x","params":{"t":"\\u0000\\ud800 \\/ é ü 漢字 😀 \u2028 \u0085"}}\n',
    '[{"jsonrpc":"2.0","id":7,"method":"x"},{"jsonrpc":"2.0","id":8,"result":{}}]\n',
    "\n",
    "\r\n",
    "no json at all\n",
    '{"jsonrpc":"2.0",\n',
  ];
  const big = `{"jsonrpc":"2.0","id":3,"result":{"content":"${"é".repeat(500_000)}"}}\n`;
  return [
    ...texts.map((text) => Buffer.from(text)),
    Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]),
    Buffer.from(big),
    Buffer.from(`{"jsonrpc":"2.0","method":"x","params":"${"y".repeat(1_200_000)}"}\n`),
    Buffer.from('{"jsonrpc":"2.0","id":4,"method":"last/without_its_end"}'),
  ];
}
