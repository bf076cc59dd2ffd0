"""The stubs' generator of grpcio-tools, as a plugin that buf can run: grpcio-tools itself offers it from inside its own protoc only.

generate.sh runs it.
"""

import pathlib
import sys
import tempfile

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc


def main():
    request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder, "files.binpb")
        files.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        out = pathlib.Path(folder, "out")
        out.mkdir()
        arguments = ["protoc", f"--descriptor_set_in={files}", f"--grpc_python_out={out}", *request.file_to_generate]
        if protoc.main(arguments) != 0:
            response.error = "grpcio-tools could not generate the stubs"
        for path in sorted(path for path in out.rglob("*") if path.is_file()):
            response.file.add(name=path.relative_to(out).as_posix(), content=path.read_text("utf-8"))
    sys.stdout.buffer.write(response.SerializeToString())


main()
