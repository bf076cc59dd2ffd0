// A client of Listen over Connect, HTTP/2 and a Unix socket, for tests that kill it. Says so when it has heard something, and reads on.
import { connect } from "node:http2";
import { connect as connectSocket } from "node:net";

const [path] = process.argv.slice(2);
const session = connect("http://localhost", { createConnection: () => connectSocket({ path }) });
const stream = session.request({
  ":method": "POST",
  ":path": "/aaep.v1.SubscriberService/Listen",
  "content-type": "application/connect+proto",
});
stream.end(Buffer.alloc(5));
stream.once("data", () => process.stdout.write("heard\n"));
stream.on("data", () => {});
