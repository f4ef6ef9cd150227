#!/usr/bin/env bash
# Builds the fuzz programs and runs them side by side: fuzz.sh [SECONDS [NAME...]], 60 seconds of
# each by default. They begin with tests/fuzz/corpus; what they learn is kept in build/fuzz/corpus. A
# finding ends with its input's file and a status other than 0.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
tools/setup.sh libclang-rt-19-dev
cmake --preset fuzz
cmake --build --preset fuzz
programs=build/fuzz/tests/fuzz
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cpp; do names+=("$(basename "$source" _fuzz.cpp)"); done
fi

failed=0
declare -A running
for name in "${names[@]}"; do
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  "$programs/fuzz_$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 \
    -artifact_prefix="build/fuzz/$name-" "$corpus" "tests/fuzz/corpus/$name" >"build/fuzz/$name.log" 2>&1 &
  running[$name]=$!
done
for name in "${names[@]}"; do
  if wait "${running[$name]}"; then
    printf '%-15s clean: %s\n' "$name" "$(grep -o 'Done [0-9]* runs' "build/fuzz/$name.log")"
  else
    printf '%-15s FOUND SOMETHING: build/fuzz/%s.log\n' "$name" "$name"
    failed=1
  fi
done
exit $failed
