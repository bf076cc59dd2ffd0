// Health checks by the usual library, and their public descriptor.
import { create } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { HealthImplementation, service } from "grpc-health-check";
import type { AddedService } from "./reflection.js";

/** Paths of all methods of the health service. They reveal only whether the daemon serves. */
export const HEALTH_PATHS: readonly string[] = Object.values(service).map(({ path }) => path);

/**
 * Creates grpc.health.v1.Health: "" and each of the services are SERVING from the start. `stopServing` reports NOT_SERVING to every caller and
 * watcher.
 */
export function createHealth(services: readonly string[]): AddedService & { readonly stopServing: () => void } {
  const names = ["", ...services];
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, "SERVING"])));
  let implementation: UntypedServiceImplementation = {};
  health.addToServer({
    addService: (_definition, added) => {
      implementation = added;
    },
  });
  return {
    definition: service,
    implementation,
    stopServing: () => {
      for (const name of names) health.setStatus(name, "NOT_SERVING");
    },
  };
}

const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;
const { STRING, MESSAGE, ENUM } = FieldDescriptorProto_Type;

/**
 * Makes the public descriptor of grpc.health.v1 (grpc/health/v1/health.proto), for reflection. The library's own descriptor names the entries of a
 * map otherwise than compilers do. Strict clients refuse that file, and with it health checks.
 */
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
