#!/usr/bin/env bash
# Builds the runtime's unit tests with sanitizers and runs them: sanitize.sh [asan|tsan], default
# asan.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-asan}
case $preset in
  asan | tsan) ;;
  *) echo "sanitize: '$preset' is neither asan nor tsan" >&2; exit 2 ;;
esac
tools/setup.sh
cmake --preset "$preset"
cmake --build --preset "$preset" --target runtime_tests
"build/$preset/tests/runtime/runtime_tests"
