// A client of gRPC in a process of its own, to be killed or stopped in the middle of a stream. Says "open" when the first message has come.
// Arguments: the address, the path of a method that streams both ways.
import grpc from "@grpc/grpc-js";

const [address, path] = process.argv.slice(2);
const asIs = (bytes) => bytes;
const client = new grpc.Client(address, grpc.credentials.createInsecure());
const call = client.makeBidiStreamRequest(path, asIs, asIs);
call.on("error", () => {});
call.once("data", () => process.stdout.write("open\n"));
call.write(Buffer.from("hello"));
