// The public descriptor of grpc.health.v1 (grpc/health/v1/health.proto), for reflection. The library's own descriptor names the entries of a map
// otherwise than compilers do. Strict clients refuse that file, and with it health checks.
import { create } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";

const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;
const { STRING, MESSAGE, ENUM } = FieldDescriptorProto_Type;

export function createHealthDescriptor(): FileDescriptorProto {
  const request = ".grpc.health.v1.HealthCheckRequest";
  const response = ".grpc.health.v1.HealthCheckResponse";
  const listResponse = ".grpc.health.v1.HealthListResponse";
  const entry = `${listResponse}.StatusesEntry`;
  const status = `${response}.ServingStatus`;
  return create(FileDescriptorProtoSchema, {
    name: "grpc/health/v1/health.proto",
    package: "grpc.health.v1",
    syntax: "proto3",
    messageType: [
      {
        name: "HealthCheckRequest",
        field: [{ name: "service", jsonName: "service", number: 1, label: OPTIONAL, type: STRING }],
      },
      {
        name: "HealthCheckResponse",
        field: [{ name: "status", jsonName: "status", number: 1, label: OPTIONAL, type: ENUM, typeName: status }],
        enumType: [
          {
            name: "ServingStatus",
            value: ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"].map((name, number) => ({ name, number })),
          },
        ],
      },
      { name: "HealthListRequest" },
      {
        name: "HealthListResponse",
        field: [{ name: "statuses", jsonName: "statuses", number: 1, label: REPEATED, type: MESSAGE, typeName: entry }],
        nestedType: [
          {
            name: "StatusesEntry",
            field: [
              { name: "key", jsonName: "key", number: 1, label: OPTIONAL, type: STRING },
              { name: "value", jsonName: "value", number: 2, label: OPTIONAL, type: MESSAGE, typeName: response },
            ],
            options: { mapEntry: true },
          },
        ],
      },
    ],
    service: [
      {
        name: "Health",
        method: [
          { name: "Check", inputType: request, outputType: response },
          { name: "List", inputType: ".grpc.health.v1.HealthListRequest", outputType: listResponse },
          { name: "Watch", inputType: request, outputType: response, serverStreaming: true },
        ],
      },
    ],
  });
}
