#!/usr/bin/env bash
# Builds the unit tests with sanitizers and runs them: sanitize.sh [asan|tsan], default asan.
# ThreadSanitizer looks at the runtime only; LLVM's libraries are not built for it.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-asan}
case $preset in
  asan) programs=(runtime/runtime_tests compiler/core/compiler_core_tests) ;;
  tsan) programs=(runtime/runtime_tests) ;;
  *) echo "sanitize: '$preset' is neither asan nor tsan" >&2; exit 2 ;;
esac
tools/setup.sh
cmake --preset "$preset"
cmake --build --preset "$preset" --target "${programs[@]##*/}"
for program in "${programs[@]}"; do "build/$preset/tests/$program"; done
