#!/usr/bin/env bash
# Puts a server built with AddressSanitizer and UndefinedBehaviorSanitizer under a mixed load:
# soak.sh [MINUTES], default 5; a nightly run takes 60. Then one without sanitizers for as long, up to
# ten minutes, whose memory has to come back within a minute of its end. Fails on a wrong response, a
# report of a sanitizer, a leak, or memory that grows or stays.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-5}
case $minutes in
*[!0-9.]* | '')
  echo "soak: '$minutes' is not a number of minutes" >&2
  exit 2
  ;;
esac
tools/setup.sh
cmake --preset ci
cmake --build --preset ci --target fairway
cmake --preset asan
cmake --build --preset asan --target wire_server wire_soak
# What the sanitizer keeps of freed memory, for each thread too, would be taken for growth.
export ASAN_OPTIONS="quarantine_size_mb=16:thread_local_quarantine_size_kb=64:${ASAN_OPTIONS:-}"
build/asan/tests/wire/wire_soak build/asan/tests/wire/wire_server "$minutes" \
  tests/wire/cases/*.wire

cmake --preset release -B build/soak -DFAIRWAY_COMPILER_EXECUTABLE="$PWD/build/ci/compiler/fairway"
cmake --build build/soak --target wire_server wire_soak
build/soak/tests/wire/wire_soak build/soak/tests/wire/wire_server \
  "$(awk -v minutes="$minutes" 'BEGIN { print minutes < 10 ? minutes : 10 }')" \
  tests/wire/cases/*.wire
