#!/usr/bin/env bash
# Builds tests of the runtime with sanitizers and runs them: sanitize.sh [asan|tsan] [TEST_PROGRAM].
# By default asan, which takes all unit tests (runtime_tests); tsan takes those in which threads meet
# (concurrency_tests).
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-asan}
case $preset in
  asan) program=${2:-runtime_tests} ;;
  tsan) program=${2:-concurrency_tests} ;;
  *) echo "sanitize: '$preset' is neither asan nor tsan" >&2; exit 2 ;;
esac
tools/setup.sh
cmake --preset "$preset"
cmake --build --preset "$preset" --target "$program"
"build/$preset/tests/runtime/$program"
