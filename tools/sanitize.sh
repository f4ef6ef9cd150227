#!/usr/bin/env bash
# Builds tests with sanitizers and runs them: sanitize.sh [asan|tsan|compiler] [TEST_PROGRAM...].
# By default asan, which takes all unit tests of the runtime; tsan takes those in which threads meet.
# Both take the tests of clusters too, whose supervisor and workers then have the sanitizer.
# `compiler` takes the unit tests of the route compiler, with detection of leaks. Programs are named
# by their paths below build/PRESET/tests.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-asan}
shift || true
case $what in
asan) preset=asan programs=(runtime/runtime_tests e2e/cluster/cluster_tests) ;;
tsan) preset=tsan programs=(runtime/concurrency_tests e2e/cluster/cluster_tests) ;;
compiler)
  preset=asan-compiler
  programs=(compiler/core/compiler_core_tests compiler/diff/compiler_diff_tests
    compiler/frontend/frontend_tests)
  # As in the preset's environment, which applies to the build.
  export LSAN_OPTIONS="fast_unwind_on_malloc=0:print_suppressions=0:suppressions=$PWD/tests/compiler/clang_leaks.supp"
  ;;
*)
  echo "sanitize: '$what' is none of asan, tsan and compiler" >&2
  exit 2
  ;;
esac
if [ $# -gt 0 ]; then programs=("$@"); fi

tools/setup.sh
if [ "$what" != compiler ]; then # its presets take the route compiler of this one
  cmake --preset ci
  cmake --build --preset ci --target fairway
fi
cmake --preset "$preset"
cmake --build --preset "$preset" --target "${programs[@]##*/}"

# Reports go to files: otherwise reports of child processes would not be seen.
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
export ASAN_OPTIONS="log_path=$reports/asan:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:log_path=$reports/ubsan:${UBSAN_OPTIONS:-}"
export TSAN_OPTIONS="log_path=$reports/tsan:${TSAN_OPTIONS:-}"
# The tests of a program are divided among as many processes as there are processors. All programs run
# at once, because many tests wait most of their time.
shares=()
names=()
for program in "${programs[@]}"; do
  path=build/$preset/tests/$program
  count=$("$path" --count | sed -n 's/.*filters: //p')
  for ((i = 0, n = $(nproc); i < n; i++)); do
    "$path" --first=$((count * i / n + 1)) --last=$((count * (i + 1) / n)) &
    shares+=($!)
    names+=("$program")
  done
done
status=0
for i in "${!shares[@]}"; do
  wait "${shares[i]}" || {
    echo "sanitize: ${names[i]} fails" >&2
    status=1
  }
done
for report in "$reports"/*; do
  [ -e "$report" ] || continue
  cat "$report"
  status=1
done
exit $status
