#!/usr/bin/env bash
# Instructions that a generated client spends on reading a response, by valgrind: as it reads it, and
# by way of a JSON tree. Usage: instructions.sh [BUILD_DIR], default build/release, where the target
# bench_client is built.
set -euo pipefail
program=$(realpath "${1:-build/release}")/tests/bench/client/bench_client

# Prints the instructions of a program that reads so many times.
measure() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

for name in order sorted list; do
  for way in tree reader; do
    few=$(measure "$way" "$name" 20)
    many=$(measure "$way" "$name" 120)
    echo "$name, $way: $(((many - few) / 100)) instructions"
  done
done
