#!/bin/sh
# Makes what the examples over gRPC need: a virtual environment in .venv, and the messages and stubs in aaep/v1.
set -eu
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/pip install --quiet --requirement requirements.txt
../../node_modules/.bin/buf generate ../.. --path ../../proto/aaep --template buf.gen.yaml
