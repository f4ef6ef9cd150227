#!/usr/bin/env bash
# Replaces the golden files of the compiler's tests by what the tests of a build see now; `git diff`
# shows what has changed. Usage: goldens.sh [BUILD_DIR], default build/dev.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/dev}
cmake --build "$build" --target compiler_core_tests compiler_diff_tests fairway
for part in core diff; do
  tests=$build/tests/compiler/$part
  rm -rf "$tests/golden"
  "$tests/compiler_${part}_tests" >/dev/null || true # they fail where a golden file is not current
  cp -r "$tests/golden/." "tests/compiler/$part/golden/"
done
bash tests/compiler/command_line/usage.sh "$build/compiler/fairway" \
  "$build/tests/compiler/command_line/golden" >/dev/null || true
node tests/e2e/lsp/lsp_test.mjs "$build/compiler/fairway" runtime/include "$build/tests/e2e/lsp" >/dev/null || true
cp "$build/tests/e2e/lsp/transcript.txt" tests/e2e/lsp/
cp "$build/tests/compiler/command_line/golden/"* tests/compiler/command_line/golden/
