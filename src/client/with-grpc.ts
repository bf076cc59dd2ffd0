// The exports of `aaepd` for programs that run in Node: those of `@aaepd/client`, and gRPC.
export { type GrpcConnectorOptions, grpcRpcConnector } from "./agent/grpc-connector.js";
export * from "./main.js";
