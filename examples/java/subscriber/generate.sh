#!/bin/sh
# Makes the messages and stubs in target/generated-sources/aaep. The two generators come from Maven's repository, at the versions in pom.xml.
set -eu
cd "$(dirname "$0")"

case "$(uname -s)" in
  Darwin) system=osx ;;
  MINGW* | MSYS* | CYGWIN*) system=windows ;;
  *) system=linux ;;
esac
case "$(uname -m)" in
  arm64 | aarch64) machine=aarch_64 ;;
  *) machine=x86_64 ;;
esac

mvn --quiet --batch-mode initialize -Dgenerators.platform="$system-$machine"
chmod +x target/plugins/*
../../../node_modules/.bin/buf generate ../../.. --path ../../../proto/aaep --template buf.gen.yaml
