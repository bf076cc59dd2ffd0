// grpc.reflection.v1 and v1alpha, made from the descriptors of the served methods: `grpcurl list` and `describe` work without files.
import { type DescFile, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";

type PackageDefinition = ConstructorParameters<typeof ReflectionService>[0];

export interface AddedService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** Serves `files` with all their imports, and `others`, which import nothing. */
export function createReflection(
  files: readonly DescFile[],
  others: readonly FileDescriptorProto[],
): readonly AddedService[] {
  const protos = [...[...withDependencies(files)].map(({ proto }) => proto), ...others];
  const reflection = new ReflectionService(
    packageOf(protos.map((proto) => Buffer.from(toBinary(FileDescriptorProtoSchema, proto)))),
  );
  const added: AddedService[] = [];
  reflection.addToServer({
    addService: (definition, implementation) => added.push({ definition, implementation }),
  });
  return added;
}

/** The library reads only the files of a package's types. */
function packageOf(fileDescriptorProtos: readonly Buffer[]): PackageDefinition {
  return {
    files: { format: "Protocol Buffer 3 DescriptorProto", type: {}, fileDescriptorProtos },
  } as unknown as PackageDefinition;
}

function withDependencies(files: readonly DescFile[], found = new Set<DescFile>()): Set<DescFile> {
  for (const file of files) {
    if (found.has(file)) continue;
    found.add(file);
    withDependencies(file.dependencies, found);
  }
  return found;
}
