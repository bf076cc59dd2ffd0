#!/bin/sh
# Makes the messages and stubs in gen/aaepv1.
set -eu
cd "$(dirname "$0")"
../../node_modules/.bin/buf generate ../.. --path ../../proto/aaep --template buf.gen.yaml
